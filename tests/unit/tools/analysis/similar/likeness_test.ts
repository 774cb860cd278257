import { assertEquals } from "@std/assert";
import { likeness } from "../../../../../src/tools/analysis/similar/likeness.ts";
import { Random } from "../../../../random.ts";

/** The longest common subsequence by the table of both rows, place by place. */
function longest(a: Uint32Array, b: Uint32Array): number {
  const table = Array.from({ length: a.length + 1 }, () => new Uint16Array(b.length + 1));
  for (const [i, word] of a.entries()) {
    for (const [j, other] of b.entries()) {
      const [above, row] = [table[i] as Uint16Array, table[i + 1] as Uint16Array];
      row[j + 1] = word === other ? (above[j] ?? 0) + 1 : Math.max(above[j + 1] ?? 0, row[j] ?? 0);
    }
  }
  return table.at(-1)?.at(-1) ?? 0;
}

Deno.test("rows are as alike as their longest common subsequence is long", () => {
  const random = new Random(19);
  for (let round = 0; round < 400; round++) {
    // On both sides of the words that are held against another at once, and of twice as many.
    const words = 1 + random.below(12);
    const rowOf = () => Uint32Array.from({ length: random.below(100) }, () => random.below(words));
    const one = rowOf();
    const other = random.once(2) ? rowOf() : one.filter(() => !random.once(10));
    const both = one.length + other.length;
    const expected = both === 0 ? 1 : 2 * longest(one, other) / both;
    assertEquals(likeness(one, other), expected, `${one} and ${other}`);
  }
});
