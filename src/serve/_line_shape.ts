/** One pass over the bytes of a line, before it is parsed: how much it holds, where its members stand, and its long texts. */

import type { Steps } from "../engine/turns.ts";

/** What is wrong with a line. */
export interface LineProblem {
  readonly problem: string;
}

/** Where a member of an object stands: its name with the quotes, and its value with the blanks around it. */
export interface Member {
  readonly name: number;
  readonly nameEnd: number;
  /** Behind the colon. */
  value: number;
  valueEnd: number;
}

/** A string that is a value: from its first quote to behind its last, and where it can be cut in between. */
export interface LongText {
  readonly start: number;
  readonly end: number;
  /** Behind the first quote, wherever no escape and no letter is cut in two, and before the last quote. */
  readonly cuts: readonly number[];
}

/** What one line holds: right where it is JSON, which parsing tells afterwards. */
export interface LineShape {
  /** Of the value itself, where it is an object; the first few where there are many. */
  readonly members: readonly Member[];
  /** Of the elements that are objects, where it is an array. */
  readonly elements: readonly (readonly Member[])[];
  /** In the order in which they stand. */
  readonly texts: readonly LongText[];
}

/**
 * Values in one line: parsing takes time by their number far more than by their length (100,000 elements: some 30 ms;
 * 16 MiB of `{},`: seconds).
 */
const MOST_VALUES = 100_000;
/** Names in one line: each is looked up and kept, 1 µs. */
const MOST_NAMES = 20_000;
/** Levels of nesting: who goes through a value in turn has a stack. */
const MOST_LEVELS = 500;
/** Members whose places are kept: more than any request has. */
const MOST_MEMBERS = 64;
/** Bytes of a text beyond which it is parsed by itself: 15 MB of shorter ones take 40 ms, whatever is in them. */
const LONG_TEXT = 1 << 14;
/** Bytes of the parts in which a long text is parsed: 3 ms of nothing but escapes. */
const PART = 1 << 20;
/** Bytes that are gone through in one step: some 4 ms. */
const STEP = 1 << 21;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
const LOWER_U = 0x75;
/** Hexadecimal digits behind `\u` (RFC 8259, 7). */
const HEX_DIGITS = 4;
/** Bits that tell a byte within a letter of UTF-8 from its first (RFC 3629, 3). */
const LETTER_BITS = 0xc0;
const WITHIN_LETTER = 0x80;

/** Step by step. Never throws for any bytes. */
export function* shapeOf(bytes: Uint8Array): Steps<LineShape | LineProblem> {
  const members: Member[] = [];
  const elements: Member[][] = [];
  const texts: LongText[] = [];
  let [values, names, depth] = [0, 0, 0];
  /** The outermost bracket. */
  let first = 0;
  /** Whose members are noted now, and at which depth they stand. */
  let noting: Member[] | null = null;
  let level = 0;
  let last: Member | null = null;
  /** The bracket of each level, and the last sign that was no blank and in no string. */
  const brackets: number[] = [0];
  let before = 0;
  const { length } = bytes;
  const endValue = (at: number) => {
    if (last !== null && last.valueEnd === -1) last.valueEnd = at;
    last = null;
  };
  let pause = STEP;
  for (let at = 0; at < length; at++) {
    if (at >= pause) {
      yield;
      pause = at + STEP;
    }
    const byte = bytes[at];
    if (byte === QUOTE) {
      const start = at;
      let cuts: number[] | null = null;
      let cut = at + 1 + PART;
      for (at++; at < length; at++) {
        const inner = bytes[at] as number;
        if (at >= cut && (inner & LETTER_BITS) !== WITHIN_LETTER) {
          (cuts ??= []).push(at);
          cut = at + PART;
          if (at >= pause) {
            yield;
            pause = at + STEP;
          }
        }
        if (inner === BACKSLASH) at += bytes[at + 1] === LOWER_U ? 1 + HEX_DIGITS : 1;
        else if (inner === QUOTE) break;
      }
      if (at >= length) return { problem: "the line is not one JSON value: a string does not end" };
      const isValue = before === COLON || brackets[depth] === OPEN_BRACKET;
      if (isValue && at - start > LONG_TEXT) {
        texts.push({ start, end: at + 1, cuts: [start + 1, ...cuts ?? [], at] });
      }
      if (noting !== null && depth === level && last === null && noting.length < MOST_MEMBERS) {
        last = { name: start, nameEnd: at + 1, value: -1, valueEnd: -1 };
        noting.push(last);
      }
    } else if (byte === COMMA) {
      values++;
      before = COMMA;
      if (depth === level) endValue(at);
    } else if (byte === COLON) {
      before = COLON;
      if (++names > MOST_NAMES) return { problem: `the line holds more than ${MOST_NAMES} names` };
      if (depth === level && last !== null && last.value === -1) last.value = at + 1;
    } else if (byte === OPEN_BRACE || byte === OPEN_BRACKET) {
      values++;
      before = byte;
      if (++depth > MOST_LEVELS) {
        return { problem: `the line nests deeper than ${MOST_LEVELS} levels` };
      }
      brackets[depth] = byte;
      if (depth === 1) first = byte;
      const told = depth === 1 || (depth === 2 && first === OPEN_BRACKET);
      if (byte === OPEN_BRACE && told) {
        noting = depth === 1 ? members : [];
        if (depth === 2) elements.push(noting);
        level = depth;
        last = null;
      }
    } else if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) {
      if (depth === level) {
        endValue(at);
        noting = null;
        level = 0;
      }
      // What is not JSON may close more than it opened.
      if (depth > 0) depth--;
    }
    if (values > MOST_VALUES) return { problem: `the line holds more than ${MOST_VALUES} values` };
  }
  return { members, elements, texts };
}
