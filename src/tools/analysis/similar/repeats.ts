/**
 * Rows of words that stand in several places. Fingerprints are chosen by winnowing (S. Schleimer, D. S. Wilkerson,
 * A. Aiken, "Winnowing: Local Algorithms for Document Fingerprinting", SIGMOD 2003), which finds every row that is long
 * enough by a small share of its words.
 */

import type { Tokens } from "./tokens.ts";

/** Two rows of the same words, names and literals apart. */
export interface Repeat {
  readonly first: number;
  readonly second: number;
  readonly length: number;
}

/** Odd, so that it can be taken back modulo 2^32. */
const BASE = 0x01000193;

/** Words between two looks at whether to end. */
const PAUSE = 1 << 16;

/** Rows with fewer different words are tables of data, which are alike everywhere. */
const LEAST_DIFFERENT = 8;

/** All repeats of at least `least` words, each as long as it goes. */
export function findRepeats(tokens: Tokens, least: number, pause: () => void): readonly Repeat[] {
  const size = Math.max(4, least >> 1);
  const { hashes, places } = fingerprintsOf(tokens, size, least - size + 1, pause);
  const order = Uint32Array.from(hashes.keys());
  order.sort((a, b) =>
    (hashes[a] as number) - (hashes[b] as number) || (places[a] as number) - (places[b] as number)
  );
  const found = new Map<number, Repeat[]>();
  for (let at = 1; at < order.length; at++) {
    if (at % PAUSE === 0) pause();
    const first = order[at - 1] as number;
    const second = order[at] as number;
    if (hashes[first] !== hashes[second]) continue;
    const repeat = extended(tokens, places[first] as number, places[second] as number);
    if (repeat === null || repeat.length < least) continue;
    const known = found.get(repeat.first) ?? [];
    if (known.some(({ second, length }) => second === repeat.second && length >= repeat.length)) {
      continue;
    }
    if (isTable(tokens, repeat)) continue;
    found.set(repeat.first, [...known, repeat]);
  }
  return [...found.values()].flat();
}

/** Of each file, the least hash of each window, the last of several. */
function fingerprintsOf(
  { plain, files }: Tokens,
  size: number,
  width: number,
  pause: () => void,
): { readonly hashes: Uint32Array; readonly places: Uint32Array } {
  const hashes: number[] = [];
  const places: number[] = [];
  let top = 1;
  for (let at = 1; at < size; at++) top = Math.imul(top, BASE);
  for (const { start, end } of files) {
    pause();
    if (end - start < size) continue;
    const rows = new Uint32Array(end - start - size + 1);
    let hash = 0;
    for (let at = start; at < end; at++) {
      if (at >= start + size) hash -= Math.imul(plain[at - size] as number, top);
      hash = (Math.imul(hash, BASE) + (plain[at] as number)) | 0;
      if (at >= start + size - 1) rows[at - start - size + 1] = mixed(hash);
    }
    let chosen = -1;
    for (let at = 0; at < rows.length; at++) {
      const from = Math.max(0, at - width + 1);
      if (chosen < from) {
        chosen = from;
        for (let next = from + 1; next <= at; next++) {
          if ((rows[next] as number) <= (rows[chosen] as number)) chosen = next;
        }
      } else if ((rows[at] as number) <= (rows[chosen] as number)) chosen = at;
      else continue;
      if (at < width - 1 && at < rows.length - 1) continue;
      hashes.push(rows[chosen] as number);
      places.push(start + chosen);
    }
  }
  return { hashes: Uint32Array.from(hashes), places: Uint32Array.from(places) };
}

/** The bits of a rolling hash are uneven: the least of several would be of the same words everywhere. */
function mixed(hash: number): number {
  let value = hash ^ (hash >>> 15);
  value = Math.imul(value, 0x2c1b3c6d);
  return (value ^ (value >>> 12)) >>> 0;
}

/** As far as both go in either direction, within their files, and not into one another; null where they differ. */
function extended(tokens: Tokens, first: number, second: number): Repeat | null {
  const { plain } = tokens;
  const one = tokens.fileOf(first);
  const other = tokens.fileOf(second);
  if (one.grammar !== other.grammar) return null;
  const most = one === other ? second - first : Infinity;
  let before = 0;
  while (
    first - before > one.start && second - before > other.start && before < most &&
    plain[first - before - 1] === plain[second - before - 1]
  ) before++;
  let after = 0;
  while (
    first + after < one.end && second + after < other.end && before + after < most &&
    plain[first + after] === plain[second + after]
  ) after++;
  return { first: first - before, second: second - before, length: before + after };
}

function isTable({ plain }: Tokens, { first, length }: Repeat): boolean {
  const words = new Set<number>();
  for (let at = first; at < first + length; at++) {
    words.add(plain[at] as number);
    if (words.size >= LEAST_DIFFERENT) return false;
  }
  return true;
}
