import { assertEquals } from "@std/assert";
import { groupsOf } from "../../../../../src/tools/analysis/similar/groups.ts";
import type { Tokens } from "../../../../../src/tools/analysis/similar/tokens.ts";

/** Words of each file, which is one function. */
const LENGTH = 10;

/** So many files of the same words. */
function tokensOf(files: number): Tokens {
  const words = new Uint32Array(files * LENGTH);
  return {
    plain: words,
    exact: words,
    firstLines: words.map((_, at) => at % LENGTH),
    lastLines: words.map((_, at) => at % LENGTH),
    fileOf: (at: number) => ({ path: `${Math.floor(at / LENGTH)}`, grammar: "c" }),
  } as unknown as Tokens;
}

const rowOf = (file: number) => ({ start: file * LENGTH, end: (file + 1) * LENGTH });

/** All files are alike the first; the last two are the same. */
function groupedOf(files: number): readonly (readonly [kind: string, places: number])[] {
  const alike = Array.from({ length: files - 1 }, (_, at) => ({
    first: rowOf(0),
    second: rowOf(at + 1),
    similarity: 0.8,
  }));
  const [first, second] = [rowOf(files - 2).start, rowOf(files - 1).start];
  return groupsOf(tokensOf(files), [{ first, second, length: LENGTH }], alike)
    .map(({ kind, places }) => [kind, places.length]);
}

Deno.test("what lies in a larger group is told apart where that does not name it", () => {
  assertEquals(groupedOf(100), [["changed", 100]]);
  assertEquals(groupedOf(103), [["changed", 100], ["exact", 2]]);
});
