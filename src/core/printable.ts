/**
 * The one way of making text safe for people: for a line of a message, an approval, the audit log ({@linkcode printable}),
 * and for text of several lines on a terminal or in a question ({@linkcode printableText}).
 */

import { isEscapedName, shownName } from "./name_text.ts";
import { once } from "./once.ts";

/**
 * Unicode categories of what could move a cursor, break a line, turn the direction or stay unseen: controls,
 * formats (zero width, direction overrides), line and paragraph separators, lone surrogates. Made when
 * the first text asks for it: the runtime takes a tenth of a millisecond for the sets of Unicode.
 */
const unsafe = once(() => /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu);

/** Texts that have none of them, as nearly all are: a class without Unicode is looked through far faster. */
const SAFE = /^[\x20-\x7e]*$/;

/** Escapes what is unsafe to show (`\n`, `\x1b`, `\u202e`) and cuts after `limit` characters with `…`. */
export function printable(text: string, limit = 200): string {
  const cut = text.length > limit
    ? `${text.slice(0, limit).replace(/[\ud800-\udbff]$/, "")}…`
    : text;
  return SAFE.test(cut) ? cut : cut.replace(unsafe(), escapeCharacter);
}

/** Of {@linkcode unsafe} what has its place in a text of several lines. */
const unsafeInText = once(() => /(?![\n\t])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu);
const SAFE_TEXT = /^[\x20-\x7e\n\t]*$/;

/**
 * As {@linkcode printable}, whole, with its tabs and line feeds: nothing in it steers a terminal (CVE-2003-0063 and its
 * kin), turns the direction of what follows (CVE-2021-42574), or breaks a line otherwise. Line ends of Windows become
 * plain ones.
 */
export function printableText(text: string): string {
  if (SAFE_TEXT.test(text)) return text;
  return text.replaceAll("\r\n", "\n").replace(unsafeInText(), escapeCharacter);
}

/** Every text in plain data made safe by {@linkcode printableText}, names of members included. */
export function printableData(value: unknown): unknown {
  if (typeof value === "string") return printableText(value);
  if (Array.isArray(value)) return value.map(printableData);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [printableText(name), printableData(member)]),
  );
}

/** {@linkcode printable} in double quotes, inner ones escaped. */
export function quoted(text: string, limit = 60): string {
  return `"${printable(text, limit).replaceAll('"', '\\"')}"`;
}

function escapeCharacter(character: string): string {
  switch (character) {
    case "\n":
      return "\\n";
    case "\r":
      return "\\r";
    case "\t":
      return "\\t";
  }
  if (isEscapedName(character)) return shownName(character);
  const code = character.codePointAt(0) ?? 0;
  const digits = code.toString(16);
  if (code < 0x100) return `\\x${digits.padStart(2, "0")}`;
  return code < 0x10000 ? `\\u${digits.padStart(4, "0")}` : `\\u{${digits}}`;
}
