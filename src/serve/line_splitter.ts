/** Cuts a stream of bytes into lines, and passes over a line that is too long without keeping it. */

const NEWLINE = 0x0a;
const NOTHING = new Uint8Array(0);

/** A whole line without its newline (bytes valid until the next push), or one that was too long. */
export type Line = { readonly bytes: Uint8Array } | { readonly tooLong: true };

/** Parts bytes into lines, however they come. A line over the limit is passed over, and said to be. */
export class LineSplitter {
  readonly #limit: number;
  #kept: Uint8Array[] = [];
  #size = 0;
  #skipping = false;
  #rest: Uint8Array = NOTHING;

  /** @param limit Most bytes of a line. */
  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Bytes of the line that has not ended. */
  get held(): number {
    return this.#size;
  }

  /** Of the chunk what stands behind the line that was given last: who takes no more lines of it has it himself. */
  get rest(): Uint8Array {
    return this.#rest;
  }

  /** Lines that end in this chunk. What is left over is copied and waits for the next. */
  *push(chunk: Uint8Array): Iterable<Line> {
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, start)) {
      const piece = chunk.subarray(start, end);
      start = end + 1;
      this.#rest = chunk.subarray(start);
      const line = this.#finish(piece);
      if (line !== null) yield line;
    }
    const rest = chunk.subarray(start);
    if (rest.length === 0 || this.#skipping) return;
    if (this.#size + rest.length > this.#limit) {
      // Said at once, not at its end: a caller that never ends its line learns why nothing comes.
      this.#kept = [];
      this.#size = 0;
      this.#skipping = true;
      yield { tooLong: true };
      return;
    }
    this.#kept.push(rest.slice());
    this.#size += rest.length;
  }

  /** The last line, where the stream ended without a newline. */
  end(): Line | null {
    return this.#size === 0 ? null : this.#finish(new Uint8Array(0));
  }

  #finish(piece: Uint8Array): Line | null {
    if (this.#skipping) {
      this.#skipping = false;
      return null;
    }
    if (this.#size + piece.length > this.#limit) {
      this.#kept = [];
      this.#size = 0;
      return { tooLong: true };
    }
    if (this.#size === 0) return { bytes: piece };
    const bytes = new Uint8Array(this.#size + piece.length);
    let at = 0;
    for (const kept of [...this.#kept, piece]) {
      bytes.set(kept, at);
      at += kept.length;
    }
    this.#kept = [];
    this.#size = 0;
    return { bytes };
  }
}
