/** Looking for an exact text in linear time, whatever the two are made of. */

/**
 * V8's `indexOf` skips quickly over most texts, but takes (length of both) steps over repetitive ones: 6 s were
 * measured for 1,000 characters in 10 MB. Up to this length even that is harmless.
 */
const SHORT = 32;

/** Steps that failed attempts may cost for each character of the text before the search that never looks back. */
const PATIENCE = 8;

/** The index of the first occurrence at or behind `from`, or -1. */
export type Finder = (text: string, from: number) => number;

/** A finder for one text that is not empty, in one other: it remembers how hard that is. */
export function finderOf(wanted: string): Finder {
  if (wanted.length <= SHORT) return (text, from) => text.indexOf(wanted, from);
  const piece = wanted.slice(0, SHORT);
  let failures = 0;
  let borders: Int32Array | null = null;
  return (text, from) => {
    if (borders !== null) return findWithBorders(text, wanted, borders, from);
    for (let at = text.indexOf(piece, from); at >= 0; at = text.indexOf(piece, at + 1)) {
      if (text.startsWith(wanted, at)) return at;
      if (++failures * wanted.length < PATIENCE * text.length) continue;
      borders = bordersOf(wanted);
      return findWithBorders(text, wanted, borders, at + 1);
    }
    return -1;
  };
}

/** Where each occurrence starts, none overlapping the one before. */
export function* occurrences(text: string, wanted: string): Iterable<number> {
  const find = finderOf(wanted);
  for (let at = find(text, 0); at >= 0; at = find(text, at + wanted.length)) yield at;
}

/** How long the longest proper prefix is that also ends here (Knuth, Morris, Pratt 1977). */
function bordersOf(wanted: string): Int32Array {
  const borders = new Int32Array(wanted.length);
  for (let at = 1, length = 0; at < wanted.length; at++) {
    const code = wanted.charCodeAt(at);
    while (length > 0 && wanted.charCodeAt(length) !== code) length = borders[length - 1] ?? 0;
    if (wanted.charCodeAt(length) === code) length++;
    borders[at] = length;
  }
  return borders;
}

function findWithBorders(text: string, wanted: string, borders: Int32Array, from: number): number {
  for (let at = from, length = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    while (length > 0 && wanted.charCodeAt(length) !== code) length = borders[length - 1] ?? 0;
    if (wanted.charCodeAt(length) === code) length++;
    if (length === wanted.length) return at + 1 - length;
  }
  return -1;
}
