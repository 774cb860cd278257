/** One word of a shell line as POSIX reads it, where it means itself: plain text, quotes and escapes alone. */

import type { Construct, ConstructKind } from "./constructs.ts";

/**
 * What may follow a `$` that stands for itself inside double quotes: nothing that begins an expansion in
 * any shell.
 */
const PLAIN_AFTER_DOLLAR = /^["\s|)/.,:;%&=\]]/;

/** Characters that an unquoted word cannot hold, and what each begins. */
const UNQUOTED: ReadonlyMap<string, ConstructKind> = new Map([
  ["`", "substitution"],
  ["*", "glob"],
  ["?", "glob"],
  ["|", "pipeline"],
  ["&", "list"],
  [";", "list"],
  ["<", "redirection"],
  [">", "redirection"],
  ["(", "compound"],
  [")", "compound"],
  ["\n", "newline"],
]);

/**
 * The value of the word (POSIX.1-2024, Shell Command Language, 2.2), or the first construct in it that a
 * shell would expand or act on. What `sh` and `bash` read differently counts as one.
 */
export function literalWord(text: string): { readonly value: string } | Construct {
  let value = "";
  let at = 0;
  while (at < text.length) {
    const character = text[at] ?? "";
    if (character === "'") {
      const end = text.indexOf("'", at + 1);
      if (end < 0) return { kind: "quote", index: at };
      value += text.slice(at + 1, end);
      at = end + 1;
    } else if (character === '"') {
      const quoted = doubleQuoted(text, at);
      if ("kind" in quoted) return quoted;
      value += quoted.value;
      at = quoted.end;
    } else if (character === "\\") {
      const next = text[at + 1];
      if (next === undefined) return { kind: "escape", index: at };
      // With the newline it vanishes.
      if (next !== "\n") value += next;
      at += 2;
    } else {
      const kind = kindOfUnquoted(text, at);
      if (kind !== null) return { kind, index: at };
      value += character;
      at++;
    }
  }
  return { value };
}

/** From the quote at `start`: inside, a backslash is one only before `$`, backquote, `"`, `\` and newline. */
function doubleQuoted(
  text: string,
  start: number,
): { readonly value: string; readonly end: number } | Construct {
  let value = "";
  for (let at = start + 1; at < text.length; at++) {
    const character = text[at] ?? "";
    const rest = text.slice(at + 1, at + 3);
    if (character === '"') return { value, end: at + 1 };
    if (character === "`") return { kind: "substitution", index: at };
    if (character === "$" && !PLAIN_AFTER_DOLLAR.test(rest)) {
      return { kind: kindOfDollar(rest), index: at };
    }
    if (character === "\\" && /^[$`"\\\n]/.test(rest)) {
      if (rest[0] !== "\n") value += rest[0];
      at++;
    } else value += character;
  }
  return { kind: "quote", index: start };
}

function kindOfDollar(rest: string): ConstructKind {
  if (rest.startsWith("((") || rest.startsWith("[")) return "arithmetic";
  if (rest.startsWith("(")) return "substitution";
  return rest.startsWith("'") || rest.startsWith('"') ? "dialect" : "variable";
}

/** Null where the character stands for itself. */
function kindOfUnquoted(text: string, at: number): ConstructKind | null {
  const character = text[at] ?? "";
  switch (character) {
    case "$":
      return at + 1 === text.length ? null : kindOfDollar(text.slice(at + 1, at + 3));
    case "[":
      return text.includes("]", at) ? "glob" : null;
    case "{":
      return /^\{.*(?:,|\.\.)/s.test(text.slice(at)) ? "brace" : null;
    case "~":
      return at === 0 || "=:".includes(text[at - 1] ?? "") ? "tilde" : null;
    default:
      return UNQUOTED.get(character) ??
        (character < " " || character === "\x7f" ? "control" : null);
  }
}
