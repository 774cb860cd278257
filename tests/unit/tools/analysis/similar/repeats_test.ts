import { assert, assertEquals } from "@std/assert";
import { findRepeats } from "../../../../../src/tools/analysis/similar/repeats.ts";
import type { Tokens } from "../../../../../src/tools/analysis/similar/tokens.ts";

const LEAST = 50;

/** Different words, and no others for another number. */
const wordsOf = (part: number) => Array.from({ length: 40 }, (_, at) => 100 + 40 * part + at);

/** A file for each list of parts, one after the other. */
function tokensOf(...files: readonly (readonly number[])[]): Tokens {
  const texts = files.map((parts) => parts.flatMap(wordsOf));
  let end = 0;
  const places = texts.map(({ length }) => ({ start: end, end: end += length, grammar: "c" }));
  return {
    plain: Uint32Array.from(texts.flat()),
    files: places,
    fileOf: (word: number) => places.find(({ start, end }) => start <= word && word < end),
  } as unknown as Tokens;
}

Deno.test("a copy is found whose every part stands in files between it and what it is of, too", () => {
  // Each row of words of the first stands in a file that lies nearer than the copy of all of it, which is the last.
  const repeats = findRepeats(
    tokensOf([1, 2, 3], [1, 2, 8], [9, 2, 3], [1, 2, 3]),
    LEAST,
    () => {},
  );
  assert(
    repeats.some(({ first, second, length }) => first === 0 && second === 360 && length === 120),
  );
});

Deno.test("rows of the same two files are told each, and once", () => {
  const repeats = findRepeats(tokensOf([1, 2, 7, 3, 4], [1, 2, 8, 3, 4]), LEAST, () => {});
  assertEquals(repeats.toSorted((a, b) => a.first - b.first), [
    { first: 0, second: 200, length: 80 },
    { first: 120, second: 320, length: 80 },
  ]);
});
