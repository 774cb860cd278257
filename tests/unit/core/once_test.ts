import { assertEquals, assertThrows } from "@std/assert";
import { once } from "../../../src/core/once.ts";

Deno.test("once() makes nothing before it is asked, and then one thing", () => {
  let made = 0;
  const get = once(() => ({ number: ++made }));
  assertEquals(made, 0);
  assertEquals(get() === get(), true);
  assertEquals(made, 1);
});

Deno.test("once() keeps what is undefined, and asks again what threw", () => {
  let asked = 0;
  const nothing = once(() => void asked++);
  nothing();
  nothing();
  assertEquals(asked, 1);
  const failing = once(() => {
    if (++asked < 3) throw new Error("not yet");
    return asked;
  });
  assertThrows(failing, Error, "not yet");
  assertEquals(failing(), 3);
  assertEquals(failing(), 3);
});
