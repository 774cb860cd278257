/** From the bytes of a file to the text that is searched. */

import { BINARY_WINDOW } from "./_decode.ts";
import type { Scanner } from "./_search_scanner.ts";

/** `text` null: it holds no match, and was not decoded. */
export interface Contents {
  readonly binary: boolean;
  readonly text: string | null;
}

const BINARY: Contents = { binary: true, text: null };
const NO_MATCH: Contents = { binary: false, text: null };

/** Bytes that are no UTF-8 are shown as U+FFFD; byte order marks are left out. */
const UTF_8 = new TextDecoder();
const UTF_16 = { little: new TextDecoder("utf-16le"), big: new TextDecoder("utf-16be") };

/**
 * What the first `length` bytes of the scanner hold. A NUL in the first 8 KiB makes a file binary, unless it begins
 * with the byte order mark of UTF-16; a later one ends its text, as ripgrep has it.
 */
export function contentsOf(scanner: Scanner, length: number): Contents {
  const { bytes } = scanner;
  const wide = length < 2 ? undefined : decoderOf(bytes[0] as number, bytes[1] as number);
  if (wide === undefined) {
    if (scanner.holdsNul(Math.min(length, BINARY_WINDOW))) return BINARY;
    if (!scanner.holdsLiterals(length)) return NO_MATCH;
  }
  const text = (wide ?? UTF_8).decode(bytes.subarray(0, length));
  const end = text.indexOf("\0");
  return { binary: false, text: end < 0 ? text : text.slice(0, end) };
}

function decoderOf(first: number, second: number): TextDecoder | undefined {
  if (first === 0xff && second === 0xfe) return UTF_16.little;
  if (first === 0xfe && second === 0xff) return UTF_16.big;
  return undefined;
}
