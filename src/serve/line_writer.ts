/** Writes lines to standard output: many in one write, and never blocking the loop on a slow reader. */

import type { JsonBytes } from "../core/json_bytes.ts";
import type { Lines } from "../core/result.ts";
import { type Readiness, WRITABLE_BYTES } from "../host/kernel/readiness.ts";
import { LineBuffer } from "./line_buffer.ts";

/** Who else writes standard output waits for it, and is waited for; see `OutputLock`. */
export interface WriterLock {
  tryTake(): boolean;
  take(): Promise<void>;
  free(): void;
}

/** Where nobody else does. */
const ALONE: WriterLock = {
  tryTake: () => true,
  take: () => Promise.resolve(),
  free: () => {},
};

/** Gathers lines and writes them in few calls. A reader that does not read makes its user wait. */
export class LineWriter implements Lines {
  readonly #readiness: Readiness;
  readonly #lines = new LineBuffer();
  #flushing: Promise<void> | null = null;
  #broken = false;
  readonly #lock: WriterLock;
  /** From the first byte that goes out until nothing waits. */
  #locked = false;

  constructor(readiness: Readiness, lock: WriterLock = ALONE) {
    this.#readiness = readiness;
    this.#lock = lock;
  }

  /** The reader is gone: nothing that is written arrives any more. */
  get broken(): boolean {
    return this.#broken;
  }

  /** Bytes that wait. */
  get waiting(): number {
    return this.#lines.length;
  }

  /** Puts a line into the buffer. */
  write(before: string, value?: JsonBytes, after?: string): void {
    if (!this.#broken) this.#lines.write(before, value, after);
  }

  /** Null where all that was written has gone out at once; else resolves when it has, or the reader has. */
  flush(): Promise<void> | null {
    if (this.#lines.length === 0) return null;
    if (this.#flushing === null && this.#tryLock()) {
      this.#writeReady();
      if (this.#lines.length === 0) {
        this.#unlock();
        return null;
      }
    }
    this.#flushing ??= this.#writeAll().finally(() => {
      this.#flushing = null;
      this.#unlock();
    });
    return this.#flushing;
  }

  #tryLock(): boolean {
    return this.#locked ||= this.#lock.tryTake();
  }

  #unlock(): void {
    if (this.#locked) this.#lock.free();
    this.#locked = false;
  }

  /** Writes what goes of it without blocking; 0 bytes where nothing does. */
  #writeSome(bytes: Uint8Array): number {
    const written = this.#readiness.writeNow(bytes);
    if (written !== null) return written;
    if (!this.#readiness.writable()) return 0;
    return Deno.stdout.writeSync(bytes.subarray(0, WRITABLE_BYTES));
  }

  /** Writes as much as goes without blocking. */
  #writeReady(): void {
    try {
      let rest: Uint8Array = this.#lines.bytes;
      while (rest.length > 0) {
        const written = this.#writeSome(rest);
        if (written === 0) break;
        rest = rest.subarray(written);
      }
      this.#lines.drop(this.#lines.length - rest.length);
    } catch {
      this.#break();
    }
  }

  async #writeAll(): Promise<void> {
    try {
      if (!this.#locked) {
        await this.#lock.take();
        this.#locked = true;
        this.#writeReady();
      }
      while (this.#lines.length > 0) {
        // The buffer may grow and move during this wait: what is written here is a piece of its own.
        this.#lines.drop(await Deno.stdout.write(this.#lines.bytes.slice()));
        this.#writeReady();
      }
    } catch {
      this.#break();
    }
  }

  /** Somebody else has found out that the reader is gone. */
  break(): void {
    this.#break();
  }

  #break(): void {
    this.#broken = true;
    this.#lines.drop(this.#lines.length);
  }
}
