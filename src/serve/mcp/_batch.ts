/** The answers to one batch: an array, when the last is there (JSON-RPC 2.0, section 6). */

/** Gathers the replies to the messages of one batch, and writes them as one (JSON-RPC 2.0, section 6). */
export class Batch {
  readonly #write: (line: string) => void;
  readonly #replies: string[] = [];
  #left: number;

  /** `size`: messages in it, notifications too. */
  constructor(size: number, write: (line: string) => void) {
    this.#left = size;
    this.#write = write;
  }

  /** One message is done; null where it has no answer. A batch without any is not answered at all. */
  settle(reply: string | null): void {
    if (reply !== null) this.#replies.push(reply);
    if (--this.#left === 0 && this.#replies.length > 0) this.#write(`[${this.#replies.join(",")}]`);
  }
}
