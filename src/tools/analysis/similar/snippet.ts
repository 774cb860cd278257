/** Where a file has what is like a snippet. */

import { likeness, sameness } from "./likeness.ts";

/** Words of a file that are like those of a snippet: from its first to behind its last. */
export interface Likeness {
  readonly kind: "exact" | "renamed" | "changed";
  readonly similarity: number;
  readonly start: number;
  readonly end: number;
}

/** The words of a snippet, or of a file. */
export interface Words {
  readonly plain: Uint32Array;
  readonly exact: Uint32Array;
}

/** Words that have to be the same in a row for a place to be looked at. */
const SEED = 5;

/** Places that are as alike as `least`, none in another. */
export function findSnippet(snippet: Words, file: Words, least: number): readonly Likeness[] {
  const length = snippet.plain.length;
  const seed = Math.min(SEED, length);
  const seeds = new Set<number>();
  for (let at = 0; at + seed <= length; at++) seeds.add(hashOf(snippet.plain, at, seed));
  const found: Likeness[] = [];
  // Seeds that follow one another closely enough are of one place.
  const reach = Math.max(4, Math.ceil(length * 0.3));
  let first = -1;
  let last = -1;
  const close = () => {
    if (first >= 0) found.push(...placesIn(snippet, file, { first, last: last + seed }, least));
    first = -1;
  };
  for (let at = 0; at + seed <= file.plain.length; at++) {
    if (!seeds.has(hashOf(file.plain, at, seed))) continue;
    if (first >= 0 && (at - last > reach || at - first > 3 * length)) close();
    if (first < 0) first = at;
    last = at;
  }
  close();
  return found;
}

function hashOf(words: Uint32Array, start: number, length: number): number {
  let hash = 0x811c9dc5;
  for (let at = start; at < start + length; at++) {
    hash = Math.imul(hash ^ (words[at] as number), 0x01000193);
    hash ^= hash >>> 15;
  }
  return hash >>> 0;
}

/** Whole repeats first; where there are none, the stretch as it is. */
function placesIn(
  snippet: Words,
  file: Words,
  { first, last }: { readonly first: number; readonly last: number },
  least: number,
): readonly Likeness[] {
  const length = snippet.plain.length;
  const found: Likeness[] = [];
  for (
    let start = Math.max(0, first - length);
    start + length <= file.plain.length && start < last;
  ) {
    if (!isAt(snippet.plain, file.plain, start)) {
      start++;
      continue;
    }
    const similarity = sameness(snippet.exact, file.exact.subarray(start, start + length));
    found.push({
      kind: similarity === 1 ? "exact" : "renamed",
      similarity: rounded(similarity),
      start,
      end: start + length,
    });
    start += length;
  }
  if (found.length > 0) return found;
  const stretch = trimmed(snippet.plain, file.plain, first, last);
  const similarity = likeness(snippet.plain, file.plain.subarray(stretch.start, stretch.end));
  return similarity < least
    ? []
    : [{ kind: "changed", similarity: rounded(similarity), ...stretch }];
}

/** A stretch may have begun, or may end, in what is alike by chance: no longer than what is looked for by half. */
function trimmed(
  snippet: Uint32Array,
  file: Uint32Array,
  first: number,
  last: number,
): { readonly start: number; readonly end: number } {
  const widest = Math.ceil(snippet.length * 1.5);
  const start = last - first <= widest ? first : bestStart(snippet, file, first, last, widest);
  return { start, end: Math.min(last, start + widest, file.length) };
}

function bestStart(
  snippet: Uint32Array,
  file: Uint32Array,
  first: number,
  last: number,
  widest: number,
): number {
  const step = Math.max(1, snippet.length >> 2);
  let best = first;
  let most = -1;
  for (let start = first; start + widest <= last + step; start += step) {
    const similarity = likeness(snippet, file.subarray(start, Math.min(last, start + widest)));
    if (similarity > most) [best, most] = [start, similarity];
  }
  return best;
}

function isAt(words: Uint32Array, file: Uint32Array, start: number): boolean {
  for (let at = 0; at < words.length; at++) if (words[at] !== file[start + at]) return false;
  return true;
}

function rounded(similarity: number): number {
  return Math.round(similarity * 1000) / 1000;
}
