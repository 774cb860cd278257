import { assertEquals } from "@std/assert";
import { flatText } from "../../../src/core/flat_text.ts";

Deno.test("a flat text is the same text, whatever it was made of", () => {
  const long = "Fri, 27 Nov 2026 21:10:00 GMT, é, €, \u{1f600}\ud83d".repeat(100);
  const texts = ["", "a", "é", "\u{1f600}", "\u{1f600}\ude00", long, long.slice(7, 2_000)];
  for (const text of [...texts, `${long}${long.slice(1)}`]) {
    assertEquals(flatText(text), text);
    assertEquals(JSON.stringify({ text: flatText(text) }), JSON.stringify({ text }));
  }
});
