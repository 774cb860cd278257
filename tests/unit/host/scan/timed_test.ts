/** Work that is ended wherever it is when its time is over. */

import { assertEquals, assertStrictEquals, assertThrows } from "@std/assert";
import { timed } from "../../../../src/host/scan/timed.ts";

class Over extends Error {}

const never = () => {};

function over(): void {
  throw new Over();
}

Deno.test("timed() gives what the work gives and throws what it throws", () => {
  assertEquals(timed(() => 7, 1_000, never), 7);
  assertEquals(timed(() => undefined, 1_000, never), undefined);
  const thrown = new Over();
  const error = assertThrows(() =>
    timed(
      () => {
        throw thrown;
      },
      1_000,
      never,
    )
  );
  assertStrictEquals(error, thrown);
  assertEquals(Reflect.ownKeys(globalThis).includes(Symbol.for("toolgate.timed")), false);
});

const ENDLESS: readonly (readonly [string, () => void])[] = [
  ["a pattern", () => /^(a|a)*$(?=b)/.test(`${"a".repeat(40)}!`)],
  ["a pattern that looks back", () => /^((a+)+)+\\1$/.test(`${"a".repeat(60)}!`.repeat(2))],
  ["a loop", () => {
    for (;;);
  }],
];

for (const [name, work] of ENDLESS) {
  Deno.test(`timed() ends ${name} that would go on for ever, and the thread goes on`, () => {
    assertThrows(() => timed(work, 1, over), Over);
    assertEquals(timed(() => "next", 1_000, over), "next");
  });
}
