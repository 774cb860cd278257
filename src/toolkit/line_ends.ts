/** Line ends: found as if all were `\n`, and given to new lines as the lines around them have them. */

/** How a line ends. */
export type LineEnd = "\n" | "\r\n";

/** A text with every `\r\n` as `\n`, and the way back. */
export interface Unified {
  readonly text: string;
  /** Of an index in `text`, the one in the original: before the `\r` where a line ends there. */
  toOriginal(index: number): number;
  /** The line end that the whole original has; null where it has both kinds, `\n` where it has none. */
  readonly sole: LineEnd | null;
  /** The first line end at or behind an index of `text`, else the last one before it. */
  endNear(index: number): LineEnd;
}

/** The text with `\n` alone, and the way back to where things stood in the original. */
export function unify(original: string): Unified {
  if (!original.includes("\r\n")) {
    return { text: original, toOriginal: (index) => index, sole: "\n", endNear: () => "\n" };
  }
  const text = original.replaceAll("\r\n", "\n");
  // Where in `text` the line ends are that were two characters.
  const long = new Uint32Array(original.length - text.length);
  for (let at = original.indexOf("\r\n"), n = 0; at >= 0; at = original.indexOf("\r\n", at + 2)) {
    long[n] = at - n;
    n++;
  }
  const breaks = breaksOf(text);
  const sole = long.length === breaks.length ? "\r\n" : null;
  return {
    text,
    toOriginal: (index) => index + countBelow(long, index),
    sole,
    endNear(index) {
      if (sole !== null) return sole;
      const near = Math.min(countBelow(breaks, index), breaks.length - 1);
      const at = breaks[near] ?? 0;
      return long[countBelow(long, at)] === at ? "\r\n" : "\n";
    },
  };
}

/**
 * The line ends of `lines` (all ended) that take the place of `old`: lines that stay keep theirs, those that stand
 * in for another take its, the rest that of the line before. `old` is not empty.
 */
export function pairedLineEnds(
  lines: readonly string[],
  old: readonly { readonly text: string; readonly end: LineEnd }[],
): readonly LineEnd[] {
  const partners = pairLines(lines, old.map(({ text }) => text));
  let end = old[0]?.end ?? "\n";
  return lines.map((_, index) => end = old[partners[index] ?? -1]?.end ?? end);
}

/** The lines of a text that have an end. */
export function endedLines(text: string): { readonly text: string; readonly end: LineEnd }[] {
  return text.split("\n").slice(0, -1).map((line) =>
    line.endsWith("\r") ? { text: line.slice(0, -1), end: "\r\n" } : { text: line, end: "\n" }
  );
}

/** For each line the index of the one it was or stands in for, or -1; indexes only rise. */
function pairLines(lines: readonly string[], old: readonly string[]): Int32Array {
  const partners = new Int32Array(lines.length).fill(-1);
  const room = Math.min(lines.length, old.length);
  let start = 0;
  while (start < room && lines[start] === old[start]) partners[start] = start++;
  let tail = 0;
  while (tail < room - start && lines[lines.length - 1 - tail] === old[old.length - 1 - tail]) {
    tail++;
    partners[lines.length - tail] = old.length - tail;
  }
  const places = new Map<string, number[]>();
  for (let index = old.length - tail - 1; index >= start; index--) {
    const line = old[index] ?? "";
    const known = places.get(line);
    if (known === undefined) places.set(line, [index]);
    else known.push(index);
  }
  let next = start;
  let gap = start;
  for (let index = start; index <= lines.length - tail; index++) {
    let partner = old.length - tail;
    if (index < lines.length - tail) {
      const left = places.get(lines[index] ?? "");
      while (left !== undefined && (left.at(-1) ?? Infinity) < next) left.pop();
      const found = left?.pop();
      if (found === undefined) continue;
      partner = found;
      partners[index] = partner;
    }
    // The lines between two that stayed stand in for those that were between them, one for one.
    for (let old = next; gap < index && old < partner; gap++, old++) partners[gap] = old;
    gap = index + 1;
    next = partner + 1;
  }
  return partners;
}

function breaksOf(text: string): Uint32Array {
  const breaks: number[] = [];
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) breaks.push(at);
  return Uint32Array.from(breaks);
}

/** How many of the rising numbers are below `limit`. */
function countBelow(rising: Uint32Array, limit: number): number {
  let low = 0;
  let high = rising.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((rising[middle] ?? Infinity) < limit) low = middle + 1;
    else high = middle;
  }
  return low;
}
