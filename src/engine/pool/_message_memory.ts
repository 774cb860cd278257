/** Where messages lie that come out of a ring. */

/**
 * Short ones lie beside each other in memory of this size: one of their own takes as long to get as reading them does. It
 * stays as long as any of them is kept. Not a power of two: such memory is never one message's.
 */
const SHARED_BYTES = 3 << 12;
const LONGEST_SHARED = SHARED_BYTES / 3;
/** Given back, so much is kept for the next ones: the frames of a full ring, and as much again. */
const MOST_KEPT = 1 << 21;
/** What begins there is aligned as words are. */
const WORD_BYTES = 8;
const NOTHING = new Uint8Array(0);

/** Memory of one message each, in powers of two where it is not short. */
export class MessageMemory {
  #shared = NOTHING;
  #used = 0;
  /** What was given back, by the logarithm of its size. */
  readonly #spare: ArrayBuffer[][] = Array.from({ length: 32 }, () => []);
  #kept = 0;

  /** Room for a message, at a multiple of eight bytes. */
  take(length: number): Uint8Array<ArrayBuffer> {
    if (length <= LONGEST_SHARED) return this.#takeShared(length);
    const logarithm = 32 - Math.clz32(length - 1);
    const spare = this.#spare[logarithm]?.pop();
    if (spare === undefined) return new Uint8Array(new ArrayBuffer(2 ** logarithm), 0, length);
    this.#kept -= spare.byteLength;
    return new Uint8Array(spare, 0, length);
  }

  /** Nobody looks at that message any more, or at any part of it. */
  readonly giveBack = ({ buffer }: Uint8Array): void => {
    const size = buffer.byteLength;
    const logarithm = 31 - Math.clz32(size);
    if (!(buffer instanceof ArrayBuffer) || size !== 2 ** logarithm) return;
    if (size <= LONGEST_SHARED || this.#kept + size > MOST_KEPT) return;
    this.#kept += size;
    this.#spare[logarithm]?.push(buffer);
  };

  #takeShared(length: number): Uint8Array<ArrayBuffer> {
    if (length > this.#shared.length - this.#used) {
      this.#shared = new Uint8Array(SHARED_BYTES);
      this.#used = 0;
    }
    const memory = this.#shared.subarray(this.#used, this.#used + length);
    this.#used += Math.ceil(length / WORD_BYTES) * WORD_BYTES;
    return memory;
  }
}
