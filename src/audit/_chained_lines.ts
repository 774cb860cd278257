/** Records as lines of the log, each chained to the one before: written into one buffer, hashed and handed on there. */

import { sha256 } from "../core/sha256.ts";
import type { AuditEntry, ChainHead } from "./record.ts";

/** Where the buffer starts, and what it is cut back to: a few records of an ordinary call. */
const INITIAL_BYTES = 8 * 1024;
/** Bytes of UTF-8 that one UTF-16 unit takes at most. */
const MOST_BYTES_A_UNIT = 3;

const encoder = new TextEncoder();

/** Lines on their way to the file. Not for two users at once. */
export class ChainedLines {
  #buffer = new Uint8Array(INITIAL_BYTES);
  #length = 0;

  /** Drops what is there and begins with `text`. */
  begin(text: string): void {
    if (this.#buffer.length > INITIAL_BYTES) this.#buffer = new Uint8Array(INITIAL_BYTES);
    this.#length = 0;
    this.#put(text);
  }

  /**
   * Adds the line of an entry, with its newline, and gives the head after it. The hash is of the line's own bytes up
   * to the hash, so that whoever verifies needs no canonical form of JSON; `previous` makes each stand on all before it.
   */
  add(entry: AuditEntry, before: ChainHead): ChainHead {
    const sequence = before.sequence + 1;
    const start = this.#length;
    const json = JSON.stringify(entry);
    const lead = `{"sequence":${sequence},"previous":"${before.hash}",`;
    const line = lead + json.slice(1);
    // As many bytes as units: ASCII, of which DEL is the one that has to be escaped.
    if (this.#put(line) !== line.length || json.includes("\x7f")) {
      this.#length = start;
      this.#put(lead + inAscii(json).slice(1));
    }
    // The brace that ends the entry comes after the hash.
    this.#length--;
    const hash = sha256(this.#buffer.subarray(start, this.#length));
    this.#put(`,"hash":"${hash}"}\n`);
    return { sequence, hash };
  }

  /** All lines; valid until the next `begin`. */
  get bytes(): Uint8Array {
    return this.#buffer.subarray(0, this.#length);
  }

  /** How many bytes it took. */
  #put(text: string): number {
    const needed = this.#length + text.length * MOST_BYTES_A_UNIT;
    if (needed > this.#buffer.length) {
      const larger = new Uint8Array(2 * needed);
      larger.set(this.bytes);
      this.#buffer = larger;
    }
    const { written } = encoder.encodeInto(text, this.#buffer.subarray(this.#length));
    this.#length += written;
    return written;
  }
}

/** Lines are ASCII, so that one that was cut off anywhere is still text, and terminals show no tricks. */
function inAscii(json: string): string {
  return json.replaceAll(
    /[\x7f-\uffff]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
