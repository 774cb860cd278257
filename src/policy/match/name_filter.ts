/** Which names of a directory its rules must be asked about, told by bytes: most names need no string and no judging. */

import { textsOf } from "./_segment_index.ts";
import type { SegmentPattern } from "../../core/glob_segment.ts";

/** What a rule says of one name: a plain name, or a pattern of names. */
export type NameRule = string | SegmentPattern;

/** The names that rules could speak of. */
export interface NameFilter {
  /**
   * Whether some rule could match the name that stands in `bytes` from `start` to `end`, which is ASCII; names with
   * other bytes are always to be judged. True when unsure.
   */
  suspects(bytes: Uint8Array, start: number, end: number): boolean;
}

/** What a name must have for a rule to match. */
interface Mark {
  readonly prefix: Uint8Array;
  readonly suffix: Uint8Array;
  /** Stands somewhere in the name. */
  readonly piece: Uint8Array;
  /** The name has no other bytes than `prefix`. */
  readonly exact: boolean;
  /** `suffix` is in lower case, and the name's may be in either. */
  readonly anyCase: boolean;
}

const NONE = new Uint8Array(0);
const ENCODER = new TextEncoder();

/**
 * @param endings Endings of names that rules speak of, in lower case; names are compared in any case.
 * Rules with characters beyond ASCII match no ASCII name, so they are left out.
 */
export function createNameFilter(
  rules: readonly NameRule[],
  endings: readonly string[],
): NameFilter {
  const marks = [...rules.flatMap(markOf), ...endings.flatMap(markOfEnding)];
  const byFirst: (Mark[] | undefined)[] = new Array(128).fill(undefined);
  const byLast: (Mark[] | undefined)[] = new Array(128).fill(undefined);
  const pieces: Mark[] = [];
  let all = false;
  for (const mark of marks) {
    const { prefix, suffix, piece, anyCase } = mark;
    const last = suffix[suffix.length - 1];
    if (prefix.length > 0) (byFirst[prefix[0]!] ??= []).push(mark);
    else if (last !== undefined) {
      (byLast[last] ??= []).push(mark);
      const upper = capital(last);
      if (anyCase && upper !== last) (byLast[upper] ??= []).push(mark);
    } else if (piece.length > 0) pieces.push(mark);
    else all = true;
  }
  return {
    suspects(bytes, start, end) {
      if (all) return true;
      const first = byFirst[bytes[start]!];
      if (first !== undefined && someFits(first, bytes, start, end)) return true;
      const last = byLast[bytes[end - 1]!];
      if (last !== undefined && someFits(last, bytes, start, end)) return true;
      return pieces.length > 0 && someFits(pieces, bytes, start, end);
    },
  };
}

function someFits(marks: readonly Mark[], bytes: Uint8Array, start: number, end: number): boolean {
  for (const mark of marks) if (fits(mark, bytes, start, end)) return true;
  return false;
}

function fits(mark: Mark, bytes: Uint8Array, start: number, end: number): boolean {
  const { prefix, suffix, piece, exact, anyCase } = mark;
  const length = end - start;
  if (exact ? length !== prefix.length : length < prefix.length + suffix.length) return false;
  for (let at = 0; at < prefix.length; at++) if (bytes[start + at] !== prefix[at]) return false;
  for (let at = 1; at <= suffix.length; at++) {
    const byte = bytes[end - at]!;
    if ((anyCase ? small(byte) : byte) !== suffix[suffix.length - at]) return false;
  }
  return piece.length === 0 || holds(bytes, start, end, piece);
}

function holds(bytes: Uint8Array, start: number, end: number, piece: Uint8Array): boolean {
  for (let from = start; from + piece.length <= end; from++) {
    let at = 0;
    while (at < piece.length && bytes[from + at] === piece[at]) at++;
    if (at === piece.length) return true;
  }
  return false;
}

/** None where no ASCII name matches. */
function markOf(rule: NameRule): readonly Mark[] {
  const bare = { suffix: NONE, piece: NONE, exact: false, anyCase: false };
  if (typeof rule === "string") {
    return isAscii(rule) ? [{ ...bare, prefix: ENCODER.encode(rule), exact: true }] : [];
  }
  const texts = textsOf(rule);
  const runs = texts.map((text) => text ?? "\0").join("").split("\0");
  if (!runs.every(isAscii)) return [];
  const prefix = runs[0] ?? "";
  const suffix = runs[runs.length - 1] ?? "";
  const longest = runs.reduce((a, b) => b.length > a.length ? b : a, "");
  const piece = longest === prefix || longest === suffix ? "" : longest;
  return [{
    ...bare,
    prefix: ENCODER.encode(prefix),
    suffix: ENCODER.encode(suffix),
    piece: ENCODER.encode(piece),
  }];
}

/** The upper-case forms of some characters beyond ASCII are ASCII; a name that holds one is judged in any case. */
function markOfEnding(ending: string): readonly Mark[] {
  if (!isAscii(ending)) return [];
  return [{
    prefix: NONE,
    suffix: ENCODER.encode(ending),
    piece: NONE,
    exact: false,
    anyCase: true,
  }];
}

function isAscii(text: string): boolean {
  for (let at = 0; at < text.length; at++) if (text.charCodeAt(at) >= 0x80) return false;
  return true;
}

function small(byte: number): number {
  return byte >= 0x41 && byte <= 0x5a ? byte + 0x20 : byte;
}

function capital(byte: number): number {
  return byte >= 0x61 && byte <= 0x7a ? byte - 0x20 : byte;
}
