/** How alike two rows of words are. */

/** The longest row that is compared word by word: longer ones take the time of their product. */
const LONGEST = 4_000;

/**
 * Twice the words of the longest common subsequence by the words of both: 1 for the same, 0 for nothing in common. Rows
 * that are too long to compare word by word are compared by how often each word stands in them.
 */
export function likeness(a: Uint32Array, b: Uint32Array): number {
  if (a.length + b.length === 0) return 1;
  const common = Math.max(a.length, b.length) > LONGEST ? sharedWords(a, b) : commonWords(a, b);
  return 2 * common / (a.length + b.length);
}

/** Words of one row that are held against a word of the other at once. */
const BITS = 32;

/**
 * The length of the longest common subsequence, a bit for each word of the first row (H. Hyyrö, "Bit-Parallel LCS-length
 * Computation Revisited", 2004): in a 32nd of the steps that the table of both rows has places.
 */
function commonWords(a: Uint32Array, b: Uint32Array): number {
  let from = 0;
  while (from < a.length && from < b.length && a[from] === b[from]) from++;
  let less = 0;
  while (less < a.length - from && less < b.length - from && a.at(-1 - less) === b.at(-1 - less)) {
    less++;
  }
  const width = a.length - less - from;
  const cells = Math.ceil(width / BITS);
  const places = new Map<number, Int32Array>();
  for (let at = 0; at < width; at++) {
    const word = a[from + at] as number;
    let bits = places.get(word);
    if (bits === undefined) places.set(word, bits = new Int32Array(cells));
    bits[at >> 5] = (bits[at >> 5] as number) | (1 << (at & 31));
  }
  const row = new Int32Array(cells).fill(-1);
  for (let at = from; at < b.length - less; at++) {
    const bits = places.get(b[at] as number);
    if (bits === undefined) continue;
    let carry = 0;
    for (let cell = 0; cell < cells; cell++) {
      const old = row[cell] as number;
      const here = bits[cell] as number;
      const met = old & here;
      const sum = (old + met + carry) | 0;
      carry = ((old & met) | ((old | met) & ~sum)) >>> 31;
      row[cell] = sum | (old & ~here);
    }
  }
  let common = 0;
  for (let at = 0; at < width; at++) {
    if (((row[at >> 5] as number) & (1 << (at & 31))) === 0) common++;
  }
  return from + less + common;
}

function sharedWords(a: Uint32Array, b: Uint32Array): number {
  const counts = new Map<number, number>();
  for (const word of a) counts.set(word, (counts.get(word) ?? 0) + 1);
  let shared = 0;
  for (const word of b) {
    const left = counts.get(word) ?? 0;
    if (left === 0) continue;
    counts.set(word, left - 1);
    shared++;
  }
  return shared;
}

/** Share of the places at which both rows, of one length, have the same word. */
export function sameness(a: Uint32Array, b: Uint32Array): number {
  let same = 0;
  for (let at = 0; at < a.length; at++) if (a[at] === b[at]) same++;
  return a.length === 0 ? 1 : same / a.length;
}
