import { assertEquals } from "@std/assert";
import { Words } from "../../../../src/sandbox/broker/notifications.ts";

Deno.test("the words of a call are read as what they are: numbers, addresses, and sizes of files", () => {
  const struct = new DataView(new ArrayBuffer(64));
  const rows: readonly (readonly [bigint, number, number, bigint])[] = [
    [0n, 0, 0, 0n],
    [5n, 5, 5, 5n],
    // Of an `int` only the lower half is the kernel's.
    [0xffff_ffff_ffff_ff9cn, -100, 2 ** 64, -100n],
    [0x0000_0000_ffff_ff9cn, -100, 0xffff_ff9c, 0xffff_ff9cn],
    [0x7fff_1234_8765_4321n, -2023406815, 0x7fff_1234_8765_4321, 0x7fff_1234_8765_4321n],
    [0x0000_7fff_1234_5678n, 0x1234_5678, 0x7fff_1234_5678, 0x7fff_1234_5678n],
    [0x8000_0000_0000_0000n, 0, 2 ** 63, -(2n ** 63n)],
  ];
  const words = new Words();
  for (const [word, int, address, wide] of rows) {
    struct.setBigUint64(8 + 8 * 5, word, true);
    words.take(struct, 8);
    struct.setBigUint64(8 + 8 * 5, 1n, true);
    assertEquals([words.int(5), words.at(5), words.wide(5)], [int, address, wide], String(word));
    assertEquals([words.int(0), words.at(4)], [0, 0]);
  }
});
