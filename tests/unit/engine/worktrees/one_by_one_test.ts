import { assertEquals, assertRejects } from "@std/assert";
import { OneByOne } from "../../../../src/engine/worktrees/one_by_one.ts";

Deno.test("changes of worktrees begin once what came before has ended, however it did", async () => {
  const changes = new OneByOne();
  const said: string[] = [];
  const first = Promise.withResolvers<void>();
  const one = changes.run(async () => {
    said.push("one begins");
    await first.promise;
    said.push("one ends");
    throw new Error("one");
  });
  const two = changes.run(() => Promise.resolve(said.push("two")));
  await Promise.resolve();
  first.resolve();
  await assertRejects(() => one, Error, "one");
  assertEquals(await two, 3);
  assertEquals(said, ["one begins", "one ends", "two"]);
});
