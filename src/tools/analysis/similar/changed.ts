/**
 * Functions that are alike without being the same: found by the least hashes of their words (A. Z. Broder, "On the
 * resemblance and containment of documents", 1997), then compared word by word.
 */

import { likeness } from "./likeness.ts";
import type { Tokens } from "./tokens.ts";

/** Two functions by the numbers of their words, and how alike they are, from 0 to 1. */
export interface Alike {
  readonly first: { readonly start: number; readonly end: number };
  readonly second: { readonly start: number; readonly end: number };
  readonly similarity: number;
}

/** Words of which a function's pieces are made. */
const PIECE = 4;
/** Least hashes that are kept of a function, in bands: two functions meet where one band is the same. */
const BANDS = 12;
const ROWS = 3;

/** Functions that meet in one band and are compared with one another, at most: more are what a language has everywhere. */
const MOST_MET = 24;

/** Pairs of functions that are as alike as `least`, and have `words` at least. */
export function findAlike(
  tokens: Tokens,
  words: number,
  least: number,
  pause: () => void,
): readonly Alike[] {
  const units = tokens.files.flatMap((file) =>
    file.units.filter(({ start, end }) => end - start >= words)
      .map((unit) => ({ ...unit, grammar: file.grammar }))
  );
  const met = new Map<string, number[]>();
  units.forEach((unit, at) => {
    if (at % 64 === 0) pause();
    for (const band of bandsOf(tokens.plain, unit.start, unit.end)) {
      const key = `${unit.grammar} ${band}`;
      const others = met.get(key) ?? [];
      if (others.length < MOST_MET) met.set(key, [...others, at]);
    }
  });
  const compared = new Set<number>();
  const found: Alike[] = [];
  for (const others of met.values()) {
    for (const [index, second] of others.entries()) {
      for (const first of others.slice(0, index)) {
        const key = first * units.length + second;
        if (compared.has(key)) continue;
        compared.add(key);
        if (compared.size % 64 === 0) pause();
        const alike = compare(tokens, units[first] as Unit, units[second] as Unit, least);
        if (alike !== null) found.push(alike);
      }
    }
  }
  return found;
}

interface Unit {
  readonly start: number;
  readonly end: number;
}

function compare(tokens: Tokens, first: Unit, second: Unit, least: number): Alike | null {
  const [one, other] = [first.end - first.start, second.end - second.start];
  // One in the other, or lengths that no likeness comes of.
  if (first.start < second.end && second.start < first.end) return null;
  if (2 * Math.min(one, other) < least * (one + other)) return null;
  const similarity = likeness(
    tokens.plain.subarray(first.start, first.end),
    tokens.plain.subarray(second.start, second.end),
  );
  return similarity < least ? null : { first, second, similarity };
}

/** A text for each band of least hashes. */
function bandsOf(plain: Uint32Array, start: number, end: number): readonly string[] {
  const least = new Uint32Array(BANDS * ROWS).fill(0xffffffff);
  for (let at = start; at + PIECE <= end; at++) {
    let hash = 0;
    for (let word = at; word < at + PIECE; word++) {
      hash = Math.imul(hash ^ (plain[word] as number), 0x85ebca6b);
      hash ^= hash >>> 13;
    }
    for (let row = 0; row < least.length; row++) {
      const own = Math.imul(hash ^ Math.imul(row + 1, 0x9e3779b1), 0xc2b2ae35) >>> 0;
      const value = (own ^ (own >>> 16)) >>> 0;
      if (value < (least[row] as number)) least[row] = value;
    }
  }
  return Array.from(
    { length: BANDS },
    (_, band) => `${band} ${least.subarray(band * ROWS, (band + 1) * ROWS).join(" ")}`,
  );
}
