/**
 * Names of files as text. To Linux they are bytes; where these are no UTF-8, each of them that has no place in it stands in
 * the text as half a surrogate pair (U+DC80 to U+DCFF, as in PEP 383). No two names have the same text, so that rules judge
 * exactly what the kernel then is told; and no name that is UTF-8 has such a half in it.
 */

import { joinedBytes } from "./bytes.ts";
import { firstInvalidByte } from "./utf8.ts";

/** What a byte of 0x80 to 0xff is added to. */
const ESCAPES = 0xdc00;
const REPLACEMENT = "\ufffd";
/** Halves that no other stands beside. */
const LONE_HALVES = /[\ud800-\udfff]/u;
const EACH_LONE_HALF = /[\ud800-\udfff]/gu;

const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
const encoder = new TextEncoder();

/** The text of a name, or of a path. */
export function nameText(bytes: Uint8Array): string {
  const text = decoder.decode(bytes);
  return text.includes(REPLACEMENT) ? escapedText(bytes) : text;
}

function escapedText(bytes: Uint8Array): string {
  let text = "";
  for (let rest = bytes;;) {
    const end = firstInvalidByte(rest);
    text += decoder.decode(rest.subarray(0, end));
    const byte = rest[end];
    if (byte === undefined) return text;
    text += String.fromCharCode(ESCAPES + byte);
    rest = rest.subarray(end + 1);
  }
}

/**
 * The bytes that a text stands for. Throws a `TypeError` where it is the text of no name: other halves of surrogate pairs,
 * or escapes of bytes that together are UTF-8, which would be a second text of that name.
 */
export function nameBytes(text: string): Uint8Array<ArrayBuffer> {
  const bytes = joinedNameBytes(text);
  if (!text.isWellFormed() && nameText(bytes) !== text) {
    throw new TypeError("a name holds half a surrogate pair");
  }
  return bytes;
}

/**
 * As `nameBytes`, of what was put together of names and their parts, as shells do: escapes are the bytes that they stand for,
 * and other halves of surrogate pairs U+FFFD.
 */
export function joinedNameBytes(text: string): Uint8Array<ArrayBuffer> {
  if (text.isWellFormed()) return encoder.encode(text);
  return joinedBytes(
    text.split(/([\udc80-\udcff])/u).map((part, index) =>
      index % 2 === 0 ? encoder.encode(part) : Uint8Array.of(part.charCodeAt(0) - ESCAPES)
    ),
  );
}

/** The text of these bytes: what is judged is then what a program is told. */
export function joinedName(text: string): string {
  return text.isWellFormed() ? text : nameText(joinedNameBytes(text));
}

/** Whether some byte of a name is no UTF-8. */
export function isEscapedName(text: string): boolean {
  return LONE_HALVES.test(text);
}

/**
 * As text for answers, which is UTF-8: `caf\xe9`. It is for people: a name may have these very characters. What is cut out
 * of the middle of a text is shown likewise (`\ud83d`).
 */
export function shownName(text: string): string {
  if (text.isWellFormed()) return text;
  return text.replace(EACH_LONE_HALF, (half) => {
    const unit = half.charCodeAt(0);
    return unit >= ESCAPES + 0x80 && unit <= ESCAPES + 0xff
      ? `\\x${(unit - ESCAPES).toString(16)}`
      : `\\u${unit.toString(16)}`;
  });
}
