/** The passage of a text that comes closest to one that is not in it: found by its rare words, then compared. */

import {
  compareInLine,
  compareLines,
  type Comparison,
  lineIndexAt,
  type Lines,
} from "./compare_passage.ts";
import { occurrences } from "./_find_text.ts";

/** Words that are looked for; more would say little more. */
const MAX_WORDS = 64;
/** Characters of a line in which words are sought, of a line that is sought as a whole, and of a word. */
const MAX_LINE = 10_000;
const MAX_WHOLE = 200;
const MAX_WORD = 32;
/** Places of a word that are looked at: one with more tells little of where the passage is. */
const MAX_PLACES = 256;
/** Places that are compared. */
const MAX_CANDIDATES = 12;
/** Likeness below which a passage is not worth showing, and from which no better one is looked for. */
const LEAST = 0.4;
const ENOUGH = 0.85;

/** Words, and what stands between them. */
const WORDS = /[\p{L}\p{N}_]{2,}|[^\s\p{L}\p{N}_]+/gu;
/** Where no word is as it should be, a part of it may be. */
const PIECES = /\S{4}/g;

/** One thing to look for, and where it stands in what is wanted. */
interface Anchor {
  readonly text: string;
  readonly line: number;
  readonly column: number;
}

/**
 * `\n` is the only line end of both. Null where nothing is alike. The time it takes grows with the length of the
 * text, not with its product with the other's.
 */
export function closestPassage(lines: Lines, wanted: readonly string[]): Comparison | null {
  const { text } = lines;
  const words = anchorsOf(wanted, WORDS);
  const lower = (): string => {
    const folded = text.toLowerCase();
    // Of another length, it would not have its lines where the text has them.
    return folded.length === text.length ? folded : text;
  };
  const attempts: readonly (() => Comparison | null)[] = [
    () => bestOf(lines, wanted, text, words),
    () =>
      bestOf(
        lines,
        wanted,
        lower(),
        words.map((one) => ({ ...one, text: one.text.toLowerCase() })),
      ),
    () => bestOf(lines, wanted, text, anchorsOf(wanted, PIECES)),
  ];
  let best: Comparison | null = null;
  for (const attempt of attempts) {
    best = better(best, attempt());
    if (best !== null && best.likeness >= ENOUGH) return best;
  }
  return best !== null && best.likeness >= LEAST ? best : null;
}

function better(a: Comparison | null, b: Comparison | null): Comparison | null {
  return a === null || (b !== null && b.likeness > a.likeness) ? b : a;
}

/** Lines spread over all that is wanted, each as a whole and by its longest words. */
function anchorsOf(wanted: readonly string[], pattern: RegExp): readonly Anchor[] {
  const filled = wanted.map((text, line) => ({ text, line })).filter(({ text }) => /\S/.test(text));
  const step = Math.ceil(filled.length / (MAX_WORDS / 2));
  const chosen = filled.filter((_, index) => index % step === 0);
  const share = Math.floor(MAX_WORDS / chosen.length);
  return chosen.flatMap(({ text, line }) => {
    const whole = text.trim().slice(0, MAX_WHOLE);
    const words = [...text.slice(0, MAX_LINE).matchAll(pattern)]
      .map((match) => ({ text: match[0].slice(0, MAX_WORD), line, column: match.index }))
      .sort((a, b) => b.text.length - a.text.length)
      .slice(0, share);
    return [{ text: whole, line, column: text.indexOf(whole) }, ...words];
  });
}

/** `searched`: the text itself, or in lower case. */
function bestOf(
  lines: Lines,
  wanted: readonly string[],
  searched: string,
  anchors: readonly Anchor[],
): Comparison | null {
  const [only] = wanted;
  const single = wanted.length === 1 && only !== undefined;
  // For lines, or for offsets where the passage lies in one line, which may be as long as the file.
  const votes = new Map<number, number>();
  for (const anchor of anchors) {
    const places = placesOf(searched, anchor.text);
    const starts = new Set(places.map((place) => {
      const line = lineIndexAt(lines, place);
      return single
        ? Math.max(place - anchor.column, lines.starts[line] ?? 0)
        : Math.max(line - anchor.line, 0);
    }));
    const weight = anchor.text.length / places.length;
    for (const start of starts) votes.set(start, (votes.get(start) ?? 0) + weight);
  }
  return [...votes]
    .sort((a, b) => b[1] - a[1] || a[0] - b[0])
    .slice(0, MAX_CANDIDATES)
    .map(([start]) =>
      single ? compareInLine(lines, start, only) : compareLines(lines, start, wanted)
    )
    .reduce(better, null as Comparison | null);
}

function placesOf(text: string, word: string): readonly number[] {
  const places: number[] = [];
  for (const at of occurrences(text, word)) {
    places.push(at);
    if (places.length === MAX_PLACES) break;
  }
  return places;
}
