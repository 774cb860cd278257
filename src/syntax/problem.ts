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

/** The longest piece of a line that is shown, in characters. */
const SHOWN = 120;

/** The problem at an offset in UTF-16 code units. */
export function problemAt(text: string, offset: number, message: string): SyntaxProblem {
  let line = 1;
  let start = 0;
  for (let end = text.indexOf("\n"); end !== -1 && end < offset; end = text.indexOf("\n", start)) {
    line++;
    start = end + 1;
  }
  return { line, column: countCharacters(text, start, offset) + 1, message };
}

/** The problem at a line from 1 and an index in its UTF-16 code units from 0. */
export function problemOnLine(
  text: string,
  line: number,
  index: number,
  message: string,
): SyntaxProblem {
  return { line, column: countCharacters(lineOf(text, line), 0, Math.max(0, index)) + 1, message };
}

/** What cannot be judged is refused: the caller decides whether to write it unjudged. */
export function notJudged(message: string): SyntaxProblem {
  return { line: 1, column: 1, message };
}

/** Where the stack of a recursive parser ends. */
export const TOO_DEEP: SyntaxProblem = notJudged("it is nested too deeply to be judged");

/** Where a parser throws what it does not throw for errors of syntax. */
export const PARSER_FAILS: SyntaxProblem = notJudged(
  "the parser fails on it, so that it cannot be judged",
);

/** SYNTAX_INVALID with the line and a caret below it; `details` has line, column and the line's text. */
export function syntaxError(path: string, text: string, problem: SyntaxProblem): ToolError {
  const { line, column, message } = problem;
  const from = Math.max(0, column - 1 - SHOWN / 2);
  const shown = visible(charactersOf(lineOf(text, line), from, SHOWN));
  const caret = " ".repeat(column - 1 - from) + "^";
  return new ToolError(
    "SYNTAX_INVALID",
    `${path}:${line}:${column}: ${message}\n${shown}\n${caret}\n` +
      "Nothing was written; validate_syntax: false skips this check",
    { details: { line, column, text: shown } },
  );
}

function lineOf(text: string, line: number): string {
  let start = 0;
  for (let skipped = 1; skipped < line; skipped++) {
    const end = text.indexOf("\n", start);
    if (end === -1) return "";
    start = end + 1;
  }
  const end = text.indexOf("\n", start);
  return text.slice(start, end === -1 ? text.length : end).replace(/\r$/, "");
}

/** Characters between two offsets in code units: a pair of surrogates is one. */
function countCharacters(text: string, from: number, to: number): number {
  const end = Math.min(to, text.length);
  let count = 0;
  for (let at = from; at < end; at += widthAt(text, at)) count++;
  return count;
}

function charactersOf(text: string, from: number, count: number): string {
  let start = 0;
  for (let skipped = 0; skipped < from && start < text.length; skipped++) {
    start += widthAt(text, start);
  }
  let end = start;
  for (let taken = 0; taken < count && end < text.length; taken++) end += widthAt(text, end);
  return text.slice(start, end);
}

function widthAt(text: string, at: number): 1 | 2 {
  return (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1;
}

/** One character for one: the caret below counts them. */
function visible(line: string): string {
  return Array.from(
    line,
    (character) =>
      character === "\t" ? " " : printable(character) === character ? character : "\ufffd",
  ).join("");
}

/** Of two readings of a text what is wrong with it, told by the one that came further; null where either is well. */
export function furtherOf(
  one: SyntaxProblem | null,
  other: SyntaxProblem | null,
): SyntaxProblem | null {
  if (one === null || other === null) return null;
  const isFurther = one.line > other.line ||
    (one.line === other.line && one.column >= other.column);
  return isFurther ? one : other;
}
