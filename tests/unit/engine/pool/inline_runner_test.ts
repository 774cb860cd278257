import { assert, assertEquals } from "@std/assert";
import { ABI } from "../../sandbox/_libc.ts";
import { entering } from "./_entering.ts";

Deno.test("the one call of a process restricts its thread first, and no second one is run there", async () => {
  const { before, first, after, second } = await entering("inline");
  assertEquals([before, after], [true, ABI === 0]);
  assertEquals([first.error, JSON.parse(first.output).content], [null, "inside\n"]);
  assert(first.usage.layers.includes("policy"), JSON.stringify(first.usage));
  assertEquals(first.usage.layers.includes("landlock"), ABI > 0);
  assertEquals(first.usage.bytes_read, 7);
  assertEquals([second.error.code, second.output], ["INTERNAL_ERROR", "null"]);
});

Deno.test("a thread whose permissions are wider is held by the kernel alone, or gives the call to another", async () => {
  const { before, first, after } = await entering("inline", { wide: '"elsewhere"' });
  assertEquals([before, first.error], [true, null]);
  if (ABI === 0) {
    assertEquals([first.output, after], ['"elsewhere"', true]);
    return;
  }
  assertEquals([JSON.parse(first.output).content, after], ["inside\n", false]);
  assertEquals(first.usage.layers, ["policy", "landlock"]);
});
