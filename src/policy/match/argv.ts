/** Command patterns of the policy: argv prefixes, token by token; parsing and matching one pattern. */

import { BraceError, expandBraces } from "../../core/braces.ts";
import { matchesText, parseText, type TextPattern } from "./text_pattern.ts";

const MAX_LENGTH = 4096;
const QUOTING = /['"\\]/;

/** A command pattern that means nothing, with what would be right. The message does not repeat the pattern. */
export class PatternError extends Error {
  override readonly name = "PatternError";
}

/** One token: the plain texts and the patterns with `*` it stands for. */
export interface TokenPattern {
  readonly literals: ReadonlySet<string>;
  readonly wild: readonly TextPattern[];
  /** The token is `*` alone: any one token. */
  readonly any: boolean;
}

/** A parsed pattern. `tokens[0]` stands for the program. */
export interface CommandPattern {
  readonly source: string;
  readonly tokens: readonly TokenPattern[];
}

/**
 * Parses a pattern: tokens split at blanks, `*` and `{a,b}` within a token, `'…'` and `"…"` group and make
 * what they hold plain, `\` makes the next character plain. Throws {@linkcode PatternError}.
 */
export function parseCommandPattern(text: string): CommandPattern {
  return { source: text, tokens: splitQuoted(text).map(parseToken) };
}

/** The first token of such a pattern: what comes behind it is not looked at. Throws {@linkcode PatternError}. */
export function parseProgramPattern(text: string): TokenPattern {
  const [first = ""] = QUOTING.test(text) ? splitQuoted(text) : text.trim().split(/\s/, 1);
  return parseToken(first);
}

/** The words of a command given as an example, split and unquoted as patterns are. Throws {@linkcode PatternError}. */
export function splitCommand(text: string): readonly string[] {
  return splitQuoted(text).map((token) => token.replace(/\\([\s\S])/g, "$1"));
}

/**
 * Whether the pattern is a prefix of the argv (all of it with `exact`), as the tokens are written: what
 * examples are checked by. `names`: other names of the program that `argv[0]` may go by.
 */
export function matchesCommand(
  pattern: CommandPattern,
  argv: readonly string[],
  options: { readonly exact: boolean; readonly names?: readonly string[] },
): boolean {
  const [program] = pattern.tokens;
  if (program === undefined || argv.length === 0) return false;
  const names = [argv[0]!, ...(options.names ?? [])];
  return names.some((name) => matchesToken(program, name)) &&
    matchesArguments(pattern, argv, 1, options.exact);
}

/** Whether the tokens after the program are a prefix of `argv` from index `from` on (all of it with `exact`). */
export function matchesArguments(
  pattern: CommandPattern,
  argv: readonly string[],
  from: number,
  exact: boolean,
): boolean {
  const { tokens } = pattern;
  const count = tokens.length - 1;
  const given = argv.length - from;
  if (exact ? given !== count : given < count) return false;
  for (let index = 0; index < count; index++) {
    if (!matchesToken(tokens[index + 1]!, argv[from + index]!)) return false;
  }
  return true;
}

/** Whether one token of an argv matches. */
export function matchesToken(token: TokenPattern, text: string): boolean {
  return token.any || token.literals.has(text) ||
    token.wild.some((pattern) => matchesText(pattern, text));
}

function parseToken(token: string): TokenPattern {
  const literals = new Set<string>();
  const wild: TextPattern[] = [];
  let alternatives: string[];
  try {
    alternatives = expandBraces(token, { classes: false });
  } catch (error) {
    if (error instanceof BraceError) throw new PatternError(error.message);
    throw error;
  }
  for (const alternative of alternatives) {
    const parsed = parseText(alternative);
    if (typeof parsed === "string") literals.add(parsed);
    else wild.push(parsed);
  }
  return { literals, wild, any: wild.some((pattern) => pattern.any) };
}

/** The tokens of a text; a character that quotes or a backslash made plain has a backslash before it. */
function splitQuoted(text: string): string[] {
  if (text.trim() === "") {
    throw new PatternError("is empty; write the program, or * for any program");
  }
  if (text.includes("\0")) throw new PatternError("holds a NUL character");
  if (text.length > MAX_LENGTH) throw new PatternError(`is longer than ${MAX_LENGTH} characters`);
  if (!QUOTING.test(text)) return text.trim().split(/\s+/);
  const tokens: string[] = [];
  let token: string | null = null;
  let quote: "'" | '"' | null = null;
  for (let at = 0; at < text.length; at++) {
    const character = text[at]!;
    if (quote !== null) {
      if (character === quote) quote = null;
      else if (character === "\\" && quote === '"' && '"\\'.includes(text[at + 1] ?? " ")) {
        token += "\\" + text[++at];
      } else token += "\\" + character;
    } else if (character === "'" || character === '"') {
      quote = character;
      token ??= "";
    } else if (character === "\\") {
      if (at + 1 >= text.length) throw new PatternError("ends in a lone backslash");
      token = (token ?? "") + "\\" + text[++at];
    } else if (/\s/.test(character)) {
      if (token !== null) tokens.push(token);
      token = null;
    } else {
      token = (token ?? "") + character;
    }
  }
  if (quote !== null) throw new PatternError(`${quote} is not closed`);
  if (token !== null) tokens.push(token);
  if (tokens[0] === "") throw new PatternError("names no program; '' is none");
  return tokens;
}
