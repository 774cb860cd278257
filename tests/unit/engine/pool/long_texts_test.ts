/** Long texts of an input come to its thread as they were, and in pieces that are made when they are asked for. */

import { assert, assertEquals } from "@std/assert";
import { piecesOf, putTexts, takeTexts } from "../../../../src/engine/pool/_long_texts.ts";
import { Random } from "../../../random.ts";

/** As the message takes it: a header line, and what follows it. */
function crossed(input: unknown): unknown {
  const { input: marked, texts } = takeTexts(input);
  if (texts.length === 0) return marked;
  const [first = "", ...rest] = [...piecesOf(texts)];
  assert(first.startsWith("\n"));
  return putTexts(JSON.parse(JSON.stringify(marked)), [first.slice(1), ...rest].join(""));
}

const LONG = 70_000;

Deno.test("an input arrives as it was, whatever is in its texts", () => {
  const random = new Random(14);
  const pieces = ["a", "\n", '"', "\\", "\0", "\0\0", "0", "é", "🦕", "\ud83e", "\udd95", "\u2028"];
  for (let round = 0; round < 40; round++) {
    const unit = random.text(9, pieces) || "x";
    const long = () => random.text(3, pieces) + unit.repeat(Math.ceil(LONG / unit.length));
    const input = random.pick([
      { path: "a", content: long() },
      { edits: [{ old: "\0" + "0", new: long() }, { old: long(), new: "\0\0" }], 7: long(), n: 1 },
      { a: null, b: [true, [], {}], c: long(), d: `\0${unit}` },
      JSON.parse(`{"__proto__":${JSON.stringify(long())},"a":"\\u00000"}`),
      { argv: ["a", "\0"], path: unit },
    ]);
    const got = crossed(input);
    assert(JSON.stringify(got) === JSON.stringify(input), JSON.stringify(unit));
    assertEquals(Object.keys(got as object), Object.keys(input));
  }
});

Deno.test("an input with nothing long in it is sent as it is", () => {
  const input = { path: "\0", list: ["\0\0", 1, null] };
  const { input: same, texts } = takeTexts(input);
  assert(same === input);
  assertEquals(texts, []);
});

Deno.test("no piece is made before it is asked for, and none is long", () => {
  const pieces = piecesOf(["\ud83e".repeat(1_000_000)]);
  let count = 0;
  for (const piece of pieces) {
    assert(piece.length <= 6 * (1 << 16), String(piece.length));
    count++;
  }
  assert(count > 15);
});
