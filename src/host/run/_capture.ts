/** Keeping what a program writes within a limit: its beginning and its end, the rest counted. */

import { joinedBytes } from "../../core/bytes.ts";

/** Bytes kept, and how many were let go. */
export interface Captured {
  readonly bytes: Uint8Array;
  readonly dropped: number;
}

/** Bytes that room is made for at first. */
const INITIAL_BYTES = 4096;

/**
 * Collects chunks, copying them. Up to `limit` bytes all are kept; of more, the first half of the limit and the
 * last, with a line between that says how many are missing (part of the limit).
 */
export class Capture {
  readonly #limit: number;
  readonly #headLimit: number;
  /** All that is kept, or once over the limit its first half. One buffer: a program may write byte by byte. */
  #head = new Uint8Array(0);
  #kept = 0;
  #total = 0;
  /** Once over the limit: the last bytes, as a ring. */
  #tail: Uint8Array | null = null;
  #tailEnd = 0;

  constructor(limit: number) {
    this.#limit = limit;
    this.#headLimit = Math.ceil(limit / 2);
  }

  /** Bytes that came in. */
  get total(): number {
    return this.#total;
  }

  add(chunk: Uint8Array): void {
    this.#total += chunk.length;
    if (this.#tail !== null) return this.#addToTail(this.#tail, chunk);
    const room = chunk.subarray(0, this.#limit - this.#kept);
    this.#grow(this.#kept + room.length);
    this.#head.set(room, this.#kept);
    this.#kept += room.length;
    if (room.length === chunk.length) return;
    this.#addToTail(this.#split(), chunk.subarray(room.length));
  }

  #grow(needed: number): void {
    if (needed <= this.#head.length) return;
    const larger = new Uint8Array(
      Math.min(this.#limit, Math.max(needed, this.#head.length * 2, INITIAL_BYTES)),
    );
    larger.set(this.#head.subarray(0, this.#kept));
    this.#head = larger;
  }

  /** From keeping all to keeping both ends. */
  #split(): Uint8Array {
    const tail = new Uint8Array(this.#limit - this.#headLimit);
    this.#tail = tail;
    this.#addToTail(tail, this.#head.subarray(this.#headLimit, this.#kept));
    this.#head = this.#head.slice(0, this.#headLimit);
    this.#kept = this.#headLimit;
    return tail;
  }

  #addToTail(tail: Uint8Array, chunk: Uint8Array): void {
    if (tail.length === 0) return;
    const last = chunk.subarray(Math.max(chunk.length - tail.length, 0));
    const start = (this.#tailEnd + chunk.length - last.length) % tail.length;
    const first = last.subarray(0, tail.length - start);
    tail.set(first, start);
    tail.set(last.subarray(first.length), 0);
    this.#tailEnd = (this.#tailEnd + chunk.length) % tail.length;
  }

  take(): Captured {
    const head = this.#head.subarray(0, this.#kept);
    if (this.#tail === null) return { bytes: head, dropped: 0 };
    const tail = joinedBytes([
      this.#tail.subarray(this.#tailEnd),
      this.#tail.subarray(0, this.#tailEnd),
    ]);
    const marker = new TextEncoder().encode(
      `\n[… ${this.#total - this.#limit} bytes and more are left out here …]\n`,
    );
    const begin = head.subarray(0, lengthOfWhole(head));
    if (marker.length > tail.length) return { bytes: begin, dropped: this.#total - begin.length };
    const cut = tail.subarray(marker.length);
    const end = cut.subarray(lengthOfBroken(cut));
    return {
      bytes: joinedBytes([begin, marker, end]),
      dropped: this.#total - begin.length - end.length,
    };
  }
}

/** Continuation bytes of UTF-8 are 10xxxxxx; at most three follow a first byte (RFC 3629, 3). */
function isContinuation(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80;
}

/** Bytes up to a sequence that was cut off at the end. */
function lengthOfWhole(bytes: Uint8Array): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back++) {
    const byte = bytes[bytes.length - back] as number;
    if (isContinuation(byte)) continue;
    const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1;
    return length > back ? bytes.length - back : bytes.length;
  }
  return bytes.length;
}

/** Bytes at the start that belong to a sequence that was cut off before them. */
function lengthOfBroken(bytes: Uint8Array): number {
  let length = 0;
  while (length < 3 && isContinuation(bytes[length])) length++;
  return length;
}
