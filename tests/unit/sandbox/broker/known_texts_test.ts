import { assertEquals } from "@std/assert";
import { KnownTexts } from "../../../../src/sandbox/broker/known_texts.ts";

const encoder = new TextEncoder();

Deno.test("texts are those of the bytes between two places, however often they come", () => {
  const texts = new KnownTexts();
  const rows = ["", "a", "/home/a b/ü/日本", "\uFEFFa", "x".repeat(256), "y".repeat(5000)];
  for (let round = 0; round < 3; round++) {
    for (const text of rows) {
      const bytes = encoder.encode(`<${text}>`);
      assertEquals(texts.textOf(bytes, 1, bytes.length - 1), text);
    }
  }
});

Deno.test("bytes that are reused for another text are not taken for the one before", () => {
  const texts = new KnownTexts();
  const bytes = encoder.encode("/ws/one");
  assertEquals(texts.textOf(bytes, 0, 7), "/ws/one");
  bytes.set(encoder.encode("two"), 4);
  assertEquals(texts.textOf(bytes, 0, 7), "/ws/two");
  assertEquals(texts.textOf(bytes, 0, 5), "/ws/t");
});

Deno.test("texts that fall on one place in turn are each what they are", () => {
  const texts = new KnownTexts();
  const names = Array.from({ length: 5000 }, (_, index) => `name${index}`);
  for (let round = 0; round < 2; round++) {
    for (const name of names) {
      const bytes = encoder.encode(name);
      assertEquals(texts.textOf(bytes, 0, bytes.length), name);
    }
  }
});

Deno.test("what is no UTF-8 is told apart byte by byte, each time", () => {
  const texts = new KnownTexts();
  for (let round = 0; round < 2; round++) {
    assertEquals(texts.textOf(Uint8Array.of(0x61, 0xff), 0, 2), "a\udcff");
    assertEquals(texts.textOf(Uint8Array.of(0x61, 0xfe), 0, 2), "a\udcfe");
    assertEquals(texts.textOf(Uint8Array.of(0x61, 0xff), 0, 1), "a");
    assertEquals(texts.textOf(new Uint8Array(300).fill(0xff), 0, 300), "\udcff".repeat(300));
  }
});
