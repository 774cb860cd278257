/** The known words that an unknown one was most likely meant to be. */

/** Longer words are no typing slips, and comparing them would cost quadratic time. */
const LONGEST = 64;

/**
 * Candidates within a third of their letters' edits (insertions, deletions, replacements, swaps of
 * neighbours), fewest edits first, then those that hold the word whole as a part; at most `count`.
 * Case does not count, and `-`, `.` and `_` are one.
 */
export function nearestOf(
  word: string,
  candidates: readonly string[],
  count = 3,
): readonly string[] {
  if (word.length === 0 || word.length > LONGEST) return [];
  const plain = normalize(word);
  return candidates
    .map((candidate) => ({ candidate, cost: cost(plain, normalize(candidate)) }))
    .filter((scored) => scored.cost < Infinity)
    .sort((a, b) => a.cost - b.cost)
    .slice(0, count)
    .map((scored) => scored.candidate);
}

/** The best of {@linkcode nearestOf}, or null. */
export function nearest(word: string, candidates: readonly string[]): string | null {
  return nearestOf(word, candidates, 1)[0] ?? null;
}

/** ` Did you mean "a" or "b"?`, to be put behind a sentence; empty where nothing is near. */
export function didYouMean(names: readonly string[]): string {
  if (names.length === 0) return "";
  const quoted = names.map((name) => `"${name}"`);
  const last = quoted.pop();
  return ` Did you mean ${quoted.length === 0 ? last : `${quoted.join(", ")} or ${last}`}?`;
}

function normalize(word: string): string {
  return word.toLowerCase().replaceAll(/[-.]/g, "_");
}

/** Edits, or a whole part's price just above the dearest edit that passes; Infinity for strangers. */
function cost(word: string, candidate: string): number {
  const allowed = Math.max(1, Math.floor(candidate.length / 3));
  if (candidate.length <= LONGEST && Math.abs(candidate.length - word.length) <= allowed) {
    const edits = distance(word, candidate);
    if (edits <= allowed) return edits;
  }
  const parts = candidate.split("_");
  const isPart = word.length >= 3 &&
    (candidate.startsWith(word) || word.split("_").every((piece) => parts.includes(piece)));
  return isPart ? LONGEST + candidate.length : Infinity;
}

/** Optimal string alignment distance: Levenshtein's, with swaps of neighbours (Damerau 1964). */
function distance(a: string, b: string): number {
  let beforeLast: readonly number[] = [];
  let last: readonly number[] = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const replaced = at(last, j - 1) + (a[i - 1] === b[j - 1] ? 0 : 1);
      const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]
        ? at(beforeLast, j - 2) + 1
        : Infinity;
      row.push(Math.min(at(last, j) + 1, at(row, j - 1) + 1, replaced, swapped));
    }
    beforeLast = last;
    last = row;
  }
  return at(last, b.length);
}

function at(row: readonly number[], column: number): number {
  return row[column] ?? Infinity;
}
