/** Writes lines to standard output: many in one write, and never blocking the loop on a slow reader. */

import { type Readiness, WRITABLE_BYTES } from "../host/kernel/readiness.ts";

const encoder = new TextEncoder();
/** Where the buffer starts, and what it is cut back to once an answer has gone for which it grew beyond what is kept. */
const INITIAL_BYTES = 1 << 16;
/** An answer of 100 KB may take three times as much: room for it that is made anew each time costs a fifth of writing it. */
const KEPT_BYTES = 1 << 19;

/** Gathers lines and writes them in few calls. A reader that does not read makes its user wait. */
export class LineWriter {
  readonly #readiness: Readiness;
  #buffer = new Uint8Array(INITIAL_BYTES);
  #length = 0;
  #flushing: Promise<void> | null = null;
  #broken = false;

  constructor(readiness: Readiness) {
    this.#readiness = readiness;
  }

  /** The reader is gone: nothing that is written arrives any more. */
  get broken(): boolean {
    return this.#broken;
  }

  /** Bytes that wait. */
  get waiting(): number {
    return this.#length;
  }

  /** Puts a line into the buffer. */
  write(line: string): void {
    if (this.#broken) return;
    // UTF-8 takes at most three bytes a UTF-16 unit.
    const needed = this.#length + line.length * 3 + 1;
    if (needed > this.#buffer.length) {
      const larger = new Uint8Array(Math.max(needed, this.#buffer.length * 2));
      larger.set(this.#buffer.subarray(0, this.#length));
      this.#buffer = larger;
    }
    this.#length += encoder.encodeInto(line, this.#buffer.subarray(this.#length)).written;
    this.#buffer[this.#length++] = 0x0a;
  }

  /** Null where all that was written has gone out at once; else resolves when it has, or the reader has. */
  flush(): Promise<void> | null {
    if (this.#flushing === null) this.#writeReady();
    if (this.#length === 0) return null;
    this.#flushing ??= this.#writeAll().finally(() => this.#flushing = null);
    return this.#flushing;
  }

  /** Writes what goes without blocking, from there on; 0 where nothing does. */
  #writeSome(from: number): number {
    const written = this.#readiness.writeNow(this.#buffer.subarray(from, this.#length));
    if (written !== null) return written;
    if (!this.#readiness.writable()) return 0;
    const end = Math.min(this.#length, from + WRITABLE_BYTES);
    return Deno.stdout.writeSync(this.#buffer.subarray(from, end));
  }

  /** Writes as much as goes without blocking. */
  #writeReady(): void {
    try {
      let done = 0;
      while (done < this.#length) {
        const written = this.#writeSome(done);
        if (written === 0) break;
        done += written;
      }
      this.#drop(done);
    } catch {
      this.#break();
    }
  }

  async #writeAll(): Promise<void> {
    try {
      while (this.#length > 0) {
        // The buffer may grow and move during this wait: what is written here is a piece of its own.
        this.#drop(await Deno.stdout.write(this.#buffer.slice(0, this.#length)));
        this.#writeReady();
      }
    } catch {
      this.#break();
    }
  }

  /** The first so many bytes have gone out. */
  #drop(count: number): void {
    this.#buffer.copyWithin(0, count, this.#length);
    this.#length -= count;
    if (this.#length > 0 || this.#buffer.length <= KEPT_BYTES) return;
    this.#buffer = new Uint8Array(INITIAL_BYTES);
  }

  #break(): void {
    this.#broken = true;
    this.#length = 0;
  }
}
