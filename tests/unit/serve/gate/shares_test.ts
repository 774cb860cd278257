import { assertEquals } from "@std/assert";
import { Shares } from "../../../../src/serve/gate/_shares.ts";

/** Connections of users, with the bytes that are counted for each. */
function sharesOf(most: number, rows: readonly (readonly [uid: number, counted: number])[]) {
  const shares = new Shares(most);
  for (const [uid] of rows) shares.enter(uid);
  for (const [uid, counted] of rows) shares.count(uid, counted);
  return { shares, over: rows.map(([uid, counted]) => shares.isOver({ uid, counted })) };
}

Deno.test("who has more than others leave him is over only where all is used up", () => {
  for (
    const [what, rows, over] of [
      ["nobody, while there is room", [[1, 90], [2, 10]], [false, false]],
      ["the one who has most", [[1, 100], [2, 10]], [true, false]],
      ["none of a user who has less than his part", [[1, 100], [2, 45], [2, 1]], [
        true,
        false,
        false,
      ]],
      ["not those of a user that are small themselves", [[1, 100], [1, 5], [2, 10]], [
        true,
        false,
        false,
      ]],
      ["a user alone, by what each connection has", [[1, 80], [1, 30]], [true, false]],
    ] as const
  ) assertEquals(sharesOf(100, rows).over, [...over], what);
});

Deno.test("what is given back, and who goes, leaves room and larger shares to others", () => {
  const { shares } = sharesOf(100, [[1, 60], [1, 30], [2, 20]]);
  assertEquals([shares.usedUp, shares.each, shares.connections(1)], [true, 100 / 3, 2]);
  shares.count(1, -30);
  shares.leave(1);
  assertEquals([shares.usedUp, shares.each, shares.connections(1)], [false, 50, 1]);
  shares.count(1, -60);
  shares.leave(1);
  shares.leave(1);
  shares.count(1, 1_000);
  assertEquals([shares.usedUp, shares.each, shares.connections(1)], [false, 100, 0]);
});
