import { assertEquals } from "@std/assert";
import { Concurrency } from "../../../../src/host/broker/_concurrency.ts";

Deno.test("so many at a time, each in its turn, and nothing begins once it is closed", async () => {
  const concurrency = new Concurrency(2);
  const begun: number[] = [];
  const ends = Array.from({ length: 5 }, () => Promise.withResolvers<number>());
  const taken = ends.map(({ promise }, at) =>
    concurrency.run(() => {
      begun.push(at);
      return promise;
    }, -1)
  );
  assertEquals(begun, [0, 1]);
  ends[1]!.resolve(10);
  assertEquals(await taken[1], 10);
  // One that fails gives its turn on too.
  ends[0]!.reject(new Error("failed"));
  assertEquals(await taken[0]!.catch(() => -2), -2);
  for (let turn = 0; turn < 4; turn++) await Promise.resolve();
  assertEquals(begun, [0, 1, 2, 3]);
  concurrency.close();
  assertEquals(await taken[4], -1);
  ends[2]!.resolve(20);
  ends[3]!.resolve(30);
  assertEquals([await taken[2], await taken[3]], [20, 30]);
  assertEquals(await concurrency.run(() => Promise.resolve(1), -1), -1);
  assertEquals(begun, [0, 1, 2, 3]);
});
