/** Shell patterns (POSIX.1-2024, Shell Command Language, 2.14): compiled once, matched in bounded time. */

import { ToolError } from "../../../../core/errors.ts";

/** Decides about one character. */
export type Test = (character: string) => boolean;
const STAR = Symbol("*");
type Token = Test | typeof STAR;

/** A pattern of file names in one directory. */
export interface Pattern {
  matches(text: string): boolean;
  /** Begins with a dot that is one: only then names that begin so are meant. */
  readonly dotted: boolean;
}

/** Before a character that is to be plain. */
export function escapePattern(text: string): string {
  return text.replace(/[\\*?[\]!^-]/g, "\\$&");
}

/** Whether the text holds something that could be expanded; what stands behind a backslash does not count. */
export function isPattern(text: string): boolean {
  const active = text.replace(/\\./gsu, "");
  return /[*?]|\[.*\]/su.test(active);
}

/** The text of a pattern that is none. */
export function plainOf(pattern: string): string {
  return pattern.replace(/\\(.)/gsu, "$1");
}

/** `*`, `?`, `[…]` with ranges, `!` or `^`, and classes (`[:alpha:]`); a backslash makes the next plain. */
export function compilePattern(pattern: string, ignoresCase = false): Pattern {
  if (ignoresCase) {
    const { matches, dotted } = compilePattern(pattern.toLowerCase());
    return { matches: (text) => matches(text.toLowerCase()), dotted };
  }
  const characters = [...pattern];
  const tokens: Token[] = [];
  for (let at = 0; at < characters.length; at++) {
    const character = characters[at] as string;
    if (character === "*") {
      if (tokens.at(-1) !== STAR) tokens.push(STAR);
    } else if (character === "?") tokens.push(() => true);
    else if (character === "[") {
      const set = readSet(characters, at);
      if (set === null) tokens.push(only("["));
      else {
        tokens.push(set.test);
        at = set.end;
      }
    } else if (character === "\\" && at + 1 < characters.length) {
      tokens.push(only(characters[++at] as string));
    } else tokens.push(only(character));
  }
  return {
    matches: (text) => matchTokens(tokens, [...text]),
    dotted: characters[0] === "." || (characters[0] === "\\" && characters[1] === "."),
  };
}

/** That character and no other. */
export function only(character: string): Test {
  return (other) => other === character;
}

/** Greedy from the last star only: one star's choice never needs to be taken back for the sake of another. */
function matchTokens(tokens: readonly Token[], text: readonly string[]): boolean {
  let token = 0;
  let at = 0;
  let star = -1;
  let mark = 0;
  while (at < text.length) {
    const current = tokens[token];
    if (current === STAR) {
      star = token++;
      mark = at;
    } else if (current !== undefined && current(text[at] as string)) {
      token++;
      at++;
    } else if (star !== -1) {
      token = star + 1;
      at = ++mark;
    } else return false;
  }
  while (tokens[token] === STAR) token++;
  return token === tokens.length;
}

/** ASCII, as in the C locale. */
const CLASSES: Readonly<Record<string, RegExp>> = {
  alnum: /^[A-Za-z0-9]$/,
  alpha: /^[A-Za-z]$/,
  blank: /^[ \t]$/,
  // deno-lint-ignore no-control-regex
  cntrl: /^[\x00-\x1f\x7f]$/,
  digit: /^[0-9]$/,
  graph: /^[!-~]$/,
  lower: /^[a-z]$/,
  print: /^[ -~]$/,
  punct: /^[!-/:-@[-`{-~]$/,
  space: /^[ \t-\r]$/,
  upper: /^[A-Z]$/,
  xdigit: /^[0-9A-Fa-f]$/,
};

/** From the `[` at `start`; null where no `]` closes it, which makes it plain. */
export function readSet(
  characters: readonly string[],
  start: number,
): { readonly test: Test; readonly end: number } | null {
  const tests: Test[] = [];
  let at = start + 1;
  const negated = characters[at] === "!" || characters[at] === "^";
  if (negated) at++;
  /** One character of the set, `\` taken away. */
  const next = (): string | undefined => characters[characters[at] === "\\" ? ++at : at];
  for (let first = true;; first = false, at++) {
    const character = characters[at];
    if (character === undefined || character === "/") return null;
    if (character === "]" && !first) break;
    const named = character === "[" && characters[at + 1] === ":"
      ? /^\[:([a-z]+):\]/.exec(characters.slice(at, at + 12).join(""))
      : null;
    const expression = named === null ? undefined : CLASSES[named[1] ?? ""];
    if (named !== null && expression !== undefined) {
      tests.push((one) => expression.test(one));
      at += named[0].length - 1;
      continue;
    }
    const low = next();
    if (low === undefined) return null;
    if (
      characters[at + 1] === "-" && characters[at + 2] !== "]" && characters[at + 2] !== undefined
    ) {
      at += 2;
      const high = next();
      if (high === undefined) return null;
      const [from, to] = [low.codePointAt(0) as number, high.codePointAt(0) as number];
      tests.push((one) => {
        const code = one.codePointAt(0) as number;
        return code >= from && code <= to;
      });
    } else tests.push(only(low));
  }
  return { test: (one) => tests.some((test) => test(one)) !== negated, end: at };
}

/** What is left of the text without its shortest or longest beginning, or end, that the pattern matches. */
export function removeMatch(text: string, pattern: string, operator: string): string {
  const { matches } = compilePattern(pattern);
  const characters = [...text];
  const count = characters.length;
  const fromStart = operator.startsWith("#");
  const longest = operator.length === 2;
  for (let step = 0; step <= count; step++) {
    const length = longest ? count - step : step;
    const cut = fromStart ? length : count - length;
    const [before, after] = [characters.slice(0, cut).join(""), characters.slice(cut).join("")];
    if (matches(fromStart ? before : after)) return fromStart ? after : before;
  }
  return text;
}

/**
 * The text with what the pattern matches replaced: the first (`/`), all (`//`), at the beginning (`/#`) or at the end
 * (`/%`), the longest each time. In `replacement` null stands for what matched.
 */
export function replaceMatches(
  text: string,
  pattern: string,
  replacement: readonly (string | null)[],
  where: "/" | "//" | "/#" | "/%",
): string {
  if (pattern === "" && where !== "/#" && where !== "/%") return text;
  const { matches } = compilePattern(pattern);
  const characters = [...text];
  const count = characters.length;
  const part = (from: number, to: number): string => characters.slice(from, to).join("");
  const filled = (match: string): string => replacement.map((one) => one ?? match).join("");
  if (where === "/%") {
    for (let from = 0; from <= count; from++) {
      if (matches(part(from, count))) return part(0, from) + filled(part(from, count));
    }
    return text;
  }
  // What is fixed in the pattern must be there: what is long is not looked through for nothing.
  const plain = isPattern(pattern) ? null : [...plainOf(pattern)].length;
  const longest = (from: number): number => {
    if (plain !== null) return matches(part(from, from + plain)) ? from + plain : -1;
    for (let to = count; to >= from; to--) if (matches(part(from, to))) return to;
    return -1;
  };
  if (plain === null && count > MOST_REPLACED) {
    throw new ToolError(
      "RESOURCE_LIMIT",
      `a text of ${count} characters is longer than the ${MOST_REPLACED} in which patterns are replaced`,
    );
  }
  let done = "";
  for (let at = 0; at <= count;) {
    const end = longest(at);
    if (end === -1 || (end === at && at === count && count > 0)) {
      if (where === "/#") return text;
      done += part(at, at + 1);
      at++;
      continue;
    }
    done += filled(part(at, end));
    if (where !== "//") return done + part(end, count);
    // An empty match moves on by a character.
    if (end === at) done += part(at, at + 1);
    at = Math.max(end, at + 1);
  }
  return done;
}

/** Each place is held against each end. */
const MOST_REPLACED = 2_000;
