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

Deno.test("what one has counted another counts on, and only one of them", () => {
  const [one, other] = [new Metrics(), new Metrics()];
  one.record("read", null, 2);
  one.record("read", "TIMEOUT", 6);
  one.record("list", null, 1);
  other.record("read", "TIMEOUT", 4);
  const counts = JSON.parse(JSON.stringify(one.take()));
  assertEquals([one.report(), other.add(counts), other.add({})], [{}, 3, 0]);
  assertEquals(other.report()["read"], {
    calls: 3,
    succeeded: 1,
    success_rate: 1 / 3,
    latency_ms: { mean: 4, max: 6, last: 6 },
    errors: { TIMEOUT: 2 },
  });
  assertEquals(Object.keys(other.report()), ["list", "read"]);
});
