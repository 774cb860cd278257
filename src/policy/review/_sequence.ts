/**
 * Sequences of letters with runs of any letters between them: a name's characters and `*`, a path's names and `**`.
 * Whether one takes all that another takes, and whether any text is taken by both.
 */

import { type Budget, spend } from "./_budget.ts";

/** Any number of any letters, none too. */
export const RUN = Symbol("run");
/** Any one letter: what a run takes. */
export const ANY = Symbol("any");

/** Letters in their order, with runs of any letters between them. */
export type Sequence<L> = readonly (L | typeof RUN)[];

/** What letters (which stand for one or more texts) have to do with each other. */
export interface Alphabet<L> {
  /** Whether `wide` surely takes all that `narrow` takes; false when unsure. */
  covers(wide: L, narrow: L | typeof ANY): boolean;
  /** Whether some text may be taken by both; true when unsure. */
  meet(a: L, b: L): boolean;
}

/** Whether `wide` surely takes every sequence that `narrow` takes; false when unsure, or where the budget ends. */
export function takesAll<L>(
  wide: Sequence<L>,
  narrow: Sequence<L>,
  alphabet: Alphabet<L>,
  budget: Budget,
): boolean {
  const seen = new Set<string>();
  // Places in `wide` that what was taken of `narrow` surely reaches; ordered, each once.
  const holds = (at: number, reached: readonly number[]): boolean => {
    if (reached.length === 0 || !spend(budget, reached.length)) return false;
    const key = `${at}:${reached}`;
    // What is being looked at further up holds there or fails there.
    if (seen.has(key)) return true;
    seen.add(key);
    if (at === narrow.length) return reached.includes(wide.length);
    const letter = narrow[at] as L | typeof RUN;
    if (letter !== RUN) return holds(at + 1, after(reached, letter));
    return holds(at + 1, reached) && holds(at, after(reached, ANY));
  };
  const after = (reached: readonly number[], letter: L | typeof ANY): readonly number[] =>
    closed(reached.flatMap((place) => {
      const wanted = wide[place];
      if (wanted === undefined) return [];
      if (wanted === RUN) return [place];
      return alphabet.covers(wanted, letter) ? [place + 1] : [];
    }));
  // A run may be over before it has begun.
  const closed = (places: readonly number[]): readonly number[] => {
    const all = new Set(places);
    for (const place of all) if (wide[place] === RUN) all.add(place + 1);
    return [...all].sort((a, b) => a - b);
  };
  return holds(0, closed([0]));
}

/** Whether some sequence may be taken by both; true when unsure, or where the budget ends. */
export function mayMeet<L>(
  a: Sequence<L>,
  b: Sequence<L>,
  alphabet: Alphabet<L>,
  budget: Budget,
): boolean {
  const pending: [number, number][] = [[0, 0]];
  const seen = new Set<string>();
  for (let place = pending.pop(); place !== undefined; place = pending.pop()) {
    const [i, j] = place;
    if (i === a.length && j === b.length) return true;
    if (!spend(budget)) return true;
    const key = `${i}:${j}`;
    if (seen.has(key)) continue;
    seen.add(key);
    const one = a[i];
    const other = b[j];
    if (one === RUN) pending.push([i + 1, j]);
    if (other === RUN) pending.push([i, j + 1]);
    if (one === undefined || other === undefined) continue;
    const both = one === RUN || other === RUN || alphabet.meet(one as L, other as L);
    if (both) pending.push([one === RUN ? i : i + 1, other === RUN ? j : j + 1]);
  }
  return false;
}
