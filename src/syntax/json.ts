/** Judges JSON (RFC 8259) as `JSON.parse` does, and says where it goes wrong. */

import { problemAt, type SyntaxProblem } from "./problem.ts";

/** What may come next. */
type Expectation =
  | "value"
  | "value or ]"
  | "key or }"
  | "key"
  | "colon"
  | ", or ]"
  | ", or }"
  | "end";

const NUMBER = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y;
const ESCAPE = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;
const WORD = /true|false|null/y;
const BLANK = /[ \t\n\r]*/y;

/** Null for valid JSON (RFC 8259, as `JSON.parse` takes it); else the first problem. */
export function checkJson(text: string): SyntaxProblem | null {
  try {
    JSON.parse(text);
    return null;
  } catch {
    return locate(text);
  }
}

/** The first place where the grammar is left. Without recursion: no nesting is too deep. */
function locate(text: string): SyntaxProblem | null {
  const open: ("[" | "{")[] = [];
  let expected: Expectation = "value";
  let at = 0;

  const afterValue = (): Expectation => {
    const inner = open.at(-1);
    return inner === undefined ? "end" : inner === "[" ? ", or ]" : ", or }";
  };
  for (;;) {
    at = endOf(BLANK, text, at) ?? at;
    const next = text[at];
    if (next === undefined) {
      return expected === "end" ? null : problemAt(text, at, `the text ends; expected ${expected}`);
    }
    let end: number | null = null;
    if (expected === "value" || expected === "value or ]") {
      if (next === "[" || next === "{") {
        open.push(next);
        expected = next === "[" ? "value or ]" : "key or }";
        at++;
        continue;
      }
      if (next === "]" && expected === "value or ]") {
        open.pop();
        expected = afterValue();
        at++;
        continue;
      }
      end = endOfString(text, at) ?? endOf(NUMBER, text, at) ?? endOf(WORD, text, at);
      if (end !== null) expected = afterValue();
    } else if (expected === "key" || expected === "key or }") {
      if (next === "}" && expected === "key or }") {
        open.pop();
        expected = afterValue();
        end = at + 1;
      } else {
        end = endOfString(text, at);
        if (end !== null) expected = "colon";
      }
    } else if (expected === "colon") {
      if (next === ":") {
        end = at + 1;
        expected = "value";
      }
    } else if (expected !== "end") {
      const closing: string = expected === ", or ]" ? "]" : "}";
      if (next === ",") {
        end = at + 1;
        expected = closing === "]" ? "value" : "key";
      } else if (next === closing) {
        open.pop();
        expected = afterValue();
        end = at + 1;
      }
    }
    if (end === null) return unexpected(text, at, expected);
    at = end;
  }
}

function endOf(pattern: RegExp, text: string, at: number): number | null {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : null;
}

function unexpected(text: string, at: number, expected: Expectation): SyntaxProblem {
  const next = String.fromCodePoint(text.codePointAt(at) ?? 0);
  if (next === '"' && expected !== "end") return brokenString(text, at);
  const before = text.slice(0, at).trimEnd();
  const hint = before.endsWith(",") && (next === "]" || next === "}")
    ? "; JSON takes no comma before it"
    : next === "/"
    ? "; JSON has no comments"
    : next === "'"
    ? "; JSON strings stand in double quotes"
    : "";
  return problemAt(text, at, `unexpected ${next}, expected ${expected}${hint}`);
}

/** Where a string goes wrong: a raw control character, a bad escape, or no end. */
function brokenString(text: string, at: number): SyntaxProblem {
  const stop = endOfCharacters(text, at + 1);
  switch (text[stop]) {
    case undefined:
      return problemAt(text, at, "a string without its closing quote");
    case "\\":
      return problemAt(text, stop, "an escape that JSON does not know");
    case '"':
      return problemAt(text, at, "a string where none may stand");
    default:
      return problemAt(text, stop, "a raw control character in a string; escape it");
  }
}

/** Just behind the closing quote of the string that opens at `at`; null where there is no good string. */
function endOfString(text: string, at: number): number | null {
  if (text[at] !== '"') return null;
  const stop = endOfCharacters(text, at + 1);
  return text[stop] === '"' ? stop + 1 : null;
}

/** Where the characters and good escapes of a string end. */
function endOfCharacters(text: string, from: number): number {
  let at = from;
  for (;;) {
    const character = text[at];
    if (character === undefined || character === '"' || character < " ") return at;
    if (character === "\\") {
      const end = endOf(ESCAPE, text, at);
      if (end === null) return at;
      at = end;
    } else at++;
  }
}
