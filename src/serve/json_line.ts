/**
 * One line as JSON, on the thread that answers everybody: what would take it long is refused before it is parsed, and
 * ids are found as they are written.
 */

import { isObject } from "../core/json_value.ts";
import { atOnce, type Steps } from "../engine/turns.ts";

/** A line that is one JSON value. */
export interface JsonLine {
  readonly value: unknown;
  /** The text of a member of the value, byte for byte; null where there is none, or the value is no object. */
  raw(name: string): string | null;
  /** The same of the elements of a value that is an array. */
  readonly elements: readonly Pick<JsonLine, "raw">[];
}

/** What is wrong with a line. */
export interface LineProblem {
  readonly problem: string;
}

/**
 * Values in one line: parsing takes time by their number far more than by their length (100,000 members: some 30 ms;
 * 16 MiB of `{},`: seconds).
 */
const MOST_VALUES = 100_000;
/** Levels of nesting: who goes through a value in turn has a stack. */
const MOST_LEVELS = 500;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;

const decoder = new TextDecoder("utf-8", { fatal: true });

/** Reads a line; null where it holds nothing but blanks. Never throws for any bytes. */
export function readJsonLine(bytes: Uint8Array): JsonLine | LineProblem | null {
  return atOnce(readJsonSteps(bytes));
}

/** Whether a line asks for nothing but an answer: by `op` of the pipe's protocol, or by `method` of MCP's. */
export function isPing(line: JsonLine | LineProblem | null): boolean {
  if (line === null || "problem" in line || !isObject(line.value)) return false;
  return line.value["op"] === "ping" || line.value["method"] === "ping";
}

/** Bytes that are decoded at once. */
const DECODED = 1 << 20;

/** As {@linkcode readJsonLine}, step by step: of 16 MiB none takes more than some 40 ms. */
export function* readJsonSteps(bytes: Uint8Array): Steps<JsonLine | LineProblem | null> {
  const shape = shapeOf(bytes);
  if ("problem" in shape) return shape;
  yield;
  let text = "";
  try {
    const decoder = new TextDecoder("utf-8", { fatal: true });
    for (let at = 0; at < bytes.length; at += DECODED) {
      if (at > 0) yield;
      text += decoder.decode(bytes.subarray(at, at + DECODED), {
        stream: at + DECODED < bytes.length,
      });
    }
  } catch {
    return { problem: "the line is not UTF-8" };
  }
  if (text.trim() === "") return null;
  yield;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    const why = error instanceof SyntaxError ? `: ${shorten(error.message)}` : "";
    return { problem: `the line is not one JSON value${why}` };
  }
  return {
    value,
    raw: (name) => rawOf(bytes, shape.members, name),
    elements: shape.elements.map((members) => ({ raw: (name) => rawOf(bytes, members, name) })),
  };
}

/** Where a member of an object stands: its name with the quotes, and its value with the blanks around it. */
interface Member {
  readonly name: number;
  readonly nameEnd: number;
  /** Behind the colon. */
  value: number;
  valueEnd: number;
}

interface Shape {
  /** Of the value itself, where it is an object; the last few where there are many. */
  readonly members: readonly Member[];
  /** Of the elements that are objects, where it is an array. */
  readonly elements: readonly (readonly Member[])[];
}

/** Members whose places are kept: more than any request has. */
const MOST_MEMBERS = 64;

/** One pass over the bytes: right where they are JSON, which parsing tells afterwards. */
function shapeOf(bytes: Uint8Array): Shape | LineProblem {
  const members: Member[] = [];
  const elements: Member[][] = [];
  let values = 0;
  let depth = 0;
  /** The outermost bracket. */
  let first = 0;
  /** Whose members are noted now, and at which depth they stand. */
  let noting: Member[] | null = null;
  let level = 0;
  let last: Member | null = null;
  const { length } = bytes;
  const endValue = (at: number) => {
    if (last !== null && last.valueEnd === -1) last.valueEnd = at;
    last = null;
  };
  for (let at = 0; at < length; at++) {
    const byte = bytes[at];
    if (byte === QUOTE) {
      const start = at;
      for (at++; at < length; at++) {
        const inner = bytes[at];
        if (inner === BACKSLASH) at++;
        else if (inner === QUOTE) break;
      }
      if (noting !== null && depth === level && last === null && noting.length < MOST_MEMBERS) {
        last = { name: start, nameEnd: at + 1, value: -1, valueEnd: -1 };
        noting.push(last);
      }
    } else if (byte === COMMA) {
      values++;
      if (depth === level) endValue(at);
    } else if (byte === COLON) {
      if (depth === level && last !== null && last.value === -1) last.value = at + 1;
    } else if (byte === OPEN_BRACE || byte === OPEN_BRACKET) {
      values++;
      if (++depth > MOST_LEVELS) {
        return { problem: `the line nests deeper than ${MOST_LEVELS} levels` };
      }
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
      depth--;
    }
    if (values > MOST_VALUES) return { problem: `the line holds more than ${MOST_VALUES} values` };
  }
  return { members, elements };
}

/** The last of that name counts, as in parsing. */
function rawOf(bytes: Uint8Array, members: readonly Member[], wanted: string): string | null {
  for (const { name, nameEnd, value, valueEnd } of members.toReversed()) {
    if (value === -1 || valueEnd === -1) continue;
    if (textIn(bytes, name, nameEnd, true) !== wanted) continue;
    return textIn(bytes, value, valueEnd, false);
  }
  return null;
}

/** `parsed`: of a string without its quotes and escapes; "" for one that is too long to be a name. */
function textIn(bytes: Uint8Array, start: number, end: number, parsed: boolean): string {
  if (parsed && end - start > LONGEST_NAME) return "";
  const text = decoder.decode(bytes.subarray(start, end)).trim();
  return parsed ? JSON.parse(text) as string : text;
}

/** A name of three characters, each escaped, and then some. */
const LONGEST_NAME = 256;

/** V8 quotes the text in its message: 16 MiB of it would come back. */
export function shorten(text: string): string {
  return text.length <= 120 ? text : `${text.slice(0, 120)}…`;
}
