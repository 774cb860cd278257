/** A passage of a text beside one that it may have been meant to be: how alike they are, and where they part. */

/** The lines of a text, without their ends, found without splitting it. */
export interface Lines {
  readonly text: string;
  /** Offsets where lines begin; the last line may be empty. */
  readonly starts: Uint32Array;
}

/**
 * Where the first difference is: the index of the text's line and that of the wanted one. `changed`: the one
 * stands for the other; `extra`: the text has `count` lines there that are not wanted; `missing`: it lacks `count`
 * that are, at its end too.
 */
export interface FirstDifference {
  readonly kind: "changed" | "extra" | "missing";
  readonly line: number;
  readonly wanted: number;
  readonly count: number;
  /** Where the compared part of the line begins. */
  readonly column: number;
}

/** How like a passage is to what was looked for. */
export interface Comparison {
  /** From 0 to 1. */
  readonly likeness: number;
  /** Indexes of the text's lines from the first up to but without the last. */
  readonly from: number;
  readonly to: number;
  /** Null where no line differs. */
  readonly first: FirstDifference | null;
}

/** How far one text may be ahead of the other and still be found again. */
const AHEAD = 3;
/** What a line must hold to be found again by: closing brackets stand everywhere. */
const TELLING = /\S\s*\S\s*\S/;
/** Characters of a line that count, so that one long line does not outweigh all. */
const MAX_WEIGHT = 100;

/** The text with the index at which each line begins. */
export function linesOf(text: string): Lines {
  const starts = [0];
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) starts.push(at + 1);
  return { text, starts: Uint32Array.from(starts) };
}

/** The line with an index; undefined behind the last. */
export function lineAt({ text, starts }: Lines, index: number): string | undefined {
  const start = starts[index];
  return start === undefined ? undefined : text.slice(start, (starts[index + 1] ?? Infinity) - 1);
}

/** As `lineAt`: what stands behind the last line end is a line only for who wants an empty one. */
export function lineFor(asked: string, lines: Lines, index: number): string | undefined {
  const line = lineAt(lines, index);
  return line === "" && asked !== "" && index === lines.starts.length - 1 ? undefined : line;
}

/** Index of the line that an offset lies in. */
export function lineIndexAt({ starts }: Lines, offset: number): number {
  let low = 0;
  let high = starts.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((starts[middle] ?? 0) <= offset) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** From an offset on, with what is wanted in one line. */
export function compareInLine(lines: Lines, offset: number, wanted: string): Comparison {
  const line = lineIndexAt(lines, offset);
  const own = lineAt(lines, line) ?? "";
  const column = offset - (lines.starts[line] ?? 0);
  const part = likenessOf(own.slice(column, column + wanted.length), wanted);
  const whole = likenessOf(own, wanted);
  const first = { kind: "changed", line, wanted: 0, count: 1 } as const;
  return {
    likeness: Math.max(part, whole),
    from: line,
    to: line + 1,
    first: { ...first, column: whole >= part ? 0 : column },
  };
}

/**
 * From a line on. Of the first wanted line the text's may hold more before it, of the last more behind it. Lines
 * that only one of the two has are passed over, up to 3 at once.
 */
export function compareLines(lines: Lines, from: number, wanted: readonly string[]): Comparison {
  const last = wanted.length - 1;
  let first: FirstDifference | null = null;
  let sum = 0;
  let weights = 0;
  let line = from;
  for (let index = 0; index <= last;) {
    const asked = wanted[index] ?? "";
    const whole = lineFor(asked, lines, line);
    const weight = weightOf(asked);
    if (whole === undefined) {
      first ??= { kind: "missing", line, wanted: index, count: last + 1 - index, column: 0 };
      weights += weight;
      index++;
      continue;
    }
    const column = index === 0 ? Math.max(0, whole.length - asked.length) : 0;
    const own = index === 0
      ? whole.slice(column)
      : index === last
      ? whole.slice(0, asked.length)
      : whole;
    if (own !== asked && own.trim() !== asked.trim()) {
      const extra = distanceTo(asked, (ahead) => lineAt(lines, line + ahead));
      const missing = distanceTo(whole, (ahead) => wanted[index + ahead]);
      if (extra > 0 && (missing === 0 || extra <= missing)) {
        first ??= { kind: "extra", line, wanted: index, count: extra, column: 0 };
        weights += weight / 2;
        line += extra;
        continue;
      }
      if (missing > 0) {
        first ??= { kind: "missing", line, wanted: index, count: missing, column: 0 };
        weights += wanted.slice(index, index + missing).reduce(
          (all, one) => all + weightOf(one),
          0,
        );
        index += missing;
        continue;
      }
    }
    if (own !== asked) first ??= { kind: "changed", line, wanted: index, count: 1, column: 0 };
    weights += weight;
    sum += weight * (own === asked ? 1 : likenessOf(whole, asked));
    index++;
    line++;
  }
  return { likeness: sum / weights, from, to: line, first };
}

function weightOf(line: string): number {
  return 1 + Math.min(line.trim().length, MAX_WEIGHT);
}

/** How many lines ahead the line is again; 0 where it is not, or tells nothing. */
function distanceTo(line: string, ahead: (distance: number) => string | undefined): number {
  if (!TELLING.test(line)) return 0;
  const plain = line.trim();
  for (let distance = 1; distance <= AHEAD; distance++) {
    if (ahead(distance)?.trim() === plain) return distance;
  }
  return 0;
}

/** 1 for equal lines, a little less where only blanks around them differ, else by what both begin and end with. */
function likenessOf(a: string, b: string): number {
  if (a === b) return 1;
  const [one, other] = [a.trim(), b.trim()];
  if (one === other) return 0.95;
  if (one.length === other.length && one.toLowerCase() === other.toLowerCase()) return 0.9;
  const room = Math.min(one.length, other.length);
  let start = 0;
  while (start < room && one.charCodeAt(start) === other.charCodeAt(start)) start++;
  let end = 0;
  while (
    end < room - start &&
    one.charCodeAt(one.length - 1 - end) === other.charCodeAt(other.length - 1 - end)
  ) end++;
  return 0.9 * (start + end) / Math.max(one.length, other.length, 1);
}
