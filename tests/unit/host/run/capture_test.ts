import { assert, assertEquals } from "@std/assert";
import { Capture } from "../../../../src/host/run/_capture.ts";
import { Random } from "../../../random.ts";

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const text = (content: Uint8Array): string => new TextDecoder().decode(content);

Deno.test("Capture keeps all up to its limit", () => {
  for (const chunks of [[], ["abc"], ["a", "bcdefg", "hij"], ["abcdefghij"]]) {
    const capture = new Capture(10);
    for (const chunk of chunks) capture.add(bytes(chunk));
    assertEquals(capture.take(), { bytes: bytes(chunks.join("")), dropped: 0 });
  }
});

Deno.test("Capture keeps both ends of more, and counts the rest, however it comes in pieces", () => {
  const random = new Random(31);
  const letters = [..."abcdefghijklmnopqrstuvwxyz"];
  for (let round = 0; round < 300; round++) {
    const limit = random.below(400);
    const whole = random.text(1_500, letters);
    const capture = new Capture(limit);
    for (let at = 0; at < whole.length;) {
      const size = 1 + random.below(random.once(3) ? 900 : 20);
      capture.add(bytes(whole.slice(at, at + size)));
      at += size;
    }
    const { bytes: kept, dropped } = capture.take();
    assert(kept.length <= limit || whole.length <= limit);
    if (whole.length <= limit) {
      assertEquals(text(kept), whole);
      continue;
    }
    const [head = "", tail = ""] = text(kept).split(/\n\[….*\]\n/);
    assertEquals(head.length, Math.ceil(limit / 2));
    assert(whole.startsWith(head) && whole.endsWith(tail));
    assertEquals(head.length + tail.length + dropped, whole.length, `seed 31, round ${round}`);
  }
});

Deno.test("Capture cuts between characters, not within one", () => {
  const random = new Random(32);
  const letters = ["a", "é", "€", "🦕"];
  for (let round = 0; round < 200; round++) {
    const whole = random.text(400, letters);
    const capture = new Capture(100 + random.below(60));
    const all = bytes(whole);
    for (let at = 0; at < all.length; at += 7) capture.add(all.subarray(at, at + 7));
    const { bytes: kept, dropped } = capture.take();
    const decoded = new TextDecoder("utf-8", { fatal: true }).decode(kept);
    const [head = "", tail = ""] = decoded.split(/\n\[….*\]\n/);
    assert(whole.startsWith(head) && whole.endsWith(tail), `seed 32, round ${round}`);
    if (dropped > 0) {
      assertEquals(bytes(head).length + bytes(tail).length + dropped, all.length);
    }
  }
});

Deno.test("Capture keeps its own copy, and little more than what came in byte by byte", () => {
  const capture = new Capture(1_000_000);
  const chunk = bytes("x");
  for (let count = 0; count < 100_000; count++) capture.add(chunk);
  chunk[0] = 0;
  const kept = capture.take();
  assertEquals([kept.bytes.length, kept.dropped], [100_000, 0]);
  assert(kept.bytes.every((byte) => byte === 0x78));
  assert(kept.bytes.buffer.byteLength < 300_000);
});
