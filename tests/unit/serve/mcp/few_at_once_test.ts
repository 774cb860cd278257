import { assertEquals, assertRejects } from "@std/assert";
import { FewAtOnce } from "../../../../src/serve/mcp/_few_at_once.ts";

Deno.test("no more than so many run, the others follow in order, each in a turn of its own", async () => {
  const few = new FewAtOnce(2);
  const said: string[] = [];
  let running = 0;
  const turns = setInterval(() => said.push("turn"), 0);
  const pieces = ["a", "b", "c", "d"].map((name) =>
    few.run(async () => {
      said.push(name);
      assertEquals(++running <= 2, true, name);
      await Promise.resolve();
      running--;
      return name;
    })
  );
  assertEquals([said.join(), few.waiting], ["a,b", 2], "at once where there is room");
  assertEquals(await Promise.all(pieces), ["a", "b", "c", "d"]);
  clearInterval(turns);
  assertEquals(said.filter((one) => one !== "turn"), ["a", "b", "c", "d"]);
  assertEquals(few.waiting, 0);
});

Deno.test("what fails lets go of its place", async () => {
  const few = new FewAtOnce(1);
  const failing = few.run(() => Promise.reject(new Error("no")));
  const next = few.run(() => Promise.resolve("next"));
  await assertRejects(() => failing, Error, "no");
  assertEquals(await next, "next");
  assertEquals(await few.run(() => Promise.resolve("one more")), "one more");
});
