import { assert, assertEquals } from "@std/assert";
import { applyPatch } from "diff";
import { describeChange, LONGEST_DIFF, unifiedDiff } from "../../../src/toolkit/unified_diff.ts";
import { Random } from "../../random.ts";

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

Deno.test("what is alike before and behind a change is left out, and line numbers stay right", async () => {
  const random = new Random(6);
  for (let round = 0; round < 500; round++) {
    const lines = Array.from({ length: 40 }, () => random.pick(["a", "b", "c\r", ""]));
    const at = random.below(40);
    const changed = lines.toSpliced(at, random.below(3), ...random.text(3, ["x", "y"]));
    const end = random.pick(["", "\n"]);
    const [before, after] = [lines.join("\n") + end, changed.join("\n") + end];
    const diff = await unifiedDiff("x", before, after);
    // No fuzz: a hunk that is not where it says does not apply.
    assertEquals(applyPatch(before, diff, { fuzzFactor: 0 }), after);
    assert(diff.split("\n").length < 24, diff);
    const start = /^@@ -(\d+)/m.exec(diff)?.[1];
    assert(start === undefined || Math.abs(Number(start) - at) < 45);
  }
});

Deno.test("counts are those of the diff, and a long diff is cut with a word on it", async () => {
  assertEquals(await describeChange("x", "a\nb\n", "a\nc\nd"), {
    diff: "--- a/x\n+++ b/x\n@@ -1,2 +1,3 @@\n a\n-b\n+c\n+d\n\\ No newline at end of file\n",
    added_lines: 2,
    removed_lines: 1,
  });
  const added = Array.from({ length: 9000 }, (_, at) => `+ line ${at}\n`).join("");
  const { diff, added_lines, removed_lines } = await describeChange("x", "", added);
  assertEquals([added_lines, removed_lines], [9000, 0]);
  assert(diff.length < LONGEST_DIFF + 100, String(diff.length));
  const note = diff.split("\n").at(-2) ?? "";
  const left = Number(/^\\ (\d+) more lines of this diff/.exec(note)?.[1]);
  // Three lines of head, and the note.
  assertEquals(diff.split("\n").length - 1 + left, 9000 + 3 + 1);
  const endless = await describeChange("x", "", "x".repeat(100_000));
  assert(endless.diff.length < 200, endless.diff.slice(0, 300));
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
