import { assertEquals } from "@std/assert";
import { finderOf, occurrences } from "../../../../../src/tools/fs/edit/_find_text.ts";
import { Random } from "../../../../random.ts";

Deno.test("a finder answers what indexOf answers, in repetitive texts too", () => {
  const random = new Random(21);
  for (let round = 0; round < 3000; round++) {
    const alphabet = random.once(2) ? ["a", "b"] : ["a", "aaaa", "b", "\n"];
    const text = random.text(400, alphabet);
    const start = random.below(text.length + 1);
    const wanted = random.once(3)
      ? random.text(80, alphabet) || "a"
      : text.slice(start, start + 1 + random.below(120)) || "b";
    const find = finderOf(wanted);
    // Again and again over one text: what it learns on the way must not change the answer.
    for (let from = 0; from <= text.length; from += 1 + random.below(20)) {
      assertEquals(find(text, from), text.indexOf(wanted, from), JSON.stringify([text, wanted]));
    }
  }
});

Deno.test("texts made to be slow to search are searched to their end", () => {
  const half = "a".repeat(20_000);
  const wanted = `${half}b${half}`;
  assertEquals(finderOf(wanted)("a".repeat(2_000_000), 0), -1);
  assertEquals(finderOf(wanted)(`${"a".repeat(1_000_000)}b${half}`, 0), 980_000);
});

Deno.test("occurrences do not overlap, as in replaceAll", () => {
  const cases: readonly (readonly [string, string])[] = [
    ["aaaa", "aa"],
    ["abababa", "aba"],
    ["a\n\n\nb", "\n\n"],
    [`${"ab".repeat(100)}x${"ab".repeat(100)}`, "ab".repeat(20)],
    ["", "a"],
  ];
  for (const [text, wanted] of cases) {
    const places: number[] = [];
    text.replaceAll(wanted, (_, at: number) => {
      places.push(at);
      return "";
    });
    assertEquals([...occurrences(text, wanted)], places);
  }
});
