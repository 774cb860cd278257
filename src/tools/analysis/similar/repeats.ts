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

/** The same of rows that are looked for from their beginning to their end: what stands around a table is in them, too. */
const LEAST_AROUND = 14;

/**
 * How far behind a fingerprint it is looked who goes on alike, in fingerprints. What stands everywhere, as the rows of a
 * locale do, has its own copy beside it so, and not but the next file that begins like it.
 */
const REACHES = [4, 16, 64] as const;

/** All repeats of at least `least` words, each as long as it goes. */
export function findRepeats(tokens: Tokens, least: number, pause: () => void): readonly Repeat[] {
  const size = Math.max(4, least >> 1);
  const { hashes, places, reaches } = fingerprintsOf(tokens, size, least - size + 1, pause);
  const found = new Map<number, Repeat[]>();
  const rows = new FoundRows(tokens);
  const pair = (
    order: Uint32Array,
    leastDifferent: number,
    isDone: (first: number, second: number) => boolean,
  ): void => {
    for (let at = 1; at < order.length; at++) {
      if (at % PAUSE === 0) pause();
      const first = order[at - 1] as number;
      const second = order[at] as number;
      if (hashes[first] !== hashes[second] || isDone(first, second)) continue;
      const [one, other] = [places[first] as number, places[second] as number];
      const [low, high] = [Math.min(one, other), Math.max(one, other)];
      if (rows.has(low, high)) continue;
      const repeat = extended(tokens, low, high);
      if (repeat === null || repeat.length < least) continue;
      rows.add(repeat);
      const known = found.get(repeat.first) ?? [];
      if (known.some(({ second, length }) => second === repeat.second && length >= repeat.length)) {
        continue;
      }
      if (isTable(tokens, repeat, leastDifferent)) continue;
      found.set(repeat.first, [...known, repeat]);
    }
  };
  // Fingerprints are in the order of their places.
  const byPlace = Uint32Array.from(hashes.keys())
    .sort((a, b) => (hashes[a] as number) - (hashes[b] as number) || a - b);
  pair(byPlace, LEAST_DIFFERENT, () => false);
  const next = new Uint32Array(byPlace.length);
  for (let at = 1; at < byPlace.length; at++) {
    next[byPlace[at - 1] as number] = byPlace[at] as number;
  }
  const byReach = byPlace.sort((a, b) => {
    const difference = (hashes[a] as number) - (hashes[b] as number);
    if (difference !== 0) return difference;
    for (const reach of reaches) {
      const further = (reach[a] as number) - (reach[b] as number);
      if (further !== 0) return further;
    }
    return a - b;
  });
  pair(byReach, LEAST_AROUND, (first, second) => next[first] === second);
  return [...found.values()].flat();
}

/**
 * Rows of two files that were gone along already: each fingerprint in one would lead to that again, and long rows have
 * many. Within one file, where rows end by one another, another place may lead to another row.
 */
class FoundRows {
  readonly #tokens: Tokens;
  /** By the file of the first, and how far the second lies behind it: beginnings and ends of the first. */
  readonly #known = new Map<number, number[]>();

  constructor(tokens: Tokens) {
    this.#tokens = tokens;
  }

  has(first: number, second: number): boolean {
    const known = this.#known.get(this.#keyOf(first, second));
    if (known === undefined) return false;
    for (let at = 0; at < known.length; at += 2) {
      if ((known[at] as number) <= first && first < (known[at + 1] as number)) return true;
    }
    return false;
  }

  add({ first, second, length }: Repeat): void {
    if (this.#tokens.fileOf(first) === this.#tokens.fileOf(second)) return;
    const key = this.#keyOf(first, second);
    const known = this.#known.get(key);
    if (known === undefined) this.#known.set(key, [first, first + length]);
    else known.push(first, first + length);
  }

  #keyOf(first: number, second: number): number {
    return this.#tokens.fileOf(first).start * this.#tokens.plain.length + second - first;
  }
}

/** Chosen rows of words, in the order of their places; and the hashes of what goes on behind each, by reach. */
interface Fingerprints {
  readonly hashes: Uint32Array;
  readonly places: Uint32Array;
  readonly reaches: readonly Uint32Array[];
}

/** Of each file, the least hash of each window, the last of several. */
function fingerprintsOf(
  { plain, files }: Tokens,
  size: number,
  width: number,
  pause: () => void,
): Fingerprints {
  const hashes: number[] = [];
  const places: number[] = [];
  const reaches: readonly number[][] = REACHES.map(() => []);
  let top = 1;
  for (let at = 1; at < size; at++) top = Math.imul(top, BASE);
  for (const { start, end } of files) {
    pause();
    if (end - start < size) continue;
    const behind = REACHES.map((reach) => hashesBehind(plain, start, end, reach * size));
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
      behind.forEach((all, reach) => reaches[reach]?.push(all[chosen] as number));
    }
  }
  return {
    hashes: Uint32Array.from(hashes),
    places: Uint32Array.from(places),
    reaches: reaches.map((all) => Uint32Array.from(all)),
  };
}

/** By word of a file, the hash of as many words from it on, or of all that there are. */
function hashesBehind(plain: Uint32Array, start: number, end: number, count: number): Uint32Array {
  const hashes = new Uint32Array(end - start);
  let top = 1;
  for (let at = 0; at < count; at++) top = Math.imul(top, BASE);
  let hash = 0;
  for (let at = end - 1; at >= start; at--) {
    hash = (Math.imul(hash, BASE) + (plain[at] as number)) | 0;
    if (at + count < end) hash = (hash - Math.imul(plain[at + count] as number, top)) | 0;
    hashes[at - start] = hash;
  }
  return hashes;
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

function isTable({ plain }: Tokens, { first, length }: Repeat, leastDifferent: number): boolean {
  const words = new Set<number>();
  for (let at = first; at < first + length; at++) {
    words.add(plain[at] as number);
    if (words.size >= leastDifferent) return false;
  }
  return true;
}
