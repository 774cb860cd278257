/** Keeping what a program writes within a limit: its beginning and its end, the rest counted. */

/** Bytes kept, and how many were let go. */
export interface Captured {
  readonly bytes: Uint8Array;
  readonly dropped: number;
}

/**
 * Collects chunks. Up to `limit` bytes all are kept; of more, the first half of the limit and the last, with a
 * line between that says how many are missing (part of the limit).
 */
export class Capture {
  readonly #limit: number;
  readonly #headLimit: number;
  #chunks: Uint8Array[] = [];
  #kept = 0;
  #total = 0;
  /** Once over the limit: the last bytes, as a ring. */
  #tail: Uint8Array | null = null;
  #tailEnd = 0;

  constructor(limit: number) {
    this.#limit = limit;
    this.#headLimit = Math.ceil(limit / 2);
  }

  add(chunk: Uint8Array): void {
    this.#total += chunk.length;
    if (this.#tail !== null) return this.#addToTail(this.#tail, chunk);
    this.#chunks.push(chunk);
    this.#kept += chunk.length;
    if (this.#kept > this.#limit) this.#split();
  }

  /** From keeping all to keeping both ends. */
  #split(): void {
    const all = concatenate(this.#chunks);
    const tail = new Uint8Array(this.#limit - this.#headLimit);
    this.#chunks = [all.slice(0, this.#headLimit)];
    this.#tail = tail;
    this.#addToTail(tail, all.subarray(this.#headLimit));
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
    const head = concatenate(this.#chunks);
    if (this.#tail === null) return { bytes: head, dropped: 0 };
    const tail = concatenate([
      this.#tail.subarray(this.#tailEnd),
      this.#tail.subarray(0, this.#tailEnd),
    ]);
    const marker = new TextEncoder().encode(
      `\n[… ${this.#total - this.#limit} bytes and more are left out here …]\n`,
    );
    if (marker.length > tail.length) return { bytes: head, dropped: this.#total - head.length };
    const rest = tail.subarray(marker.length);
    return {
      bytes: concatenate([head, marker, rest]),
      dropped: this.#total - head.length - rest.length,
    };
  }
}

function concatenate(chunks: readonly Uint8Array[]): Uint8Array {
  const [only] = chunks;
  if (chunks.length === 1 && only !== undefined) return only;
  const all = new Uint8Array(chunks.reduce((sum, chunk) => sum + chunk.length, 0));
  let offset = 0;
  for (const chunk of chunks) {
    all.set(chunk, offset);
    offset += chunk.length;
  }
  return all;
}
