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

/** D. S. Hirschberg's table of two rows, of which one is kept. */
function commonWords(a: Uint32Array, b: Uint32Array): number {
  let from = 0;
  while (from < a.length && from < b.length && a[from] === b[from]) from++;
  let less = 0;
  while (less < a.length - from && less < b.length - from && a.at(-1 - less) === b.at(-1 - less)) {
    less++;
  }
  const width = b.length - less - from;
  const row = new Uint16Array(width + 1);
  for (let i = from; i < a.length - less; i++) {
    let diagonal = 0;
    for (let j = 0; j < width; j++) {
      const above = row[j + 1] as number;
      row[j + 1] = a[i] === b[from + j] ? diagonal + 1 : Math.max(above, row[j] as number);
      diagonal = above;
    }
  }
  return from + less + (row[width] as number);
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
