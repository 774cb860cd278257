/** POSIX extended regular expressions (regcomp(3), as `[[ =~ ]]` has them) as JavaScript's. */

import { ToolError } from "../../../core/errors.ts";

const CLASSES: Readonly<Record<string, string>> = {
  alnum: "A-Za-z0-9",
  alpha: "A-Za-z",
  blank: " \\t",
  cntrl: "\\x00-\\x1f\\x7f",
  digit: "0-9",
  graph: "!-~",
  lower: "a-z",
  print: " -~",
  punct: "!-\\/:-@\\[-`{-~",
  space: "\\t-\\r ",
  upper: "A-Z",
  xdigit: "0-9A-Fa-f",
};

/** The longest text that one is held against: V8 takes some in steps that grow with the square of it. */
const LONGEST = 100_000;

/**
 * What it matches of the text, its parts behind it; `undefined` for those that took no part. `certain`: whether the two
 * languages surely agree on the parts. Throws COMMAND_UNPARSABLE for what means something else here, or is no expression.
 */
export function matchExtended(
  expression: string,
  text: string,
  ignoresCase: boolean,
): { readonly parts: readonly string[] | null; readonly certain: boolean } {
  if (text.length > LONGEST) throw refused(`a text of more than ${LONGEST} characters`);
  let pattern: RegExp;
  try {
    pattern = new RegExp(translated(expression), `su${ignoresCase ? "i" : ""}`);
  } catch (error) {
    if (error instanceof SyntaxError) throw refused("it is none that is known here");
    throw error;
  }
  const found = pattern.exec(text);
  // The C library takes the longest alternative, and of a repeated part what it matched last.
  const certain = !/\||\)[*+?{]/.test(expression);
  return { parts: found === null ? null : found.map((one) => one ?? ""), certain };
}

function translated(expression: string): string {
  let out = "";
  let groups = 0;
  for (let at = 0; at < expression.length; at++) {
    const rest = expression.slice(at);
    const character = expression[at]!;
    switch (character) {
      case "[": {
        const { text, length } = bracket(rest);
        out += text;
        at += length - 1;
        break;
      }
      case "\\": {
        const next = expression[at + 1] ?? "";
        if (/[wWsSbB]/.test(next)) out += `\\${next}`;
        else if (/[A-Za-z0-9<>'`]/.test(next) || next === "") throw refused(`\\${next} in it`);
        else out += escaped(next);
        at++;
        break;
      }
      case "{": {
        const count = /^\{(?:[0-9]{1,3},?|[0-9]{1,3},[0-9]{1,3})\}/.exec(rest)?.[0];
        if (count === undefined || !isRepeatable(out)) throw refused("a { that counts nothing");
        out += count;
        at += count.length - 1;
        break;
      }
      case "*":
      case "+":
      case "?":
        if (!isRepeatable(out)) throw refused(`a ${character} that repeats nothing`);
        out += character;
        break;
      case "(":
        groups++;
        out += "(";
        break;
      case ")":
        if (groups-- === 0) throw refused("a ) without its (");
        out += ")";
        break;
      case "|":
      case "^":
      case "$":
      case ".":
        out += character;
        break;
      default:
        out += escaped(character);
    }
  }
  return out;
}

function isRepeatable(before: string): boolean {
  return before !== "" && !/(?:^|[^\\])[(|^*+?]$|(?:^|[^\\])\{[0-9,]*\}$/.test(before);
}

/** A bracket expression (regex(7)): a backslash in it is one. */
function bracket(rest: string): { readonly text: string; readonly length: number } {
  const found = /^\[(\^?)(\]?(?:\[:[a-z]+:\]|\[(?![:.=])|[^\]\[])*)\]/.exec(rest);
  if (found === null) throw refused("a [ of a form that is not known");
  const [whole, negated, inner = ""] = found;
  let text = "";
  for (let at = 0; at < inner.length;) {
    const [named, name = ""] = /^\[:([a-z]+):\]/.exec(inner.slice(at)) ?? [];
    if (named !== undefined) {
      const set = CLASSES[name];
      if (set === undefined) throw refused(`the class ${named}`);
      text += set;
      at += named.length;
      continue;
    }
    const [low = "", high] = [inner[at], inner[at + 1] === "-" ? inner[at + 2] : undefined];
    if (high === undefined) {
      text += inClass(low);
      at++;
      continue;
    }
    if (high < low || /[^\0-\x7f]/.test(low + high)) {
      throw refused("a range that hangs on the locale");
    }
    text += `${inClass(low)}-${inClass(high)}`;
    at += 3;
  }
  return { text: `[${negated}${text}]`, length: whole.length };
}

function inClass(character: string): string {
  return /[\\\]\[^-]/.test(character) ? `\\${character}` : character;
}

/** A character that means itself. */
export function escaped(character: string): string {
  return /[\\^$.*+?()[\]{}|/]/.test(character) ? `\\${character}` : character;
}

function refused(what: string): ToolError {
  return new ToolError(
    "COMMAND_UNPARSABLE",
    `a regular expression was not matched: ${what}; use grep -E`,
  );
}
