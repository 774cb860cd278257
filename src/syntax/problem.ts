/** What a validator answers, and how a person or model is shown it. */

import { ToolError } from "../core/errors.ts";
import { printable } from "../core/printable.ts";

/** The first thing that makes a text no text of its language. Lines and columns count characters from 1. */
export interface SyntaxProblem {
  readonly line: number;
  readonly column: number;
  readonly message: string;
}

/** Judges a whole text; null: it is valid. */
export type Validator = (text: string) => SyntaxProblem | null;

/** The longest piece of a line that is shown. */
const SHOWN = 120;

/** The problem at an offset in UTF-16 code units. */
export function problemAt(text: string, offset: number, message: string): SyntaxProblem {
  const before = text.slice(0, offset);
  const line = before.split("\n").length;
  const column = countCharacters(before.slice(before.lastIndexOf("\n") + 1)) + 1;
  return { line, column, message };
}

/** The problem at a line from 1 and an index in its UTF-16 code units from 0. */
export function problemOnLine(
  text: string,
  line: number,
  index: number,
  message: string,
): SyntaxProblem {
  const column = countCharacters(lineOf(text, line).slice(0, Math.max(0, index))) + 1;
  return { line, column, message };
}

/** SYNTAX_INVALID with the line and a caret below it; `details` has line, column and the line's text. */
export function syntaxError(path: string, text: string, problem: SyntaxProblem): ToolError {
  const { line, column, message } = problem;
  const characters = [...lineOf(text, line)];
  const from = Math.max(0, column - 1 - SHOWN / 2);
  const shown = characters.slice(from, from + SHOWN).join("").replaceAll("\t", " ");
  const caret = " ".repeat(column - 1 - from) + "^";
  return new ToolError(
    "SYNTAX_INVALID",
    `${path}:${line}:${column}: ${message}\n${printable(shown, 2 * SHOWN)}\n${caret}\n` +
      "Nothing was written; validate_syntax: false skips this check",
    { details: { line, column, text: shown } },
  );
}

function lineOf(text: string, line: number): string {
  return (text.split("\n", line)[line - 1] ?? "").replace(/\r$/, "");
}

function countCharacters(text: string): number {
  return [...text].length;
}
