/** Random regular expressions, and texts that they have a chance with. */

import type { Random } from "../../../../random.ts";

const ATOMS = [
  "a",
  "b",
  "ab",
  "foo",
  "Bar",
  "k",
  "s",
  "_",
  " ",
  "\\.",
  ".",
  "\\w",
  "\\s",
  "\\d",
  "\\b",
  "\\x61",
  "\\u0062",
  "\\t",
  "[ab]",
  "[^a]",
  "[a-f]",
  "[k_]",
  "[\\w.]",
  "é",
  "日",
  "^",
  "$",
  "(?=a)",
  "(?!b)",
  "(?<=a)",
  "(?<!o)",
  "\\1",
  "-",
  "{",
  "\n",
] as const;
const SIGNS = ["*", "+", "?", "*?", "+?", "{2}", "{1,3}", "{0,1}", "{2,}", "{0}"] as const;

/** An expression that JavaScript compiles. */
export function randomPattern(random: Random): string {
  for (;;) {
    const source = alternatives(random, 3);
    try {
      new RegExp(source);
      return source;
    } catch {
      // A sign where none may stand.
    }
  }
}

function alternatives(random: Random, depth: number): string {
  const count = random.once(4) ? 2 + random.below(3) : 1;
  return Array.from({ length: count }, () => sequence(random, depth)).join("|");
}

function sequence(random: Random, depth: number): string {
  return Array.from({ length: random.once(12) ? 0 : 1 + random.below(4) }, () => {
    const one = depth > 0 && random.once(4)
      ? `${random.pick(["(", "(?:", "(?<n>"])}${alternatives(random, depth - 1)})`
      : random.pick(ATOMS);
    return random.once(4) ? one + random.pick(SIGNS) : one;
  }).join("");
}

const PIECES = [
  ..."abkso_. -{1",
  "foo",
  "Bar",
  "BAR",
  "A",
  "K",
  "ſ",
  "\u212a",
  "é",
  "É",
  "日",
  "🦕",
  "\t",
  "\r",
] as const;

/** Lines with and without `\r`. */
export function randomText(random: Random): string {
  return Array.from(
    { length: random.below(8) },
    () => random.text(7, PIECES) + random.pick(["\n", "\n", "\r\n"]),
  ).join("") + random.text(4, PIECES);
}
