/** Where hunks without line numbers go: to the one place that has their old lines. */

import type { TextView } from "./_view.ts";
import type { Hunk } from "./_model.ts";

/** Where a hunk goes, from 1, or why it goes nowhere. */
export type HunkPosition =
  | { readonly line: number }
  | { readonly missing: "anchor"; readonly anchor: string }
  | { readonly missing: "lines"; readonly from: number }
  | { readonly several: readonly number[] };

/** Places of an ambiguous hunk that are told. */
const MAX_TOLD = 10;

/**
 * Only lines behind the `frozen` ones count. With anchors the first place behind them is taken; without, there must
 * be no other. Blanks at the ends of lines are looked past where nothing fits else.
 */
export function seekHunk(
  view: TextView,
  hunk: Hunk,
  frozen: number,
  pause: () => void,
): HunkPosition {
  const { anchors, atEnd } = hunk;
  const old = hunk.lines.filter(({ sign }) => sign !== "+").map(({ text }) => comparable(text));
  const texts = view.texts();
  let from = frozen;
  for (const anchor of anchors) {
    const found = findAnchor(texts, from, anchor, pause);
    if (found === null) return { missing: "anchor", anchor };
    // The anchor itself may be the hunk's first line of context.
    from = old[0]?.trim() === anchor.trim() ? found : found + 1;
  }
  if (old.length === 0) return { line: anchors.length > 0 ? from + 1 : texts.length + 1 };
  const exact = placesOf(texts, from, old, atEnd, pause);
  const places = exact.length > 0 ? exact : placesOf(
    texts.map((line) => line.trimEnd()),
    from,
    old.map((line) => line.trimEnd()),
    atEnd,
    pause,
  );
  const [first] = places;
  if (first === undefined) return { missing: "lines", from: from + 1 };
  if (places.length > 1 && anchors.length === 0) return { several: places };
  return { line: first };
}

/** As the view shows lines: this form of patches knows no carriage returns. */
function comparable(text: string): string {
  return text.endsWith("\r") ? text.slice(0, -1) : text;
}

function findAnchor(
  texts: readonly string[],
  from: number,
  anchor: string,
  pause: () => void,
): number | null {
  const plain = anchor.trim();
  for (const fits of [(line: string) => line === anchor, (line: string) => line.trim() === plain]) {
    for (let index = from; index < texts.length; index++) {
      if (index % 1024 === 0) pause();
      if (fits(texts[index] ?? "")) return index;
    }
  }
  return null;
}

function placesOf(
  texts: readonly string[],
  from: number,
  old: readonly string[],
  atEnd: boolean,
  pause: () => void,
): readonly number[] {
  const places: number[] = [];
  const last = texts.length - old.length;
  for (let start = atEnd ? Math.max(from, last) : from; start <= last; start++) {
    if (start % 256 === 0) pause();
    if (!old.every((line, index) => texts[start + index] === line)) continue;
    places.push(start + 1);
    if (places.length === MAX_TOLD) break;
  }
  return places;
}
