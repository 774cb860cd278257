import { assert, assertEquals } from "@std/assert";
import { ImageMaker, randomBase } from "../../../../src/sandbox/launcher/image.ts";
import type { Step } from "../../../../src/sandbox/launcher/_table.ts";
import { TABLE_OFFSET } from "../../../../src/sandbox/launcher/_machine_code.ts";

const BASE = 0x1234_5600_0000;

function make(steps: Parameters<ImageMaker["make"]>[1]): DataView {
  const image = new ImageMaker("x86_64").make(BASE, steps);
  assert(image !== null);
  return new DataView(image.buffer, image.byteOffset, image.length);
}

const word = (view: DataView, offset: number): number => Number(view.getBigInt64(offset, true));
const bytesAt = (view: DataView, address: number, length: number): Uint8Array =>
  new Uint8Array(view.buffer, view.byteOffset + address - BASE, length);

Deno.test("an image is one segment that may be read and executed, and nothing that may be written to", () => {
  const view = make([{ name: "a", call: 1, words: [] }]);
  assertEquals(view.getUint16(56, true), 2);
  const [load, stack] = [64, 120].map((at) => ({
    type: view.getUint32(at, true),
    flags: view.getUint32(at + 4, true),
    address: word(view, at + 16),
    size: word(view, at + 32),
  }));
  assertEquals(load, { type: 1, flags: 5, address: BASE, size: view.byteLength });
  assertEquals([stack?.type, stack?.flags], [0x6474e551, 6]);
});

Deno.test("an entry has the number of its call, its own, and its words, what they point to placed", () => {
  const bytes = new Uint8Array([1, 2, 3]);
  const view = make([
    { name: "a", call: 7, words: [-100, "text", bytes] },
    { name: "b", call: 9, words: [["x", 0, 5]], optional: true },
  ]);
  const [first, second] = [TABLE_OFFSET, TABLE_OFFSET + 64];
  assertEquals([view.getUint32(first, true), view.getUint32(first + 4, true)], [7, 0]);
  assertEquals([word(view, first + 8), word(view, first + 16)], [0, -100]);
  assertEquals(bytesAt(view, word(view, first + 24), 5), new TextEncoder().encode("text\0"));
  assertEquals(bytesAt(view, word(view, first + 32), 3), bytes);
  assertEquals([word(view, first + 40), word(view, first + 56)], [0, 0]);
  assertEquals([view.getUint32(second, true), view.getUint32(second + 4, true)], [9, 1]);
  assertEquals(word(view, second + 8), 1);
  const list = word(view, second + 16) - BASE;
  assertEquals(bytesAt(view, word(view, list), 2), new TextEncoder().encode("x\0"));
  assertEquals([word(view, list + 8), word(view, list + 16)], [0, 5]);
  assertEquals(list % 8, 0);
});

Deno.test("an image grows with what it is given, up to more than any system takes", () => {
  const maker = new ImageMaker("aarch64");
  const steps = (length: number): readonly Step[] => [
    { name: "a", call: 1, words: [Array.from({ length }, () => "ä".repeat(500))] },
  ];
  const long = maker.make(BASE, steps(2_000));
  assert(long !== null && long.length > 2_000_000);
  assertEquals(maker.make(BASE, steps(20_000)), null);
  const short = maker.make(BASE, steps(1));
  assert(short !== null && short.length < 10_000);
});

Deno.test("images lie at random, whole pages apart, where both architectures have room", () => {
  for (
    const [architecture, bits, page] of [["x86_64", 47, 4096], ["aarch64", 39, 65_536]] as const
  ) {
    const bases = Array.from({ length: 200 }, () => randomBase(architecture));
    for (const base of bases) {
      assert(base >= 2 ** 32 && base < 2 ** (bits - 1) && base % page === 0, String(base));
    }
    assert(new Set(bases).size > 190);
  }
});
