/** The runner of one call: what it loads and starts, and what not. */

import { assert, assertEquals } from "@std/assert";
import { createSingleRunner } from "../../../../src/engine/pool/single_runner.ts";
import { comesToBe } from "../../../until.ts";
import { NOTHING, registryOf } from "../_stand_ins.ts";
import { BOUNDARY, FREE, partsOf } from "./_pool_parts.ts";
import { jobOf, StandInThreads } from "./_stand_in_threads.ts";

/** Lets what is being loaded be loaded. */
async function started(threads: StandInThreads): Promise<void> {
  assert(await comesToBe(() => threads.all.length > 0));
}

Deno.test("a call that needs no power is run where it is: no thread, no boundary", async () => {
  using threads = new StandInThreads();
  const { parts, free, steps } = partsOf();
  const runner = createSingleRunner({ ...parts, registry: registryOf(), free, alone: () => null });
  assertEquals(await runner.run(FREE, () => {}).outcome, NOTHING);
  await runner.close();
  assertEquals([steps, threads.all.length], [["free look", "close preparation"], 0]);
});

Deno.test("the one call's thread is drawn from its own grant, and drained without a loop", async () => {
  using threads = new StandInThreads();
  const { parts, free, steps, permitted } = partsOf();
  const runner = createSingleRunner({ ...parts, registry: registryOf(), free, alone: () => null });
  const { outcome } = runner.run(jobOf("read"), () => {});
  await started(threads);
  threads.of(0).done(1);
  assertEquals((await outcome).error, null);
  assertEquals(steps, ["job look"]);
  assertEquals(permitted[0]?.read[0], BOUNDARY.read[0]);
  await runner.close();
  assertEquals([threads.of(0).terminated, steps.at(-1)], [true, "close preparation"]);
});

Deno.test("what may overrun, starts programs or is a preview gets a thread in a sealed build, too", async () => {
  for (const job of [jobOf("long"), jobOf("spawn"), jobOf("read", { preview: true })]) {
    using threads = new StandInThreads();
    const { parts, free } = partsOf();
    const runner = createSingleRunner({
      ...parts,
      preparation: {
        ...parts.preparation,
        programs: () => ({ programEnvironment: {}, watch: () => null }) as never,
      },
      registry: registryOf(),
      free,
      alone: () => ({ by: "runtime" }),
    });
    const { outcome } = runner.run(job, () => {});
    await started(threads);
    threads.of(0).done(1);
    assertEquals((await outcome).error, null);
    await runner.close();
  }
});

Deno.test("a call that is cancelled while its runner is loaded is cancelled once it runs", async () => {
  using threads = new StandInThreads();
  const { parts, free } = partsOf();
  const runner = createSingleRunner({ ...parts, registry: registryOf(), free, alone: () => null });
  const { outcome, cancel } = runner.run(jobOf("read"), () => {});
  cancel();
  await started(threads);
  await comesToBe(() => threads.of(0).told("cancel").length > 0);
  assertEquals(threads.of(0).told("cancel").map(({ reason }) => reason), ["CANCELLED"]);
  threads.of(0).done(1);
  await outcome;
  await runner.close();
});
