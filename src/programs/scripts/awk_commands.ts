/** The shell lines that a program of awk's would run, as far as it says. */

import { unescaped } from "./awk.ts";
import { OPEN_COMMAND } from "./open_command.ts";

/** A name, from its first letter on. */
const NAME = "\\b([A-Za-z_][A-Za-z0-9_]*)";

/**
 * The shell lines that a program would run: strings that are given to `system` or stand at a pipe, and those that a
 * variable is set to that does; {@linkcode OPEN_COMMAND} for what is put together at run time. `set`: `name=text` of
 * `-v` and among the operands. A string is looked for wherever one may begin, since a quote may stand in a regular
 * expression too.
 */
export function awkCommands(program: string, set: readonly string[]): readonly string[] {
  const ends = stringEnds(program);
  const text = (quote: number): string => joined(program, quote, ends).text;
  const all = (pattern: string) => [...program.matchAll(new RegExp(pattern, "g"))];
  const behind = all('(?:system\\s*\\(|\\|&?)[\\s(]*"').map((match) =>
    text(match.index + match[0].length - 1)
  );
  const before = all('"[\\s)]*\\|&?\\s*getline').map((match) => {
    const start = firstQuote(program, match.index);
    return start === -1 ? "" : text(start);
  });
  const variables = new Set(
    [`system\\s*\\(\\s*${NAME}`, `\\|&?\\s*${NAME}`, `${NAME}\\s*\\|&?\\s*getline`]
      .flatMap((pattern) => all(pattern).map((match) => match[1] ?? "")),
  );
  const assigned = all(`${NAME}\\s*=\\s*"`).filter((match) => variables.has(match[1] ?? ""))
    .map((match) => text(match.index + match[0].length - 1));
  const given = set.flatMap((one) => {
    const equals = one.indexOf("=");
    return variables.has(one.slice(0, equals)) ? [unescaped(one.slice(equals + 1))] : [];
  });
  const told = [...behind, ...before, ...assigned, ...given].filter((command) => command !== "");
  return isOpen(program, ends, set) ? [...told, OPEN_COMMAND] : told;
}

/** Whether some command of the program is more than strings that it says, or than the first word of one. */
function isOpen(program: string, ends: Int32Array, set: readonly string[]): boolean {
  const code = codeOf(program, ends);
  const names = new Set(set.map((one) => one.slice(0, one.indexOf("="))));
  const isTold = (from: number): boolean => {
    const start = skip(code, from, /[\s(]/);
    if (program[start] === '"') {
      const { end, text } = joined(program, start, ends);
      // What is put behind a whole first word are its arguments.
      return endsThere(code, end) || /^\s*[^\s"'$`\\*?[{~]+\s/.test(text);
    }
    const [name = ""] = /^[A-Za-z_]\w*/.exec(code.slice(start, start + LONGEST_NAME)) ?? [];
    return name !== "" && endsThere(code, start + name.length) && isPlain(code, name, names);
  };
  for (const match of program.matchAll(/\bsystem\s*\(/g)) {
    if (!isTold(match.index + match[0].length)) return true;
  }
  for (const match of code.matchAll(/(?<!\|)\|&?(?!\|)/g)) {
    const next = match.index + match[0].length;
    if (!/^\s*getline\b/.test(code.slice(next, next + LONGEST_NAME))) {
      if (!isTold(next)) return true;
    } else if (!isToldBefore(code, match.index, names)) return true;
  }
  return false;
}

/** Letters of a name, with what may stand before it: nobody writes longer ones. */
const LONGEST_NAME = 200;

/** `"text" | getline`, `name | getline`, with what it is the value of before it. */
function isToldBefore(code: string, at: number, names: ReadonlySet<string>): boolean {
  const left = code.slice(Math.max(0, at - MOST_BEFORE), at).replace(/[\s)]+$/, "");
  const string = /(?:^|[{;(,!=&|\n}])[\s(]*(?:"x*"\s*)+$/.test(left);
  if (string) return true;
  const [, name] = /(?:^|[{;(,!=&|\n}]|\bwhile)[\s(]*([A-Za-z_]\w*)$/.exec(left) ?? [];
  return name !== undefined && isPlain(code, name, names);
}

/** Letters before a pipe that are looked at: nobody writes longer commands. */
const MOST_BEFORE = 4_000;

function skip(text: string, from: number, over: RegExp): number {
  let at = from;
  while (over.test(text[at] ?? "")) at++;
  return at;
}

/** Whether an expression ends there. */
function endsThere(code: string, at: number): boolean {
  const next = code[skip(code, at, /[ \t)]/)];
  return next === undefined || /[;}\n|]/.test(next) ||
    code.startsWith("&&", skip(code, at, /[ \t)]/));
}

/** Whether a variable holds nothing but strings that are written out, or what it is set to from outside. */
function isPlain(code: string, name: string, names: ReadonlySet<string>): boolean {
  let assignments = names.has(name) ? 1 : 0;
  for (const { index } of code.matchAll(new RegExp(`\\b${name}\\b`, "g"))) {
    const after = code.slice(index + name.length, index + name.length + MOST_BEFORE);
    if (/^\s*=\s*(?:"x*"\s*)+\s*(?:[;})\n]|$)/.test(after)) assignments++;
    // Its uses: given to system and the like, or at a pipe.
    else if (
      !/(?:\b(?:system|close|fflush)\s*\(|\|&?)[\s(]*$/.test(
        code.slice(Math.max(0, index - LONGEST_NAME), index),
      ) &&
      !/^[\s)]*\|&?\s*getline/.test(after)
    ) return false;
  }
  return assignments > 0;
}

/** The program with letters of strings as `x`, and blanks in place of regular expressions and comments: its length stays. */
function codeOf(program: string, ends: Int32Array): string {
  const parts: string[] = [];
  let before = "";
  for (let at = 0; at < program.length;) {
    const letter = program[at]!;
    const end = letter === '"' ? ends[at + 1] ?? -1 : -1;
    if (end !== -1) {
      parts.push(`"${"x".repeat(end - at - 1)}"`);
      at = end + 1;
      before = '"';
      continue;
    }
    const to = letter === "#"
      ? endOfLine(program, at)
      : letter === "/" && !/[\w)\]"$]/.test(before)
      ? endOfPattern(program, at)
      : -1;
    if (to !== -1) {
      parts.push(" ".repeat(to - at));
      at = to;
      if (letter === "/") before = '"';
      continue;
    }
    if (/\S/.test(letter)) before = letter;
    parts.push(letter);
    at++;
  }
  return parts.join("");
}

function endOfLine(program: string, from: number): number {
  const end = program.indexOf("\n", from);
  return end === -1 ? program.length : end;
}

/** Behind the slash that ends a regular expression; -1 where none does on its line. */
function endOfPattern(program: string, from: number): number {
  for (let at = from + 1; at < program.length && program[at] !== "\n"; at++) {
    if (program[at] === "\\") at++;
    else if (program[at] === "/") return at + 1;
  }
  return -1;
}

/** For each place, where a string that begins there would end; -1 where it does not on its line. */
function stringEnds(program: string): Int32Array {
  const ends = new Int32Array(program.length + 2).fill(-1);
  for (let at = program.length - 1; at >= 0; at--) {
    const letter = program[at];
    if (letter === '"') ends[at] = at;
    else if (letter === "\\") ends[at] = ends[at + 2] ?? -1;
    else if (letter !== "\n") ends[at] = ends[at + 1] ?? -1;
  }
  return ends;
}

/** Strings side by side that are taken together: nobody writes so many. */
const MOST_SIDE_BY_SIDE = 20;

/** The string that begins at a quote, with those that stand right behind it: awk puts them together. `end`: behind the last of them. */
function joined(
  program: string,
  quote: number,
  ends: Int32Array,
): { readonly text: string; readonly end: number } {
  const parts: string[] = [];
  let behind = quote;
  for (let start = quote; parts.length < MOST_SIDE_BY_SIDE;) {
    const end = ends[start + 1] ?? -1;
    if (end === -1) break;
    behind = end + 1;
    parts.push(unescaped(program.slice(start + 1, end)));
    const next = /\s*"/y;
    next.lastIndex = end + 1;
    if (!next.test(program)) break;
    start = next.lastIndex - 1;
  }
  return { text: parts.join(""), end: behind };
}

/** Where the string that ends at that place begins, or the first of those side by side; -1 where none does. */
function firstQuote(program: string, end: number): number {
  let first = -1;
  for (let at = end, count = 0; at > 0 && count < MOST_SIDE_BY_SIDE; count++) {
    const start = lastPlainQuote(program, at - 1);
    if (start === -1) break;
    first = start;
    at = start - 1;
    while (/\s/.test(program[at] ?? "")) at--;
    if (program[at] !== '"') break;
  }
  return first;
}

/** The last quote up to that place that no backslash stands before. */
function lastPlainQuote(program: string, from: number): number {
  for (let at = program.lastIndexOf('"', from); at > 0; at = program.lastIndexOf('"', at - 1)) {
    if (program[at - 1] !== "\\") return at;
  }
  return program.startsWith('"') ? 0 : -1;
}
