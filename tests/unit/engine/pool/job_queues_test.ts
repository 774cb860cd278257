/** Lines of calls that wait. */

import { assertEquals } from "@std/assert";
import { JobQueues } from "../../../../src/engine/pool/_job_queues.ts";
import type { PendingJob } from "../../../../src/engine/pool/pool_thread.ts";

const job = (number: number) => ({ number }) as PendingJob;
const numbers = (jobs: readonly PendingJob[]) => jobs.map(({ number }) => number);

Deno.test("each lane has a line of its own, first come, first served", () => {
  const queues = new JobQueues();
  const [first, second, third] = [job(1), job(2), job(3)];
  for (const each of [first, third]) queues.add("read-long", each);
  queues.add("write", second);
  assertEquals(numbers(queues.all()), [1, 3, 2]);
  assertEquals([queues.next("read"), queues.next("read-long")], [undefined, first]);
  assertEquals([queues.remove(first), queues.remove(third)], [false, true]);
  assertEquals(queues.next("read-long"), undefined);
  queues.add("read-long", first);
  assertEquals(numbers(queues.take("write")), [2]);
  assertEquals(numbers(queues.take()), [1]);
  assertEquals(queues.all(), []);
});
