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

/** Signs of two that mean something else than each alone: behind each first one the second ones. */
const PAIRS: Readonly<Record<string, string>> = {
  ":": ":",
  "-": ">-=",
  "+": "+=",
  "&": "&=",
  "|": "|=",
  "=": "=",
  "!": "=",
  "<": "=",
  ">": "=",
  "*": "=",
  "/": "=",
  "^": "=",
};

/** Tokens between two pauses: some milliseconds. */
export const PAUSE = 1 << 12;

const SLASH = 47;
const STAR = 42;
const HASH = 35;
const BACKSLASH = 92;
const LINE_FEED = 10;
const DOT = 46;
const QUOTES = [34, 39];

/** What each unit below 128 may stand in or begin: found by a number, since each token asks. */
const BEGINS_WORD = 1;
const IN_WORD = 2;
const DIGIT = 4;
const UNITS = Uint8Array.from({ length: 128 }, (_, unit) => {
  const sign = String.fromCharCode(unit);
  if (/\d/.test(sign)) return IN_WORD | DIGIT;
  return /[\w$]/.test(sign) ? BEGINS_WORD | IN_WORD : 0;
});

/** Letters with which what precedes a raw string begins. */
const RAW_BEGINS = "RuUL";

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
    const comment = unit === SLASH ? endOfComment(text, at) : at;
    if (comment > at) {
      at = pass(at, comment);
      continue;
    }
    const token = tokenAt(text, at, { line, beginsLine });
    if (found.push(token) % PAUSE === 0) pause();
    if (found.length > MOST) return [];
    at = token.type >= TOKEN.literal ? pass(at, token.end) : token.end;
    beginsLine = false;
  }
  return found;
}

function tokenAt(
  text: string,
  start: number,
  { line, beginsLine }: { readonly line: number; readonly beginsLine: boolean },
): Token {
  const unit = text.charCodeAt(start);
  const type = UNITS[unit] ?? BEGINS_WORD;
  if ((type & BEGINS_WORD) !== 0) {
    const raw = RAW_BEGINS.includes(text[start] as string) ? matched(RAW, text, start) : null;
    if (raw !== null) {
      const close = `)${raw[1]}"`;
      const end = text.indexOf(close, start);
      return literal(text, start, end < 0 ? text.length : end + close.length, line);
    }
    const end = endOfWord(text, start);
    if (end > start) return { type: TOKEN.word, text: text.slice(start, end), start, end, line };
  }
  const directive = unit === HASH && beginsLine ? matched(DIRECTIVE, text, start) : null;
  if (directive !== null) {
    const end = endOfLogicalLine(text, start);
    return { type: TOKEN.directive, text: directive[1] ?? "", start, end, line };
  }
  if (QUOTES.includes(unit)) return literal(text, start, endOfString(text, start), line);
  const number = (type & DIGIT) !== 0 || unit === DOT ? matched(NUMBER, text, start) : null;
  if (number !== null) return literal(text, start, start + number[0].length, line);
  const first = text[start] as string;
  const seconds = PAIRS[first] ?? "";
  const end = start + (seconds !== "" && seconds.includes(text[start + 1] ?? " ") ? 2 : 1);
  return { type: TOKEN.sign, text: text.slice(start, end), start, end, line };
}

/** The end of a word that begins here; the same place where none does. */
function endOfWord(text: string, start: number): number {
  let at = start;
  while (((UNITS[text.charCodeAt(at)] ?? 0) & IN_WORD) !== 0) at++;
  if (!(text.charCodeAt(at) >= 128)) return at;
  return start + (matched(WORD, text, start)?.[0].length ?? at - start);
}

function matched(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at;
  return pattern.exec(text);
}

function literal(text: string, start: number, end: number, line: number): Token {
  const sign = text.slice(start, Math.min(end, start + 1));
  return { type: TOKEN.literal, text: sign, start, end, line };
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
