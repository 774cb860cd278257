/** Text between `$'` and `'` (bash(1), QUOTING; POSIX.1-2024, 2.2.4). */

import { Refused } from "../_constructs.ts";
import { ESCAPES } from "./escapes.ts";

/** What `$'…'` has beside them. */
const LETTERS: Readonly<Record<string, string>> = { ...ESCAPES, "'": "'", '"': '"', "?": "?" };

/**
 * The text of the `$'…'` at `start`, and where it ends. Bytes above 127 and NUL are refused: what they make of
 * text hangs on the locale, or ends it.
 */
export function ansiText(
  source: string,
  start: number,
  end: number,
): { readonly text: string; readonly end: number } {
  let text = "";
  let at = start + 2;
  while (at < end) {
    const character = source[at]!;
    if (character === "'") return { text, end: at + 1 };
    if (character !== "\\") {
      text += character;
      at++;
      continue;
    }
    const plain = LETTERS[source[at + 1] ?? ""];
    if (plain !== undefined) {
      text += plain;
      at += 2;
      continue;
    }
    const ahead = source.slice(at, Math.min(end, at + 10));
    const found =
      /^\\x([0-9A-Fa-f]{1,2})|^\\([0-7]{1,3})|^\\u([0-9A-Fa-f]{1,4})|^\\U([0-9A-Fa-f]{1,8})/
        .exec(ahead);
    if (found === null) throw new Refused("escape", at);
    const [whole, hex, octal, short, long] = found;
    const code = octal === undefined
      ? parseInt(hex ?? short ?? long ?? "", 16)
      : parseInt(octal, 8);
    const byte = hex !== undefined || octal !== undefined;
    const isText = code > 0 &&
      (byte ? code < 0x80 : code <= 0x10ffff && !(code >= 0xd800 && code < 0xe000));
    if (!isText) throw new Refused("escape", at);
    text += String.fromCodePoint(code);
    at += whole.length;
  }
  throw new Refused("quote", start);
}
