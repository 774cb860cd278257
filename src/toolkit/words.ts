/** Words of a request as words of a command: what names a file must never become an option or an address. */

import { ToolError } from "../core/errors.ts";
import { quoted } from "../core/printable.ts";

/** A path as an argument, without its description. */
/**
 * A file or folder as an argument. Programs take `-x` for an option, `@x` for a file of options, `!x` for a
 * negation and `https://x` or `npm:x` for what is elsewhere; behind `./` each of them is a file.
 */
export function operand(path: string): string {
  const plain = /^[\p{L}\p{N}_./]/u.test(path) && !(path.split("/")[0] ?? "").includes(":");
  return plain ? path : `./${path}`;
}

/** Whether a shell takes every word as it is: for programs that hand their arguments to one (npm, npx). */
export function survivesShell(words: readonly string[]): boolean {
  return words.every((word) => /^[\w@%+=:,./-]+$/.test(word));
}

/** Throws INVALID_ARGUMENTS for what no program can be given: execve(2) ends strings at a NUL. */
export function checkWord(place: string, word: string): void {
  if (word.includes("\0")) {
    throw invalid(place, "holds a NUL character, which ends a string");
  }
  if (!word.isWellFormed()) throw invalid(place, "holds half a surrogate pair");
}

/** {@linkcode checkWord} for each, and no empty one. */
export function checkWords(place: string, words: readonly string[] = []): void {
  words.forEach((word, index) => checkWord(`${place}[${index}]`, word));
}

/** INVALID_ARGUMENTS at this place of the arguments (`edits[0].old`). */
export function invalid(place: string, what: string): ToolError {
  return new ToolError("INVALID_ARGUMENTS", `${place}: ${what}`);
}

/** A word as one would type it, for people to read. */
export function typed(words: readonly string[]): string {
  return words.map((word) => /^[\w@%+=:,./^-]+$/.test(word) ? word : quoted(word, 120)).join(" ");
}
