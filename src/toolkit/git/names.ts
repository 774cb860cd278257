/** Names in git's output and in arguments: bytes that need not be text. */

import { joinedBytes } from "../../core/bytes.ts";
import { nameBytes } from "../../core/name_text.ts";

/** What git's machine formats part by NUL; the last part must be ended too, or it was cut off. */
export function splitNul(bytes: Uint8Array): readonly Uint8Array[] {
  const parts: Uint8Array[] = [];
  let start = 0;
  for (let end = bytes.indexOf(0); end !== -1; end = bytes.indexOf(0, start)) {
    parts.push(bytes.subarray(start, end));
    start = end + 1;
  }
  return parts;
}

const LOSSY = new TextDecoder("utf-8", { ignoreBOM: true });
const STRICT = new TextDecoder("utf-8", { ignoreBOM: true, fatal: true });
const ENCODER = new TextEncoder();

/** As text for rules and messages: what is no UTF-8 becomes U+FFFD. */
export function textOf(bytes: Uint8Array): string {
  return LOSSY.decode(bytes);
}

/**
 * As text that stands for exactly these bytes: a name that is no UTF-8, or begins with `"`, in git's own quoted form
 * (git-config(1), core.quotePath): `"caf\351"`.
 */
export function nameOf(bytes: Uint8Array): string {
  if (bytes[0] !== QUOTE) {
    try {
      return STRICT.decode(bytes);
    } catch {
      // Quoted below.
    }
  }
  let text = "";
  for (const byte of bytes) {
    if (byte === QUOTE || byte === BACKSLASH) text += `\\${String.fromCharCode(byte)}`;
    else if (byte >= 0x20 && byte < 0x7f) text += String.fromCharCode(byte);
    else text += `\\${byte.toString(8).padStart(3, "0")}`;
  }
  return `"${text}"`;
}

/** The bytes that a name stands for: the other way round. */
export function bytesOf(name: string): Uint8Array<ArrayBuffer> {
  const inner = /^"(.*)"$/s.exec(name)?.[1];
  if (inner === undefined || !/^(?:[^"\\]|\\[0-3][0-7]{2}|\\["\\])*$/s.test(inner)) {
    return ENCODER.encode(name);
  }
  const parts = inner.split(/(\\[0-3][0-7]{2}|\\["\\])/);
  return joinedBytes(parts.map((part, index) => {
    if (index % 2 === 0) return ENCODER.encode(part);
    const digits = part.slice(1);
    return Uint8Array.of(digits.length === 3 ? parseInt(digits, 8) : digits.charCodeAt(0));
  }));
}

/** The bytes of text that is a name as it is, quoted by nobody, or as `nameText` has it. */
export function encoded(text: string): Uint8Array<ArrayBuffer> {
  return nameBytes(text);
}

/** Whether a name can stand among the words of a command, which are UTF-8. */
export function isText(bytes: Uint8Array): boolean {
  return !textOf(bytes).includes("\ufffd");
}

/**
 * A pattern that leaves this name out (gitglossary(7), "pathspec"): every byte that is no text is matched by `?`, so that
 * rather more is left out than less.
 */
export function excluding(name: Uint8Array): string {
  const pattern = textOf(name).replaceAll(/[*?[\]\\]/g, "\\$&").replaceAll("\ufffd", "*");
  return `:(top,exclude,glob)${pattern}`;
}

/** A pattern for exactly this path, or what lies below it. */
export function exactly(path: string): string {
  return `:(top,literal)${path}`;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
