import { assertEquals } from "@std/assert";
import { Tally } from "../../../../scripts/testing/tally.ts";

Deno.test("the last line counts all of it, and what failed stands before it", () => {
  const tally = new Tally();
  tally.add({ passed: 3, failed: 0 }, "");
  tally.add({ passed: 2, failed: 1 }, "a: why");
  tally.fail("it was not built");
  assertEquals(tally.counts, { passed: 5, failed: 2 });
  assertEquals(
    tally.report(),
    "\nWhat failed:\n\na: why\n\nit was not built\n\n5 passed, 2 failed",
  );
});

Deno.test("a run without any test says so; parts of the work are told with their times", async () => {
  const tally = new Tally();
  assertEquals(await tally.part("build", () => Promise.resolve(7)), 7);
  assertEquals(tally.report().split("\n").map((line) => line.replace(/ \d+ s$/, "")), [
    "no test has such a name",
    "build",
    "0 passed, 0 failed",
  ]);
});
