/** What the segments of globs have to do with each other: which takes all that another takes, which share a name. */

import { DEEP, type GlobSegment } from "../../core/glob.ts";
import { matchesSegment, type SegmentPattern } from "../../core/glob_segment.ts";
import type { Budget } from "./_budget.ts";
import { type Alphabet, ANY, mayMeet, RUN, type Sequence, takesAll } from "./_sequence.ts";

/** A segment that is no `**`. */
export type NameSegment = Exclude<GlobSegment, typeof DEEP>;

type Token = SegmentPattern["tokens"][number];
type Letter = Exclude<Token, -1>;
type CharacterClass = Exclude<Token, number>;

/** As `core/glob_segment.ts` has them: `*`, and `?`. */
const STAR = -1;
const ANY_CHARACTER = -2;

const CHARACTERS: Alphabet<Letter> = {
  covers(wide, narrow) {
    if (wide === ANY_CHARACTER) return true;
    if (narrow === ANY || narrow === ANY_CHARACTER) return false;
    if (typeof narrow === "number") {
      return typeof wide === "number" ? wide === narrow : accepts(wide, narrow);
    }
    return typeof wide === "number"
      ? !narrow.negated && narrow.ranges.every(([from, to]) => from === wide && to === wide)
      : classCovers(wide, narrow);
  },
  meet(a, b) {
    if (a === ANY_CHARACTER || b === ANY_CHARACTER) return true;
    if (typeof a === "number") return typeof b === "number" ? a === b : accepts(b, a);
    if (typeof b === "number") return accepts(a, b);
    if (a.negated || b.negated) return true;
    return a.ranges.some((one) => b.ranges.some((other) => overlap(one, other)));
  },
};

type Range = readonly [number, number];

function accepts({ negated, ranges }: CharacterClass, point: number): boolean {
  return ranges.some(([from, to]) => point >= from && point <= to) !== negated;
}

function overlap(a: Range, b: Range): boolean {
  return a[0] <= b[1] && b[0] <= a[1];
}

function within(inner: Range, outer: Range): boolean {
  return inner[0] >= outer[0] && inner[1] <= outer[1];
}

function classCovers(wide: CharacterClass, narrow: CharacterClass): boolean {
  if (!narrow.negated) {
    return narrow.ranges.every((range) =>
      wide.negated
        ? !wide.ranges.some((other) => overlap(range, other))
        : wide.ranges.some((other) => within(range, other))
    );
  }
  // All but these is in all but those, where those are among these.
  return wide.negated &&
    wide.ranges.every((range) => narrow.ranges.some((other) => within(range, other)));
}

function sequenceOf({ tokens }: SegmentPattern): Sequence<Letter> {
  return tokens.map((token) => token === STAR ? RUN : token as Letter);
}

function isStar(segment: NameSegment): boolean {
  return typeof segment !== "string" && segment.tokens.every((token) => token === STAR);
}

/** The alphabet whose letters are names, as far as the budget goes. */
export function segmentAlphabet(budget: Budget): Alphabet<NameSegment> {
  return {
    covers(wide, narrow) {
      if (isStar(wide)) return true;
      if (narrow === ANY) return false;
      if (typeof narrow === "string") {
        return typeof wide === "string" ? wide === narrow : matchesSegment(wide, narrow);
      }
      if (typeof wide === "string") return false;
      return wide.source === narrow.source ||
        takesAll(sequenceOf(wide), sequenceOf(narrow), CHARACTERS, budget);
    },
    meet(a, b) {
      if (typeof a === "string") return typeof b === "string" ? a === b : matchesSegment(b, a);
      if (typeof b === "string") return matchesSegment(a, b);
      return mayMeet(sequenceOf(a), sequenceOf(b), CHARACTERS, budget);
    },
  };
}

/** The segments of one alternative of a glob as a sequence of names. */
export function namesOf(segments: readonly GlobSegment[]): Sequence<NameSegment> {
  return segments.map((segment) => segment === DEEP ? RUN : segment);
}
