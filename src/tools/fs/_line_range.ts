/** Where lines lie in a text or its bytes: lines end at `\n`, and the last one need not. */

/** What lines of it, from 1 and both included; to the end where `end` is undefined. */
export interface LineRange {
  readonly start: number;
  readonly end: number | undefined;
}

/** Where in the text lines lie: indexes of its bytes or characters. */
export interface LocatedLines {
  /** Where the lines asked for begin and end, line ends included. */
  readonly from: number;
  readonly to: number;
  /** How many of the lines asked for there are. */
  readonly lines: number;
  readonly total: number;
}

/**
 * `nextBreak(from)` gives the index of the first `\n` at or behind `from`, or -1. A range that lies
 * behind the last line is empty.
 */
export function locateLines(
  length: number,
  nextBreak: (from: number) => number,
  range: LineRange,
): LocatedLines {
  const end = range.end ?? Infinity;
  let from = range.start === 1 ? 0 : length;
  let to = length;
  let total = 0;
  for (let at = 0; at < length;) {
    const lineEnd = nextBreak(at);
    at = lineEnd < 0 ? length : lineEnd + 1;
    total++;
    if (total === range.start - 1) from = at;
    if (total === end) to = at;
  }
  const lines = Math.max(0, Math.min(end, total) - range.start + 1);
  return { from, to: Math.max(from, to), lines, total };
}
