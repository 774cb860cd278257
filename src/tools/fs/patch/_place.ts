/**
 * Where hunks go: at the line that they name plus what the hunks before were off by, else at the nearest place that
 * has their old lines, else the same with up to 2 lines of context at either end left out of account. As GNU patch
 * 2.7 does ("Imperfect Patches" in its manual), so that both accept the same patches and make the same of them.
 */

/** The most that context may be left out of account: `patch`'s own default. */
export const MAX_FUZZ = 2;

/** What a hunk looks for. */
export interface Pattern {
  /** Keys of its context and of the lines that it takes away. */
  readonly old: readonly string[];
  /** How many lines of context it begins and ends with. */
  readonly prefix: number;
  readonly suffix: number;
  /** The line that it names, from 1: where it begins, or for one without old lines what it goes behind. */
  readonly start: number;
}

/** What the hunks before left. */
export interface Progress {
  /** Added to the lines that hunks name. */
  readonly offset: number;
  /** Lines of the file, from the first, that are settled. */
  readonly frozen: number;
}

/** Where a hunk fits. `fuzz`: lines of its context that were left out of account at either end. */
export interface Placement {
  /** Where the old lines begin, from 1. */
  readonly line: number;
  readonly fuzz: number;
}

/** The line that the hunk is expected at. */
export function expectedLine({ old, start }: Pattern, { offset }: Progress): number {
  return start + (old.length === 0 ? 1 : 0) + offset;
}

/** Null where it fits nowhere. `pause` is called now and then. */
export function placeHunk(
  file: readonly string[],
  pattern: Pattern,
  progress: Progress,
  pause: () => void,
): Placement | null {
  const most = Math.min(MAX_FUZZ, Math.max(pattern.prefix, pattern.suffix));
  for (let fuzz = 0; fuzz <= most; fuzz++) {
    const line = locate(file, pattern, progress, fuzz, pause);
    if (line !== null) return { line, fuzz };
  }
  return null;
}

/**
 * With fewer lines of context at one end than at the other, the hunk is one of the file's beginning or end, and fits
 * nowhere else until as many are left out as are missing.
 */
function locate(
  file: readonly string[],
  pattern: Pattern,
  progress: Progress,
  fuzz: number,
  pause: () => void,
): number | null {
  const { old, prefix, suffix } = pattern;
  const guess = expectedLine(pattern, progress);
  if (old.length === 0) return guess;
  const context = Math.max(prefix, suffix);
  const before = fuzz + prefix - context;
  const after = fuzz + suffix - context;
  const skipped = { before: Math.max(before, 0), after: Math.max(after, 0) };
  const last = file.length - (old.length - after) + 1;
  const first = Math.max(progress.frozen + 1, 1);
  const fits = createMatcher(file, old, skipped, pause);

  if (before < 0 && pattern.start <= 1) {
    const isWhole = after >= 0 || (old.length === file.length && progress.frozen <= prefix);
    return isWhole && progress.frozen <= prefix && last >= 1 && fits(1) ? 1 : null;
  }
  if (after < 0) {
    const end = file.length - old.length + 1;
    return end >= first && fits(end) ? end : null;
  }
  const upwards = last - guess;
  const downwards = guess - first;
  const nearest = upwards < 0 ? -upwards : downwards < 0 ? -downwards : 0;
  for (let distance = nearest; distance <= Math.max(upwards, downwards); distance++) {
    if (distance <= upwards && fits(guess + distance)) return guess + distance;
    if (distance > 0 && distance <= downwards && fits(guess - distance)) return guess - distance;
  }
  return null;
}

/** Comparisons between two pauses. */
const PAUSE = 1 << 14;

/** Whether the old lines stand at a line, without those skipped at both ends. */
function createMatcher(
  file: readonly string[],
  old: readonly string[],
  skipped: { readonly before: number; readonly after: number },
  pause: () => void,
): (line: number) => boolean {
  const end = old.length - skipped.after;
  let left = PAUSE;
  return (line) => {
    for (let index = skipped.before; index < end; index++) {
      if (--left === 0) {
        pause();
        left = PAUSE;
      }
      if (file[line - 1 + index] !== old[index]) return false;
    }
    return true;
  };
}
