import { assertEquals, assertThrows } from "@std/assert";
import { cutDenort } from "../../../../src/cli/seal/compiled_binary.ts";

function compiled(base: number[], appended: number[], size = BigInt(appended.length)): Uint8Array {
  const trailer = new DataView(new ArrayBuffer(16));
  trailer.setUint32(0, 0x501e, true);
  trailer.setUint32(4, 0x2a7, true);
  trailer.setBigUint64(8, size, true);
  return new Uint8Array([...base, ...appended, ...new Uint8Array(trailer.buffer)]);
}

Deno.test("cutDenort() takes off what was appended and the trailer", () => {
  assertEquals([...cutDenort(compiled([1, 2, 3], [9, 9]))], [1, 2, 3]);
});

Deno.test("cutDenort() finds the trailer of a view that starts within its buffer", () => {
  const bytes = compiled([1, 2, 3], [9, 9]);
  const shifted = new Uint8Array([7, 7, 7, ...bytes]).subarray(3);
  assertEquals([...cutDenort(shifted)], [1, 2, 3]);
});

const good = compiled([1, 2, 3], [9, 9]);
const damaged: [string, Uint8Array, string][] = [
  ["an empty file", new Uint8Array(), "shorter than its trailer"],
  ["a file of fifteen bytes", new Uint8Array(15), "shorter than its trailer"],
  ["a cut file", good.subarray(0, good.length - 1), "not the trailer"],
  ["a first word that differs", good.with(good.length - 16, 0), "not the trailer"],
  ["a second word that differs", good.with(good.length - 12, 0), "not the trailer"],
  ["nothing appended", compiled([1, 2, 3], [], 0n), "damaged binary"],
  ["all appended", compiled([1, 2, 3], [9, 9], 5n), "damaged binary"],
  ["more appended than there is", compiled([1, 2, 3], [9, 9], 6n), "damaged binary"],
  ["a size beyond all numbers", compiled([1, 2, 3], [9, 9], 2n ** 64n - 1n), "damaged binary"],
];

for (const [name, bytes, message] of damaged) {
  Deno.test(`cutDenort() refuses ${name}`, () => {
    assertThrows(() => cutDenort(bytes), Error, message);
  });
}
