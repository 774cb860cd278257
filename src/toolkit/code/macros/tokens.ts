/** Words, signs and directives of a text that C's preprocessor goes through first: enough to see where macros stand. */

/** What a token is. */
export const TOKEN = { word: 0, sign: 1, literal: 2, directive: 3 } as const;

/** A token of such a text. */
export interface Token {
  readonly type: (typeof TOKEN)[keyof typeof TOKEN];
  /** As it is written; of a directive its word alone: `ifdef`. */
  readonly text: string;
  readonly start: number;
  readonly end: number;
  /** Counted up to where it begins. */
  readonly line: number;
}

const WORD = /[\p{ID_Start}_$][\p{ID_Continue}$]*/uy;
const NUMBER = /\.?\d(?:[eEpP][+-]|[\w.']){0,200}/y;
/** The beginning of a raw string (C++17, 5.13.5). */
const RAW = /(?:u8|[uUL])?R"([^()\\\s]{0,16})\(/y;
const DIRECTIVE = /#[ \t]*([a-z_]*)/y;

/** Signs of two that mean something else than each alone. */
const PAIRS: ReadonlySet<string> = new Set(
  ":: -> && || == != <= >= += -= *= /= |= &= ^= ++ --".split(" "),
);

/** Tokens between two pauses: some milliseconds. */
export const PAUSE = 1 << 12;

const SLASH = 47;
const STAR = 42;
const HASH = 35;
const BACKSLASH = 92;
const LINE_FEED = 10;
const QUOTES = [34, 39];

/** A text of more tokens is no work of people: each takes a hundred bytes. */
const MOST = 400_000;

/**
 * All tokens in their order, without comments; none of a text that has too many. No pattern runs over more than a word:
 * texts may be made to be long. `pause` is called every few thousand, and may throw.
 */
export function tokensOf(text: string, pause: () => void): readonly Token[] {
  const found: Token[] = [];
  let beginsLine = true;
  let line = 0;
  const pass = (start: number, end: number): number => {
    for (let at = start; at < end; at++) if (text.charCodeAt(at) === LINE_FEED) line++;
    return end;
  };
  for (let at = 0; at < text.length;) {
    const unit = text.charCodeAt(at);
    if (unit <= 32 || unit === BACKSLASH || unit === 0xa0 || unit === 0xfeff) {
      if (unit === LINE_FEED) {
        beginsLine = true;
        line++;
      }
      at++;
      continue;
    }
    const comment = endOfComment(text, at);
    if (comment > at) {
      at = pass(at, comment);
      continue;
    }
    const token = { ...tokenAt(text, at, beginsLine), line };
    if (found.push(token) % PAUSE === 0) pause();
    if (found.length > MOST) return [];
    at = token.end - at > 1 && token.type >= TOKEN.literal ? pass(at, token.end) : token.end;
    beginsLine = false;
  }
  return found;
}

function tokenAt(text: string, start: number, beginsLine: boolean): Omit<Token, "line"> {
  const unit = text.charCodeAt(start);
  const directive = unit === HASH && beginsLine ? matched(DIRECTIVE, text, start) : null;
  if (directive !== null) {
    const end = endOfLogicalLine(text, start);
    return { type: TOKEN.directive, text: directive[1] ?? "", start, end };
  }
  const raw = matched(RAW, text, start);
  if (raw !== null) {
    const close = `)${raw[1]}"`;
    const end = text.indexOf(close, start);
    return literal(text, start, end < 0 ? text.length : end + close.length);
  }
  const word = matched(WORD, text, start);
  if (word !== null) {
    return { type: TOKEN.word, text: word[0], start, end: start + word[0].length };
  }
  if (QUOTES.includes(unit)) return literal(text, start, endOfString(text, start));
  const number = matched(NUMBER, text, start);
  if (number !== null) return literal(text, start, start + number[0].length);
  const pair = text.slice(start, start + 2);
  const sign = PAIRS.has(pair) ? pair : text.slice(start, start + 1);
  return { type: TOKEN.sign, text: sign, start, end: start + sign.length };
}

function matched(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at;
  return pattern.exec(text);
}

function literal(text: string, start: number, end: number): Omit<Token, "line"> {
  return { type: TOKEN.literal, text: text.slice(start, Math.min(end, start + 1)), start, end };
}

/** The place behind a comment that begins here; the same place where none does. */
function endOfComment(text: string, at: number): number {
  if (text.charCodeAt(at) !== SLASH) return at;
  const next = text.charCodeAt(at + 1);
  if (next === SLASH) return endOfLogicalLine(text, at + 2, false);
  if (next !== STAR) return at;
  const end = text.indexOf("*/", at + 2);
  return end < 0 ? text.length : end + 2;
}

/** The end of a line that a backslash at its end, or a comment in it, carries on in the next. */
function endOfLogicalLine(text: string, start: number, hasComments = true): number {
  let at = start;
  while (at < text.length) {
    const unit = text.charCodeAt(at);
    if (unit === LINE_FEED) {
      const before = text.charCodeAt(at - 1) === 13 ? at - 2 : at - 1;
      if (text.charCodeAt(before) !== BACKSLASH) return at;
    }
    const comment = hasComments ? endOfComment(text, at) : at;
    at = comment > at ? comment : at + 1;
  }
  return text.length;
}

/** A string or a character ends with its line at the latest. */
function endOfString(text: string, start: number): number {
  const quote = text.charCodeAt(start);
  for (let at = start + 1; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit === BACKSLASH) at++;
    else if (unit === quote) return at + 1;
    else if (unit === LINE_FEED) return at;
  }
  return text.length;
}

/** For each bracket the place of its other half, among the tokens; -1 where it has none. */
export function bracketsOf(tokens: readonly Token[]): Int32Array {
  const partners = new Int32Array(tokens.length).fill(-1);
  const open: number[] = [];
  for (const [at, { type, text }] of tokens.entries()) {
    if (type !== TOKEN.sign) continue;
    if (text === "(" || text === "[" || text === "{") open.push(at);
    else if (text === ")" || text === "]" || text === "}") {
      const partner = open.pop() ?? -1;
      partners[at] = partner;
      if (partner >= 0) partners[partner] = at;
    }
  }
  return partners;
}
