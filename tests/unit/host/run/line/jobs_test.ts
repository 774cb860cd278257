/** What runs beside a line is numbered as in bash: by a number, while it was not seen to have ended, and by its id. */

import { assertEquals } from "@std/assert";
import { type Job, Jobs } from "../../../../../src/host/run/line/_jobs.ts";
import { SUCCESS } from "../../../../../src/host/run/line/_state.ts";

/** `over`: whether it has ended. */
function begun(jobs: Jobs, id: number): { readonly job: Job; over: boolean } {
  const kept = { over: false };
  const job: Job = {
    number: jobs.nextNumber(),
    id,
    ended: Promise.resolve(SUCCESS),
    status: () => kept.over ? SUCCESS : null,
    signal: () => {},
  };
  jobs.add(job);
  return Object.assign(kept, { job });
}

Deno.test("what was waited for has no number any more, and is still known by its id", () => {
  const jobs = new Jobs();
  const first = begun(jobs, 70);
  first.over = true;
  jobs.waited(first.job);
  assertEquals(jobs.named("%1"), null);
  assertEquals(jobs.named("70"), first.job);
  assertEquals(begun(jobs, 71).job.number, 1);
  jobs.forget(first.job);
  assertEquals(jobs.named("70"), null);
  assertEquals(jobs.named("%1")?.id, 71);
});

Deno.test("what has ended while the shell waited for something else has no number any more", () => {
  const jobs = new Jobs();
  const [first, second, third] = [begun(jobs, 70), begun(jobs, 71), begun(jobs, 72)];
  first.over = true;
  assertEquals(jobs.named("%1"), first.job);
  assertEquals(jobs.unnoticed.length, 3);
  jobs.noticed();
  assertEquals([jobs.named("%1"), jobs.named("%2")], [null, second.job]);
  // One more than the last that is there.
  assertEquals(jobs.nextNumber(), 4);
  third.over = true;
  jobs.noticed();
  assertEquals(jobs.nextNumber(), 3);
  assertEquals([jobs.named("70"), jobs.named("72")], [first.job, third.job]);
});
