import { assertEquals } from "@std/assert";
import getTimestamp from "../../../../src/tools/util/get_timestamp.ts";
import { failure } from "../_failure.ts";
import { call, createMemory } from "../_memory_context.ts";

Deno.test("get_timestamp writes the time in three ways", async () => {
  const cases: readonly (readonly [Record<string, unknown>, string, string | number])[] = [
    [{}, "2025-11-21T23:05:09.250Z", "2025-11-21T23:05:09.250Z"],
    [{ format: "iso" }, "1970-01-01T00:00:00Z", "1970-01-01T00:00:00.000Z"],
    [{ format: "unix" }, "2025-11-21T23:05:09.999Z", 1_763_766_309],
    [{ format: "human" }, "2025-11-21T23:05:09.250Z", "Friday, 21 November 2025, 23:05:09 UTC"],
    [{ format: "human" }, "2024-02-29T00:00:00Z", "Thursday, 29 February 2024, 00:00:00 UTC"],
  ];
  for (const [args, now, timestamp] of cases) {
    const memory = createMemory({ now: new Date(now) });
    assertEquals(await call(getTimestamp, args, memory), { timestamp });
  }
});

Deno.test("get_timestamp needs nothing and knows three formats", async () => {
  const error = await failure(() => call(getTimestamp, { format: "rfc" }, createMemory()));
  assertEquals(error.code, "INVALID_ARGUMENTS");
  assertEquals(await getTimestamp.capabilities({ format: "iso" }, { cwd: "." }), []);
  assertEquals(getTimestamp.describe({ format: "iso" }), "Get timestamp: iso");
});
