import { assert, assertEquals } from "@std/assert";
import { clip, plain, textWidth, wrap } from "../../../../src/cli/render/plain_text.ts";
import { Random } from "../../../random.ts";

const PIECES = ["a", "Z", " ", "é", "漢", "🦕", "e\u0301", "\u200b", "…", "\ud800", "한", "ｗ"];

Deno.test("what could steer a terminal is shown, and line ends of Windows are plain ones", () => {
  const cases: readonly (readonly [string, string])[] = [
    ["a\tb\nc", "a\tb\nc"],
    ["a\r\nb\r\n", "a\nb\n"],
    ["50 %\r100 %", "50 %\\r100 %"],
    ["\x1b[31mred", "\\x1b[31mred"],
    ["\x9b31m\x7f\0", "\\x9b31m\\x7f\\x00"],
    ["user\u202enimda", "user\\u202enimda"],
    ["a\u2028b\u2066c", "a\\u2028b\\u2066c"],
    ["漢字 🦕 é", "漢字 🦕 é"],
  ];
  for (const [text, shown] of cases) assertEquals(plain(text), shown);
});

Deno.test("widths are columns of the terminal", () => {
  const cases: readonly (readonly [string, number])[] = [
    ["", 0],
    ["abc", 3],
    ["漢字", 4],
    ["한국", 4],
    ["🦕", 2],
    ["e\u0301", 1],
    ["a\u200bb", 2],
    ["naïve…", 6],
  ];
  for (const [text, width] of cases) assertEquals(textWidth(text), width, text);
});

Deno.test("what is clipped fits, says that it is, and keeps the end that counts", () => {
  assertEquals(clip("src/cli/render/render.ts", 10), "src/cli/r…");
  assertEquals(clip("src/cli/render/render.ts", 10, "end"), "…render.ts");
  assertEquals(clip("漢字漢字", 5), "漢字…");
  assertEquals(clip("漢字漢字", 4), "漢…");
  assertEquals(clip("abc", 3), "abc");
  assertEquals(clip("abc", 0), "");
  const random = new Random(1);
  for (let round = 0; round < 3_000; round++) {
    const text = random.text(30, PIECES);
    const width = random.below(20);
    for (const keep of ["start", "end"] as const) {
      const cut = clip(text, width, keep);
      assert(textWidth(cut) <= width, JSON.stringify([text, width, cut]));
      assertEquals(cut === text, textWidth(text) <= width);
    }
  }
});

Deno.test("wrapped lines fit and hold every word", () => {
  assertEquals(wrap("one two three", 8), ["one two", "three"]);
  assertEquals(wrap("a longwordhere b", 4), ["a", "longwordhere", "b"]);
  assertEquals(wrap("", 5), [""]);
  const random = new Random(2);
  for (let round = 0; round < 1_000; round++) {
    const words = Array.from(
      { length: 1 + random.below(20) },
      () => `w${random.text(6, PIECES.slice(3))}`,
    );
    const lines = wrap(words.join(" "), 12);
    assertEquals(lines.join(" "), words.join(" "));
    assert(lines.every((line) => textWidth(line) <= 12 || !line.includes(" ")));
  }
});
