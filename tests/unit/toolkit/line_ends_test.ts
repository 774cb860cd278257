import { assert, assertEquals } from "@std/assert";
import { endedLines, pairedLineEnds, unify } from "../../../src/toolkit/line_ends.ts";
import { Random } from "../../random.ts";

Deno.test("unified text leads back to where it came from", () => {
  const random = new Random(3);
  for (let round = 0; round < 2000; round++) {
    const original = random.text(30, ["a", "\n", "\r\n", "\r", "b"]);
    const { text, toOriginal, sole } = unify(original);
    assertEquals(text, original.replaceAll("\r\n", "\n"));
    const rebuilt = Array.from(
      { length: text.length },
      (_, index) => original.slice(toOriginal(index), toOriginal(index + 1)),
    );
    assertEquals(rebuilt.join(""), original);
    rebuilt.forEach((piece, index) => assertEquals(piece.replace("\r\n", "\n"), text[index]));
    const ends = original.match(/\r?\n/g) ?? [];
    const kinds = new Set(ends);
    assertEquals(sole, kinds.size === 2 ? null : kinds.has("\r\n") ? "\r\n" : "\n");
  }
});

Deno.test("the line end nearby is the next, else the last", () => {
  const { text, endNear } = unify("a\r\nb\nc\r\nd");
  assertEquals(text, "a\nb\nc\nd");
  assertEquals(Array.from(text, (_, at) => endNear(at)), [
    "\r\n",
    "\r\n",
    "\n",
    "\n",
    "\r\n",
    "\r\n",
    "\r\n",
  ]);
  assertEquals(unify("abc").endNear(1), "\n");
});

Deno.test("lines that stay keep their ends, others take those of the lines they stand in for", () => {
  const L = "\n";
  const C = "\r\n";
  const cases: readonly (readonly [string, string, readonly string[]])[] = [
    ["a\r\nb\nc\r\n", "a\nB\nc\n", [C, L, C]],
    ["a\nb\r\nc\n", "a\nB\nc\n", [L, C, L]],
    ["a\r\nb\nc\r\n", "a\nnew\nb\nc\n", [C, C, L, C]],
    ["a\r\nb\nc\r\n", "a\nb\nnew\nc\n", [C, L, L, C]],
    ["a\r\nb\nc\r\n", "c\n", [C]],
    ["a\r\nb\nc\r\n", "b\n", [L]],
    ["a\r\nb\nc\r\n", "new\nb\nother\n", [C, L, C]],
    ["a\nb\r\n", "x\ny\nz\n", [L, C, C]],
    ["a\nx\r\na\nx\r\n", "a\na\n", [L, L]],
    ["a\nb\r\nc\nd\r\n", "b\nX\nd\n", [C, L, C]],
    ["a\r\nb\n", "", []],
  ];
  for (const [old, now, ends] of cases) {
    const lines = now.split("\n").slice(0, -1);
    assertEquals(pairedLineEnds(lines, endedLines(old)), ends, JSON.stringify([old, now]));
  }
});

Deno.test("every line gets an end that was there, and equal texts get theirs back", () => {
  const random = new Random(4);
  for (let round = 0; round < 2000; round++) {
    const old = random.text(12, ["a\n", "a\r\n", "b\n", "b\r\n", "\n", "\r\n"]) || "a\r\n";
    const lines = endedLines(old).map(({ text }) => text);
    assertEquals(
      pairedLineEnds(lines, endedLines(old)).map((end, at) => (lines[at] ?? "") + end).join(""),
      old,
    );
    const others = Array.from({ length: random.below(10) }, () => random.pick(["a", "b", "c"]));
    const ends = pairedLineEnds(others, endedLines(old));
    assertEquals(ends.length, others.length);
    for (const end of ends) assert(old.includes(end));
  }
});
