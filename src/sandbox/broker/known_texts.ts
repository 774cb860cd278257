/** Texts of names from bytes, where the same few come again and again: decoding one costs more than finding out that it is known. */

import { nameText } from "../../core/name_text.ts";

/** A text with the bytes that it was decoded from. */
interface KnownText {
  readonly bytes: Uint8Array;
  readonly text: string;
}

/** Places for texts, a power of two. Two that fall on the same place take it from each other. */
const PLACES = 1024;
/** In bytes: longer ones are decoded each time. */
const LONGEST = 256;
/** Offset basis and prime of the 32-bit FNV-1a hash (RFC 9923). */
const BASIS = 0x811c9dc5;
const PRIME = 0x01000193;

/** Decodes names, and keeps what comes again. */
export class KnownTexts {
  readonly #kept: (KnownText | undefined)[] = Array(PLACES).fill(undefined);

  /** The text of a stretch of bytes, as `nameText` has it. */
  textOf(bytes: Uint8Array, start: number, end: number): string {
    const length = end - start;
    if (length > LONGEST) return nameText(bytes.subarray(start, end));
    let hash = BASIS;
    for (let at = start; at < end; at++) hash = Math.imul(hash ^ bytes[at]!, PRIME);
    const place = (hash ^ (hash >>> 16)) & (PLACES - 1);
    const known = this.#kept[place];
    if (known !== undefined && isSame(known.bytes, bytes, start, length)) return known.text;
    const own = bytes.slice(start, end);
    const text = nameText(own);
    this.#kept[place] = { bytes: own, text };
    return text;
  }
}

function isSame(known: Uint8Array, bytes: Uint8Array, start: number, length: number): boolean {
  if (known.length !== length) return false;
  for (let at = 0; at < length; at++) if (known[at] !== bytes[start + at]) return false;
  return true;
}
