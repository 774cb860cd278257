/** Calls that are done once more by a thread that reaches what the one before could not. */

import { assertEquals } from "@std/assert";
import { runningAgain } from "../../../../src/engine/pool/_run_again.ts";
import type { Job, Outcome } from "../../../../src/engine/runner.ts";
import { SIX_ALONE } from "../../../../src/core/network.ts";
import { NOTHING } from "../_stand_ins.ts";
import { jobOf } from "./_stand_in_threads.ts";

function unreached(place: string): Outcome {
  const details = { reason: SIX_ALONE, place };
  return { ...NOTHING, error: { code: "NATIVE_DENIED", message: "", details, rule: null } };
}

const jobTo = (connect: readonly string[], preview = false): Job => {
  const job = jobOf("read");
  return { ...job, preview, grant: { ...job.grant, connect } };
};

/** What a call comes to where its threads answer so, one after the other. */
async function outcomeOf(
  job: Job,
  outcomes: readonly Outcome[],
  learns: (place: string) => boolean,
) {
  const asked: string[] = [];
  const granted: number[] = [];
  const run = runningAgain(({ grant }) => {
    const outcome = outcomes[granted.length] ?? NOTHING;
    granted.push(grant.timeoutMs);
    return { outcome: Promise.resolve(outcome), cancel: () => {} };
  }, (_job, place) => {
    asked.push(place);
    return Promise.resolve(learns(place));
  });
  const outcome = await run(job, () => {}).outcome;
  return { error: outcome.error?.code ?? null, asked, runs: granted.length, granted };
}

Deno.test("a call is done once more for each place that is learned, and no more often than that", async () => {
  const job = jobTo(["a.example:80"]);
  const yes = () => true;
  const once = await outcomeOf(job, [NOTHING], yes);
  assertEquals([once.error, once.asked, once.runs], [null, [], 1]);
  const led = await outcomeOf(job, [unreached("a.example:80"), unreached("b.example:80")], yes);
  assertEquals([led.error, led.asked, led.runs], [null, ["a.example:80", "b.example:80"], 3]);
  // Its time is that of the call, not of each try.
  assertEquals(led.granted.every((ms) => ms > 0 && ms <= job.grant.timeoutMs), true);
  const refused = await outcomeOf(job, [unreached("a.example:80")], () => false);
  assertEquals([refused.error, refused.runs], ["NATIVE_DENIED", 1]);
  const endless = new Array<Outcome>(100).fill(unreached("a.example:80"));
  const tired = await outcomeOf(job, endless, yes);
  assertEquals([tired.error, tired.runs], ["NATIVE_DENIED", 6]);
});

Deno.test("what connects nowhere, and what was refused otherwise, is done once", async () => {
  const place = unreached("a.example:80");
  for (const job of [jobTo([]), jobTo(["a.example:80"], true)]) {
    assertEquals((await outcomeOf(job, [place], () => true)).runs, 1);
  }
  const other = { ...place, error: { ...place.error!, details: { place: "a.example:80" } } };
  assertEquals((await outcomeOf(jobTo(["a.example:80"]), [other], () => true)).runs, 1);
});

Deno.test("a call that is cancelled while a place is learned is not done again", async () => {
  const learning = Promise.withResolvers<boolean>();
  let runs = 0;
  const run = runningAgain(() => {
    runs++;
    return { outcome: Promise.resolve(unreached("a.example:80")), cancel: () => {} };
  }, () => learning.promise);
  const running = run(jobTo(["a.example:80"]), () => {});
  running.cancel();
  learning.resolve(true);
  assertEquals((await running.outcome).error?.code, "CANCELLED");
  assertEquals(runs, 1);
});
