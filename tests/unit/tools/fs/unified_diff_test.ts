import { assert, assertEquals } from "@std/assert";
import { applyPatch } from "diff";
import { unifiedDiff } from "../../../../src/tools/fs/_unified_diff.ts";
import { Random } from "../../../random.ts";

Deno.test("a unified diff turns the old text into the new one", async () => {
  const random = new Random(5);
  const randomText = () => {
    const lines = Array.from(
      { length: random.below(12) },
      () => random.pick(["a", "b", "c", "", "\r"]),
    );
    return lines.join("\n") + (random.below(2) === 0 ? "\n" : "");
  };
  for (let round = 0; round < 2000; round++) {
    const [before, after] = [randomText(), randomText()];
    const diff = await unifiedDiff("x", before, after);
    assertEquals(diff === "", before === after);
    assertEquals(applyPatch(before, diff), after, JSON.stringify({ before, after, diff }));
  }
});

Deno.test("texts with thousands of differences still get a diff that is right", async () => {
  const before = Array.from({ length: 6000 }, (_, line) => `old ${line}\n`).join("");
  const after = Array.from({ length: 6000 }, (_, line) => `new ${line}\n`).join("");
  const wrap = (inner: string) => `first\n${inner}last\n`;
  const diff = await unifiedDiff("x", wrap(before), wrap(after));
  assert(diff.includes("@@ -2,6000 +2,6000 @@"));
  assertEquals(applyPatch(wrap(before), diff), wrap(after));
  const grown = await unifiedDiff("x", "", after);
  assertEquals(applyPatch("", grown), after);
  const emptied = await unifiedDiff("x", before, "");
  assertEquals(applyPatch(before, emptied), "");
});

Deno.test("a path cannot forge lines of a diff", async () => {
  const diff = await unifiedDiff("a\n+++ b/etc/passwd", "x\n", "y\n");
  assertEquals(diff.split("\n").filter((line) => line.startsWith("+++ ")).length, 1);
});
