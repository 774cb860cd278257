/** Which of the known programs fit a project. */

import type { Facts } from "./facts.ts";

/** A program that may fit a project. `endings`: of the files it works on, with their dots. */
export interface Candidate {
  /** How strongly the project's files speak for it; 0 not at all. */
  readonly evidence: (facts: Facts) => number;
  readonly endings: readonly string[];
}

/**
 * Those for which the project speaks most clearly, of those that take all of the files. Where it speaks for
 * none, those that take the files: whoever names a file has said what language it is.
 */
export function fittingBest(
  candidates: Readonly<Record<string, Candidate>>,
  facts: Facts,
  files: readonly string[] = [],
): readonly string[] {
  const endings = new Set(files.flatMap((file) => endingOf(file) ?? []));
  const entries = Object.entries(candidates).filter(([, { endings: own }]) =>
    [...endings].every((ending) => own.includes(ending))
  );
  const weights = entries.map(([, { evidence }]) => evidence(facts));
  const most = Math.max(0, ...weights);
  if (most === 0 && endings.size === 0) return [];
  return entries.filter((_, index) => weights[index] === most).map(([name]) => name);
}

/** `.py` of `src/a.py`; null for folders and patterns without one. */
function endingOf(file: string): string | null {
  return /[^/](\.[A-Za-z]+)$/.exec(file)?.[1] ?? null;
}
