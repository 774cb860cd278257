import { assert, assertEquals } from "@std/assert";
import { joinedBytes } from "../../../src/core/bytes.ts";

const JOINED: [parts: number[][], all: number[]][] = [
  [[], []],
  [[[]], []],
  [[[1, 2]], [1, 2]],
  [[[1], [], [2, 3], [4]], [1, 2, 3, 4]],
];

Deno.test("parts stand behind one another", () => {
  for (const [parts, all] of JOINED) {
    assertEquals([...joinedBytes(parts.map((part) => Uint8Array.from(part)))], all);
  }
});

Deno.test("what is joined does not change with its parts", () => {
  const part = Uint8Array.of(1);
  const all = joinedBytes([part]);
  part[0] = 2;
  assertEquals([...all], [1]);
  assert(all.buffer !== part.buffer);
});
