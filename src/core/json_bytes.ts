/** One JSON value as UTF-8, in memory that is lent. */

// A value does not begin with a byte order mark: U+FEFF is not to be lost where something else is at fault.
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

/**
 * A value on its way out, which nobody decodes who does not look into it. Who puts it into a line gives its memory back,
 * where the next answer will lie: memory that is made anew for each answer of 100 KB has V8 mark its heap every 150 of them.
 */
export class JsonBytes {
  /** How many there are, or were. */
  readonly length: number;
  #bytes: Uint8Array | null;
  readonly #giveBack: ((bytes: Uint8Array) => void) | null;

  /** `giveBack`: takes the memory back; null where it belongs to nobody else. */
  constructor(bytes: Uint8Array, giveBack: ((bytes: Uint8Array) => void) | null = null) {
    this.length = bytes.length;
    this.#bytes = bytes;
    this.#giveBack = giveBack;
  }

  /** Not to be kept. Throws once they have been given back: what lies there then is another answer's. */
  get bytes(): Uint8Array {
    if (this.#bytes === null) throw new Error("an answer was looked at after it had been written");
    return this.#bytes;
  }

  get text(): string {
    return decoder.decode(this.bytes);
  }

  /** It has been written, or copied. */
  release(): void {
    const bytes = this.#bytes;
    this.#bytes = null;
    if (bytes !== null) this.#giveBack?.(bytes);
  }
}
