/**
 * A line with long texts as its value: each text is parsed by itself, a part at a time, since parsing all at once what is
 * mostly escapes takes 50 ms of 15 MB and more.
 */

import { joinedBytes } from "../core/bytes.ts";
import type { Steps } from "../engine/turns.ts";
import type { LongText } from "./_line_shape.ts";

/** Bytes that are decoded at once. */
const DECODED = 1 << 20;

/** Of texts that come in one piece: it keeps nothing from one to the next, and making one costs as much as reading a line. */
const inOnePiece = new TextDecoder("utf-8", { fatal: true });
/** Four times as fast and half the memory, and puts U+FFFD for what is no UTF-8 instead of throwing. */
const lenient = new TextDecoder("utf-8");

/** All of the bytes as text, in steps. Throws a TypeError where they are not UTF-8. */
export function* textOf(bytes: Uint8Array): Steps<string> {
  if (bytes.length <= DECODED) {
    const text = lenient.decode(bytes);
    // The line may hold that character itself: the strict decoder tells.
    return text.includes("\ufffd") ? inOnePiece.decode(bytes) : text;
  }
  const decoder = new TextDecoder("utf-8", { fatal: true });
  let text = "";
  for (let at = 0; at < bytes.length; at += DECODED) {
    const stream = at + DECODED < bytes.length;
    text += decoder.decode(bytes.subarray(at, at + DECODED), { stream });
    yield;
  }
  return text;
}

/**
 * The value of a line with these texts in it. Throws a TypeError where it is not UTF-8, a SyntaxError where it is not JSON:
 * for the same bytes as if all were parsed at once.
 */
export function* valueOf(bytes: Uint8Array, texts: readonly LongText[]): Steps<unknown> {
  // Stands for the texts in what is left, where nobody who sent the line can have known it.
  const mark = crypto.randomUUID();
  const parts: Uint8Array[] = [];
  const long: string[] = [];
  let at = 0;
  for (const [index, { start, end, cuts }] of texts.entries()) {
    parts.push(bytes.subarray(at, start), encoder.encode(`"${mark}${index}"`));
    at = end;
    long.push(yield* stringOf(bytes, cuts));
  }
  parts.push(bytes.subarray(at));
  const value: unknown = JSON.parse(yield* textOf(joinedBytes(parts)));
  yield;
  const whole = (one: unknown): unknown =>
    typeof one === "string" && one.startsWith(mark) ? long[Number(one.slice(mark.length))] : one;
  const open: object[] = [];
  const visit = (one: unknown): unknown => {
    if (typeof one === "object" && one !== null) open.push(one);
    return whole(one);
  };
  const [given] = [visit(value)];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    for (const name of Object.keys(next)) {
      const held: unknown = (next as Record<string, unknown>)[name];
      const put = visit(held);
      if (put !== held) (next as Record<string, unknown>)[name] = put;
    }
  }
  return given;
}

const encoder = new TextEncoder();

function* stringOf(bytes: Uint8Array, cuts: readonly number[]): Steps<string> {
  let text = "";
  for (const [index, end] of cuts.entries()) {
    if (index === 0) continue;
    const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
    const part = decoder.decode(bytes.subarray(cuts[index - 1], end));
    text += JSON.parse(`"${part}"`) as string;
    yield;
  }
  return text;
}
