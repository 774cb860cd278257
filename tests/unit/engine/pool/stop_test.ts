import { assert, assertEquals, assertThrows } from "@std/assert";
import { ToolError } from "../../../../src/core/errors.ts";
import { overLimit, Stop, type StopReason } from "../../../../src/engine/pool/stop.ts";

Deno.test("a call that is to end says why, to who listens and to who looks", () => {
  const cases: readonly (readonly [StopReason, string])[] = [
    ["CANCELLED", "CANCELLED"],
    ["TIMEOUT", "TIMEOUT"],
    [overLimit("memory", 0), "RESOURCE_LIMIT"],
    [overLimit("cpu", 3), "RESOURCE_LIMIT"],
  ];
  for (const [reason, code] of cases) {
    const stop = new Stop("any", 60_000);
    stop.check();
    const { signal, ending } = stop;
    stop.ask(reason);
    // The first reason stays.
    stop.ask("CANCELLED");
    assertEquals([signal.aborted, signal.reason], [true, reason]);
    assertEquals([ending.aborted, ending.reason], [true, reason]);
    assertEquals(assertThrows(() => stop.check(), ToolError).code, code);
    // Who listens only now hears of it at once.
    const late = new Stop("any", 60_000);
    late.ask(reason);
    assertEquals([late.signal.reason, late.ending.reason], [reason, reason]);
  }
  assertEquals(assertThrows(() => new Stop("any", 0).check(), ToolError).code, "TIMEOUT");
});

Deno.test("a limit that programs went over is told with the number of their share, where it is not the first", () => {
  assertEquals([overLimit("memory", 0), overLimit("cpu", 3)], [
    "RESOURCE_LIMIT:memory",
    "RESOURCE_LIMIT:cpu:3",
  ]);
});

Deno.test("time that was somebody else's is not the call's", () => {
  const stop = new Stop("any", 0);
  assert(stop.left() <= 0);
  stop.extend(60_000);
  assert(stop.left() > 0);
  stop.check();
});
