/** Lines as the bytes that they go out as. */

import type { JsonBytes } from "../core/json_bytes.ts";
import type { Lines } from "../core/result.ts";

const encoder = new TextEncoder();
/** Where the memory starts, and what it is cut back to once an answer has gone for which it grew beyond what is kept. */
const INITIAL_BYTES = 1 << 16;
/** An answer of 100 KB may take three times as much: room for it that is made anew each time costs a fifth of writing it. */
const KEPT_BYTES = 1 << 19;
const LINE_END = 0x0a;

/** Gathers lines until they are written. */
export class LineBuffer implements Lines {
  #memory = new Uint8Array(INITIAL_BYTES);
  #length = 0;

  /** How many bytes wait. */
  get length(): number {
    return this.#length;
  }

  /** Those that wait, until something is put in or taken out. */
  get bytes(): Uint8Array<ArrayBuffer> {
    return this.#memory.subarray(0, this.#length);
  }

  /** Puts a line in. */
  write(before: string, value?: JsonBytes, after?: string): void {
    this.add(before);
    if (value !== undefined) this.add(value);
    if (after !== undefined) this.add(after);
    this.#makeRoom(1);
    this.#memory[this.#length++] = LINE_END;
  }

  /** Puts a part of a line in. */
  add(part: string | JsonBytes): void {
    if (typeof part === "string") {
      // UTF-8 takes at most three bytes a UTF-16 unit.
      this.#makeRoom(3 * part.length);
      const { written } = encoder.encodeInto(part, this.#memory.subarray(this.#length));
      this.#length += written;
    } else {
      const { bytes } = part;
      this.#makeRoom(bytes.length);
      this.#memory.set(bytes, this.#length);
      this.#length += bytes.length;
      part.release();
    }
  }

  /** The first so many bytes have gone out. */
  drop(count: number): void {
    this.#memory.copyWithin(0, count, this.#length);
    this.#length -= count;
    if (this.#length > 0 || this.#memory.length <= KEPT_BYTES) return;
    this.#memory = new Uint8Array(INITIAL_BYTES);
  }

  #makeRoom(bytes: number): void {
    const needed = this.#length + bytes;
    if (needed <= this.#memory.length) return;
    const larger = new Uint8Array(Math.max(needed, this.#memory.length * 2));
    larger.set(this.bytes);
    this.#memory = larger;
  }
}
