import { assert } from "@std/assert";
import { processorTime } from "../../../../src/sandbox/kernel/processor_time.ts";
import { LIBC } from "../_libc.ts";

Deno.test("processorTime goes on while the thread works, and stands while it waits", () => {
  const time = processorTime(LIBC);
  const before = time();
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 200);
  const waited = time() - before;
  // Asleep for 200 ms: what it took to fall asleep is none of them.
  assert(waited >= 0 && waited < 100, `${waited}`);
  let sum = 0;
  for (let round = 0; time() - before < waited + 5; round++) sum += round;
  assert(sum > 0);
});

Deno.test("processorTime without a C library is the time on the wall", () => {
  const time = processorTime(null);
  const first = time();
  assert(Math.abs(performance.now() - first) < 10_000 && time() >= first);
});
