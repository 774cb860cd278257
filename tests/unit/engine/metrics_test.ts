import { assertEquals } from "@std/assert";
import { Metrics } from "../../../src/engine/_metrics.ts";

Deno.test("calls, successes, errors and latencies of each tool, by name", () => {
  const metrics = new Metrics();
  metrics.record("write", "TIMEOUT", 30);
  metrics.record("read", null, 1.23456);
  metrics.record("read", "FILE_NOT_FOUND", 3);
  metrics.record("read", "FILE_NOT_FOUND", 2);
  metrics.record("read", "TIMEOUT", 0);
  assertEquals(Object.keys(metrics.report()), ["read", "write"]);
  assertEquals(metrics.report()["read"], {
    calls: 4,
    succeeded: 1,
    success_rate: 0.25,
    latency_ms: { mean: 1.559, max: 3, last: 0 },
    errors: { FILE_NOT_FOUND: 2, TIMEOUT: 1 },
  });
  assertEquals(metrics.report()["write"]?.success_rate, 0);
});

Deno.test("a name that objects have of themselves is a name like others", () => {
  const metrics = new Metrics();
  for (const name of ["constructor", "toString"]) metrics.record(name, null, 1);
  assertEquals(Object.keys(metrics.report()), ["constructor", "toString"]);
  assertEquals(new Metrics().report(), {});
});
