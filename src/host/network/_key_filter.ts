/** Takes a key out of what passes, however the pieces are cut. */

import { joinedBytes } from "../../core/bytes.ts";
import { KeyForms } from "./_key_forms.ts";

const STAR = 0x2a;

/** Stars in the place of a key, in all its forms. */
export class KeyFilter {
  readonly #forms: KeyForms;
  /** The end of what came, which could be the beginning of the key. */
  #held: Uint8Array = new Uint8Array();

  /** Of characters up to U+00FF. */
  constructor(key: string) {
    this.#forms = new KeyForms(key);
  }

  /** As much as can be shown of what came. */
  next(bytes: Uint8Array): Uint8Array {
    return this.#shown(joinedBytes([this.#held, bytes]), false);
  }

  /** What was held back, since nothing more comes. */
  end(): Uint8Array {
    return this.#shown(this.#held, true);
  }

  #shown(whole: Uint8Array, last: boolean): Uint8Array {
    this.#held = new Uint8Array();
    for (let at = 0; at < whole.length;) {
      const found = this.#forms.at(whole, at, last);
      if (found === "begun") {
        this.#held = whole.slice(at);
        return whole.subarray(0, at);
      }
      if (found !== null) whole.fill(STAR, at, at + found);
      at += found ?? 1;
    }
    return whole;
  }
}
