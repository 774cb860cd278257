/**
 * One line as JSON, on the thread that answers everybody: what would take it long is refused before it is parsed, and
 * ids are found as they are written.
 */

import { isObject } from "../core/json_value.ts";
import { atOnce, type Steps } from "../engine/turns.ts";
import { type LineProblem, type Member, shapeOf } from "./_line_shape.ts";
import { textOf, valueOf } from "./_long_texts.ts";

export type { LineProblem } from "./_line_shape.ts";

/** A line that is one JSON value. */
export interface JsonLine {
  readonly value: unknown;
  /** The text of a member of the value, byte for byte; null where there is none, it is long, or the value is no object. */
  raw(name: string): string | null;
  /** The same of the elements of a value that is an array. */
  readonly elements: readonly Pick<JsonLine, "raw">[];
}

// Of parts of a line that was found to be UTF-8.
const decoder = new TextDecoder("utf-8");
const BACKSLASH = 0x5c;

/** Reads a line; null where it holds nothing but blanks. Never throws for any bytes. */
export function readJsonLine(bytes: Uint8Array): JsonLine | LineProblem | null {
  return atOnce(readJsonSteps(bytes));
}

/** Whether a line asks for nothing but an answer: by `op` of the pipe's protocol, or by `method` of MCP's. */
export function isPing(line: JsonLine | LineProblem | null): boolean {
  if (line === null || "problem" in line || !isObject(line.value)) return false;
  return line.value["op"] === "ping" || line.value["method"] === "ping";
}

/** As {@linkcode readJsonLine}, step by step: of 16 MiB none takes more than some 40 ms. */
export function* readJsonSteps(bytes: Uint8Array): Steps<JsonLine | LineProblem | null> {
  const shape = yield* shapeOf(bytes);
  if ("problem" in shape) return shape;
  let value: unknown;
  try {
    if (shape.texts.length > 0) {
      value = yield* valueOf(bytes, shape.texts);
    } else {
      const text = yield* textOf(bytes);
      if (text.trim() === "") return null;
      value = JSON.parse(text);
    }
  } catch (error) {
    if (error instanceof TypeError) return { problem: "the line is not UTF-8" };
    const why = error instanceof SyntaxError ? `: ${shorten(error.message)}` : "";
    return { problem: `the line is not one JSON value${why}` };
  }
  return {
    value,
    raw: (name) => rawOf(bytes, shape.members, name),
    elements: shape.elements.map((members) => ({ raw: (name) => rawOf(bytes, members, name) })),
  };
}

/** The last of that name counts, as in parsing. */
function rawOf(bytes: Uint8Array, members: readonly Member[], wanted: string): string | null {
  const last = members.findLast(({ name, nameEnd, value, valueEnd }) =>
    value !== -1 && valueEnd !== -1 && nameEnd - name <= LONGEST_NAME &&
    isName(bytes, name, nameEnd, wanted)
  );
  return last === undefined ? null : rawIn(bytes, last.value, last.valueEnd);
}

/** A name of three characters, each escaped, and then some. */
const LONGEST_NAME = 256;
/** What is asked for as it is written: an id, which is shorter. */
const LONGEST_RAW = 1 << 13;

/** Whether a name with its quotes is `wanted`, which is ASCII. */
function isName(bytes: Uint8Array, start: number, end: number, wanted: string): boolean {
  let same = end - start - 2 === wanted.length;
  for (let at = start + 1; at < end - 1; at++) {
    if (bytes[at] === BACKSLASH) {
      return JSON.parse(decoder.decode(bytes.subarray(start, end))) === wanted;
    }
    same &&= bytes[at] === wanted.charCodeAt(at - start - 1);
  }
  return same;
}

/** Without the blanks around it; null where it is too long to be asked for. */
function rawIn(bytes: Uint8Array, from: number, to: number): string | null {
  let [start, end] = [from, to];
  while (start < end && isBlank(bytes[start])) start++;
  while (end > start && isBlank(bytes[end - 1])) end--;
  return end - start > LONGEST_RAW ? null : decoder.decode(bytes.subarray(start, end));
}

/** RFC 8259, 2. */
function isBlank(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x09 || byte === 0x0a || byte === 0x0d;
}

/** V8 quotes the text in its message: 16 MiB of it would come back. */
export function shorten(text: string): string {
  return text.length <= 120 ? text : `${text.slice(0, 120)}…`;
}
