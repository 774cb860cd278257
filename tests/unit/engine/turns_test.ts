import { assert, assertEquals, assertRejects, assertThrows } from "@std/assert";
import { atOnce, inTurns, type Steps } from "../../../src/engine/turns.ts";

/** Counts to `most`, each step as long as `ms`; tells each. */
function* counting(most: number, ms: number, told: number[]): Steps<string> {
  for (let i = 1; i <= most; i++) {
    const until = performance.now() + ms;
    while (performance.now() < until);
    told.push(i);
    yield;
  }
  return `counted to ${most}`;
}

// deno-lint-ignore require-yield
function* failing(): Steps<never> {
  throw new RangeError("too far");
}

Deno.test("atOnce() goes to the end", () => {
  const told: number[] = [];
  assertEquals(atOnce(counting(3, 0, told)), "counted to 3");
  assertEquals(told, [1, 2, 3]);
  assertThrows(() => atOnce(failing()), RangeError, "too far");
});

Deno.test("inTurns() answers at once what is short, and throws as it does", () => {
  assertEquals(inTurns(counting(2, 0, [])), "counted to 2");
  assertThrows(() => inTurns(failing()), RangeError, "too far");
});

Deno.test("inTurns() lets others have their turns in what is long, and goes on where it was", async () => {
  const told: number[] = [];
  const going = inTurns(counting(6, 5, told));
  assert(going instanceof Promise);
  const before = told.length;
  assert(before > 0 && before < 6, `${before}`);
  let others = 0;
  const ticking = setInterval(() => others++, 0);
  assertEquals(await going, "counted to 6");
  clearInterval(ticking);
  assert(others > 0);
  assertEquals(told, [1, 2, 3, 4, 5, 6]);
});

Deno.test("inTurns() rejects where a later step throws", async () => {
  function* late(): Steps<never> {
    yield* counting(4, 5, []);
    throw new RangeError("late");
  }
  await assertRejects(() => Promise.resolve(inTurns(late())), RangeError, "late");
});
