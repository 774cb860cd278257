import { assert, assertEquals } from "@std/assert";
import { MessageMemory } from "../../../../src/engine/pool/_message_memory.ts";
import { Random } from "../../../random.ts";

const LONG = 100_000;

Deno.test("messages have memory of their own, at words' bounds, whatever was given back", () => {
  const random = new Random(20_261_125);
  const memory = new MessageMemory();
  const held: { readonly bytes: Uint8Array; readonly mark: number }[] = [];
  for (let round = 0; round < 5_000; round++) {
    const length = random.once(4) ? random.below(300_000) : random.below(6_000);
    const bytes = memory.take(length);
    const mark = round % 251;
    assertEquals([bytes.length, bytes.byteOffset % 8], [length, 0]);
    bytes.fill(mark);
    held.push({ bytes, mark });
    while (held.length > 20 || (held.length > 0 && random.once(3))) {
      const [one] = held.splice(random.below(held.length), 1);
      assert(one !== undefined);
      assert(one.bytes.every((byte) => byte === one.mark), "another message lay there");
      memory.giveBack(one.bytes);
    }
  }
});

Deno.test("what was given back is taken again, and by a part of it too", () => {
  const memory = new MessageMemory();
  const first = memory.take(LONG);
  memory.giveBack(first.subarray(10, 20));
  const second = memory.take(LONG + 5);
  assertEquals([second.buffer === first.buffer, second.length], [true, LONG + 5]);
  assert(memory.take(LONG).buffer !== first.buffer);
});

Deno.test("memory that several messages share is no one's to give back", () => {
  const memory = new MessageMemory();
  const [one, other] = [memory.take(1_000), memory.take(1_000)];
  assertEquals(one.buffer, other.buffer);
  memory.giveBack(one);
  for (const length of [100, 1_000, 5_000, LONG]) {
    const next = memory.take(length);
    const apart = next.buffer !== one.buffer || next.byteOffset >= other.byteOffset + 1_000;
    assert(apart, String(length));
  }
});

Deno.test("not more is kept than a few messages take", () => {
  const memory = new MessageMemory();
  const all = Array.from({ length: 100 }, () => memory.take(LONG));
  for (const bytes of all) memory.giveBack(bytes);
  const buffers = new Set(all.map(({ buffer }) => buffer));
  const again = Array.from({ length: 100 }, () => memory.take(LONG));
  const kept = again.filter(({ buffer }) => buffers.has(buffer));
  assertEquals(kept.length, 16);
});
