/** Texts with `*` compared with each other. */

import type { TextPattern } from "../match/text_pattern.ts";
import type { Budget } from "./_budget.ts";
import { type Alphabet, ANY, RUN, type Sequence, takesAll } from "./_sequence.ts";

const LETTERS: Alphabet<string> = {
  covers: (wide, narrow) => narrow !== ANY && wide === narrow,
  meet: (a, b) => a === b,
};

function sequenceOf({ pieces }: TextPattern): Sequence<string> {
  return pieces.flatMap((piece, at) => at === 0 ? [...piece] : [RUN, ...piece]);
}

/** Whether `wide` surely takes every text that `narrow` takes. */
export function textCovers(wide: TextPattern, narrow: TextPattern, budget: Budget): boolean {
  return takesAll(sequenceOf(wide), sequenceOf(narrow), LETTERS, budget);
}
