import { assert, assertEquals, assertRejects } from "@std/assert";
import { batchesOf, inTurns } from "../../../../scripts/testing/batches.ts";
import { Random } from "../../../random.ts";

const file = (path: string, seconds: number) => ({ path, seconds });

Deno.test("what takes long comes first and alone, what is short shares a process", () => {
  const files = [file("a", 1), file("b", 30), file("c", 2), file("d", 0.5), file("e", 10)];
  assertEquals(batchesOf(files, 2), [["b"], ["e"], ["c", "a", "d"]]);
  assertEquals(batchesOf([], 2), []);
});

Deno.test("each file is in one batch, whatever the durations and the processes", () => {
  const random = new Random(20_261_122);
  for (let round = 0; round < 200; round++) {
    const files = Array.from(
      { length: random.below(60) },
      (_, index) => file(`${index}`, random.below(1000) / (1 + random.below(50))),
    );
    const batches = batchesOf(files, 1 + random.below(8));
    assertEquals(batches.flat().toSorted(), files.map(({ path }) => path).toSorted());
    assert(batches.every((batch) => batch.length > 0));
  }
});

Deno.test("items are begun in their order, never more than so many at once, and all are done", async () => {
  let running = 0;
  let most = 0;
  const begun: number[] = [];
  await inTurns([1, 2, 3, 4, 5, 6, 7], 3, async (item) => {
    begun.push(item);
    most = Math.max(most, ++running);
    // Each gives its turn up a different number of times, so that they end in another order than they began.
    for (let turn = 0; turn < 7 - item; turn++) await Promise.resolve();
    running--;
  });
  assertEquals([begun, most, running], [[1, 2, 3, 4, 5, 6, 7], 3, 0]);
  await assertRejects(() => inTurns([1], 2, () => Promise.reject(new Error("no"))), Error, "no");
});

Deno.test("items that come later are waited for, while those that are there are worked on", async () => {
  const later = Promise.withResolvers<void>();
  const begun: number[] = [];
  await inTurns(
    (async function* () {
      yield* [1, 2, 3];
      await later.promise;
      yield* [4, 5];
    })(),
    2,
    (item) => {
      begun.push(item);
      if (item === 3) later.resolve();
      return Promise.resolve();
    },
  );
  assertEquals(begun, [1, 2, 3, 4, 5]);
});
