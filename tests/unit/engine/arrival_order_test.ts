import { assertEquals } from "@std/assert";
import { ArrivalOrder } from "../../../src/engine/_arrival_order.ts";

Deno.test("arrival order: what needs no waiting is given at once", () => {
  assertEquals(new ArrivalOrder().take("now"), "now");
});

Deno.test("arrival order: what was ready before its elders waits for them", async () => {
  const turns = new ArrivalOrder();
  const order: string[] = [];
  const slow = Promise.withResolvers<string>();
  const run = async (taken: string | Promise<string>) => {
    try {
      order.push(await taken);
    } catch (error) {
      order.push(String(error));
    }
  };
  const running = [
    run(turns.take(slow.promise)),
    run(turns.take("second")),
    run(turns.take(Promise.reject("refused"))),
    run(turns.take("fourth")),
  ];
  await new Promise((resolve) => setTimeout(resolve, 0));
  assertEquals(order, []);
  slow.resolve("first");
  await Promise.all(running);
  assertEquals(order, ["first", "second", "refused", "fourth"]);
  assertEquals(turns.take("at once again"), "at once again");
});

Deno.test("arrival order: a call that comes while the last turn ends does not pass it", async () => {
  const turns = new ArrivalOrder();
  const order: string[] = [];
  const slow = Promise.withResolvers<string>();
  const first = (async () => order.push(await turns.take(slow.promise)))();
  const second = slow.promise.then(async () => order.push(await turns.take("second")));
  slow.resolve("first");
  await Promise.all([first, second]);
  assertEquals(order, ["first", "second"]);
});
