/** Backslashes in the arguments of `echo -e` and `printf` (bash(1), SHELL BUILTIN COMMANDS). */

import { joinedNameBytes } from "../../../../core/name_text.ts";
import { joinedBytes } from "../../../../core/bytes.ts";
import { ToolError } from "../../../../core/errors.ts";
import { ESCAPES } from "../../../../shell/words/escapes.ts";

/**
 * What stands at the backslash: text, or a byte; "end" for `\c`; null where the backslash stands for itself. `of`: the
 * format of printf has octal digits without a 0 and quotes beside, what `%b` and `echo -e` read a 0 before them.
 */
export function readEscape(
  text: string,
  at: number,
  of: "echo" | "format" | "b",
): { readonly value: string | number; readonly end: number } | "end" | null {
  const next = text[at + 1] ?? "";
  if (next === "c" && of !== "format") return "end";
  const letter = ESCAPES[next];
  if (letter !== undefined) return { value: letter, end: at + 2 };
  if (of === "format" && /["'?]/.test(next)) return { value: next, end: at + 2 };
  const ahead = text.slice(at + 1, at + 10);
  const octal =
    (of === "echo"
      ? /^0[0-7]{0,3}/
      : of === "b"
      ? /^(?:0[0-7]{0,3}|[1-7][0-7]{0,2})/
      : /^[0-7]{1,3}/)
      .exec(ahead)?.[0];
  if (octal !== undefined) {
    return { value: parseInt(octal, 8) & 0xff, end: at + 1 + octal.length };
  }
  const hex = /^x[0-9A-Fa-f]{1,2}/.exec(ahead)?.[0];
  if (hex !== undefined) return { value: parseInt(hex.slice(1), 16), end: at + 1 + hex.length };
  const code = /^(?:u[0-9A-Fa-f]{1,4}|U[0-9A-Fa-f]{1,8})/.exec(ahead)?.[0];
  if (code !== undefined) {
    const point = parseInt(code.slice(1), 16);
    // What stands beyond ASCII hangs on the locale.
    if (point >= 0x80) {
      throw new ToolError(
        "COMMAND_UNPARSABLE",
        `\\${code} is written as the locale has it: put the character itself`,
      );
    }
    return { value: String.fromCharCode(point), end: at + 1 + code.length };
  }
  return null;
}

/** Text and single bytes, put together. */
export class Bytes {
  readonly #parts: Uint8Array[] = [];

  text(text: string): void {
    if (text !== "") this.#parts.push(joinedNameBytes(text));
  }

  add(value: string | number): void {
    if (typeof value === "string") this.text(value);
    else this.#parts.push(Uint8Array.of(value));
  }

  raw(bytes: Uint8Array): void {
    this.#parts.push(bytes);
  }

  done(): Uint8Array {
    return joinedBytes(this.#parts);
  }
}
