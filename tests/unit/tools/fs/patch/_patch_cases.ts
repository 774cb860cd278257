/** Random files, patches and targets that have drifted from what the patches were made for. */

import { Random } from "../../../../random.ts";

export interface PatchCase {
  readonly target: string;
  readonly patch: string;
  /** What applying the patch to the file that it was made for gives. */
  readonly base: string;
  readonly changed: string;
}

type Edit = readonly [" " | "-" | "+", string];

/** Each line with its end; few different ones, so that places are ambiguous. */
function randomLines(random: Random, most: number, end: string): readonly string[] {
  const alphabet = Array.from(
    { length: 2 + random.below(20) },
    (_, index) => index === 0 ? "" : `line ${index}`,
  );
  const lines = Array.from({ length: random.below(most) }, () => random.pick(alphabet) + end);
  return random.once(4) && lines.length > 0 ? [...lines.slice(0, -1), "last without end"] : lines;
}

function randomEdits(
  random: Random,
  lines: readonly string[],
  rarity: number,
  end: string,
): readonly Edit[] {
  const edits = lines.flatMap((line): Edit[] => {
    if (!random.once(rarity)) return [[" ", line]];
    switch (random.below(3)) {
      case 0:
        return [["-", line]];
      case 1:
        return [["-", line], ["+", `new ${random.below(9)}${end}`]];
      default:
        return [["+", `added ${random.below(9)}${end}`], [" ", line]];
    }
  });
  // Nothing stands behind a line without end but what takes its place.
  const isEnded = lines.length === 0 || (lines.at(-1) ?? "").endsWith("\n");
  return isEnded && random.once(4) ? [...edits, ["+", `tail${random.once(2) ? "" : end}`]] : edits;
}

function sideOf(edits: readonly Edit[], other: "-" | "+"): string {
  return edits.filter(([sign]) => sign !== other).map(([, line]) => line).join("");
}

/** The edits as hunks with that much context; null where they change nothing. */
export function unifiedOf(edits: readonly Edit[], context: number): string | null {
  const isNear = (at: number) =>
    edits.slice(Math.max(0, at - context), at + context + 1).some(([sign]) => sign !== " ");
  const hunks: string[] = [];
  let [old, now] = [1, 1];
  for (let at = 0; at < edits.length;) {
    if (!isNear(at)) {
      at++;
      old++;
      now++;
      continue;
    }
    const body: string[] = [];
    const counts = { old: 0, now: 0 };
    for (; at < edits.length && isNear(at); at++) {
      const [sign, line] = edits[at] ?? [" ", ""];
      body.push(
        line.endsWith("\n") ? sign + line : `${sign}${line}\n\\ No newline at end of file\n`,
      );
      if (sign !== "+") counts.old++;
      if (sign !== "-") counts.now++;
    }
    const from = counts.old === 0 ? old - 1 : old;
    const to = counts.now === 0 ? now - 1 : now;
    hunks.push(`@@ -${from},${counts.old} +${to},${counts.now} @@\n${body.join("")}`);
    old += counts.old;
    now += counts.now;
  }
  return hunks.length === 0 ? null : `--- f\n+++ f\n${hunks.join("")}`;
}

/** The same cases for the same seed. */
export function* patchCases(seed: number, count: number): Iterable<PatchCase> {
  const random = new Random(seed);
  for (let made = 0; made < count;) {
    const end = random.once(5) ? "\r\n" : "\n";
    const lines = randomLines(random, 40, end);
    const edits = randomEdits(random, lines, 3 + random.below(12), end);
    const patch = unifiedOf(edits, random.pick([0, 1, 2, 3, 3, 3]));
    if (patch === null) continue;
    const drift = random.once(4) ? [] : randomEdits(random, lines, 4 + random.below(30), end);
    const moved = random.once(3)
      ? Array.from({ length: random.below(6) }, (_, index) => `moved ${index}${end}`).join("")
      : "";
    const target = moved + (drift.length === 0 ? lines.join("") : sideOf(drift, "-"));
    made++;
    yield { target, patch, base: lines.join(""), changed: sideOf(edits, "-") };
  }
}
