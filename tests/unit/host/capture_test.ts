import { assert, assertEquals } from "@std/assert";
import { Capture } from "../../../src/host/_capture.ts";
import { Random } from "../../random.ts";

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
