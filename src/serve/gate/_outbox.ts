/** What goes out to one caller: lines that wait, written as far as he takes them, and never waited for. */

import { JsonBytes } from "../../core/json_bytes.ts";
import { writeSome } from "../../host/kernel/pipes.ts";
import type { Libc } from "../../sandbox/kernel/libc.ts";
import type { LineBuffer } from "../line_buffer.ts";
import type { Output } from "../server.ts";

/** Bytes that wait before nothing new is begun for this caller. */
const HIGH = 1 << 20;
/** Below it there is room again. */
const LOW = HIGH / 4;

const LINE_END = "\n";
const NOTHING = new Uint8Array(0);

/** Lines on their way to one caller. `onChange`: called when there is something to send. */
export class Outbox implements Output {
  readonly #libc: Libc;
  readonly #descriptor: number;
  readonly #onChange: () => void;
  /** Of all connections: empty but while one of them sends. */
  readonly #encoded: LineBuffer;
  #parts: (string | JsonBytes)[] = [];
  #units = 0;
  /** What was begun to be sent. */
  #rest: Uint8Array = NOTHING;
  #waiting: PromiseWithResolvers<void> | null = null;
  #closed = false;

  constructor(libc: Libc, descriptor: number, encoded: LineBuffer, onChange: () => void) {
    this.#libc = libc;
    this.#descriptor = descriptor;
    this.#encoded = encoded;
    this.#onChange = onChange;
  }

  /** Bytes that wait, as near as lengths of texts tell it. */
  get held(): number {
    return this.#rest.length + this.#units;
  }

  get full(): boolean {
    return this.held > HIGH;
  }

  room(): Promise<void> | null {
    if (!this.full || this.#closed) return null;
    this.#waiting ??= Promise.withResolvers();
    return this.#waiting.promise;
  }

  write(before: string, value?: JsonBytes, after = ""): void {
    if (this.#closed) return;
    this.#put(before);
    if (value !== undefined) {
      // What a slow reader leaves must keep no more memory than its own: others' answers lie beside it.
      this.#put(this.#rest.length === 0 ? value : copied(value));
      this.#put(after);
    }
    this.#put(LINE_END);
    this.#onChange();
  }

  #put(part: string | JsonBytes): void {
    this.#parts.push(part);
    this.#units += part.length;
  }

  /** Sends what goes at once; whether something of it went. What a broken connection does not take is for its end to tell. */
  flush(): boolean {
    const before = this.held;
    while (this.held > 0) {
      const begun = this.#rest.length > 0;
      const bytes = begun ? this.#rest : this.#encode();
      const sent = writeSome(this.#libc, this.#descriptor, bytes) ?? 0;
      if (begun) this.#rest = bytes.subarray(sent);
      else {
        this.#rest = sent === bytes.length ? NOTHING : bytes.slice(sent);
        this.#encoded.drop(bytes.length);
      }
      if (sent === 0) break;
    }
    if (this.held < LOW) this.#release();
    return this.held < before;
  }

  #encode(): Uint8Array {
    for (const part of this.#parts) this.#encoded.add(part);
    this.#parts = [];
    this.#units = 0;
    return this.#encoded.bytes;
  }

  /** Nobody reads any more: what comes is dropped. */
  close(): void {
    this.#closed = true;
    this.#parts = [];
    this.#units = 0;
    this.#rest = NOTHING;
    this.#release();
  }

  #release(): void {
    this.#waiting?.resolve();
    this.#waiting = null;
  }
}

function copied(value: JsonBytes): JsonBytes {
  const copy = new JsonBytes(value.bytes.slice());
  value.release();
  return copy;
}
