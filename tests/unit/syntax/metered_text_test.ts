import { assert, assertEquals, assertThrows } from "@std/assert";
import { MeteredText, TooManySteps } from "../../../src/syntax/_metered_text.ts";

Deno.test("a metered text reads as the string does, for a while", () => {
  const text = new MeteredText("aä🦕");
  assertEquals([text.length, text.charCodeAt(1), text.slice(1, 2), `${text}`], [
    4,
    0xe4,
    "ä",
    "aä🦕",
  ]);
  let steps = 1;
  assertThrows(() => {
    for (; steps < 10_000_000; steps++) text.charCodeAt(0);
  }, TooManySteps);
  assert(steps > 50_000 && steps < 1_000_000);
  assertThrows(() => text.charCodeAt(0), TooManySteps);
});
