/** Runs the one call of a process: each layer is drawn from the call's own grant. */

import type { Libc } from "../../sandbox/kernel/libc.ts";
import type { Registry } from "../../tools/registry.ts";
import { isFree } from "../_free_runner.ts";
import type { DirectRunner } from "../programs/direct_runner.ts";
import { type Job, type Runner, startsPrograms } from "../runner.ts";
import { deferred } from "./_deferred.ts";
import { isDirect, openDirectRunner, openPool, type PoolParts } from "./open_pool.ts";
import { runningAgain } from "./_run_again.ts";
import type { WorkerPool } from "./worker_pool.ts";

/**
 * What holds the main thread to a call's grant where it runs the call itself: the runtime's baked permissions, which are
 * the policy's own, with the kernel's rules where there are any, or those alone, put on by this thread's `libc`.
 */
export type MainThreadHold = { readonly by: "runtime" } | {
  readonly by: "kernel";
  readonly libc: Libc;
};

/** What the one call may run on. */
export interface SingleRunnerOptions extends PoolParts {
  readonly registry: Registry;
  /** For a call that needs no power at all. */
  readonly free: Runner;
  /** Null: nothing holds the main thread. */
  readonly alone: () => MainThreadHold | null;
}

/** Loads no more than the call takes, when it comes. */
export function createSingleRunner(options: SingleRunnerOptions): Runner {
  const { rulebook, registry, boundaries, preparation, free } = options;
  let pool: WorkerPool | null = null;
  let direct: DirectRunner | null = null;
  const load = async (job: Job): Promise<Runner> => {
    if (isDirect(job, rulebook.settings)) {
      direct ??= await openDirectRunner(options);
      if (direct?.takes(job) === true) return direct;
    }
    // The main thread can be held without another, whose start takes as long as the program's: a sealed build's
    // permissions are the policy's, and the kernel's rules hold any.
    // Calls that may overrun get one all the same: a thread can be ended, the main thread cannot.
    // So do those that do more than to start a program: a thread that is held cannot see to it that nothing of them is
    // left. And so does a preview: an approver may want to see it before the call itself runs.
    // And so does what connects: names are looked up by a thread that is free to.
    const inline = job.tool.long !== true && !startsPrograms(job) && !job.preview &&
      job.grant.connect.length === 0;
    const alone = inline ? options.alone() : null;
    if (alone !== null) {
      const { createInlineRunner } = await import("./inline_runner.ts");
      const [wide, libc] = alone.by === "kernel" ? [loadPool, alone.libc] : [null, null];
      return createInlineRunner({ rulebook, registry, boundaryOf: boundaries.ofJob, wide, libc });
    }
    return await loadPool();
  };
  const loadPool = async (): Promise<Runner> => {
    const loaded = await openPool(options, (_lane, own) => {
      const boundary = boundaries.ofJob(own);
      return { boundary, state: boundary.connect.join("\0") };
    });
    pool = loaded;
    const { run, close } = selfDraining(loaded);
    return { run: runningAgain(run, boundaries.learn), close };
  };
  return {
    run: (job, onEvent) =>
      isFree(job, rulebook.settings) ? free.run(job, onEvent) : deferred(load(job), job, onEvent),
    async close() {
      await direct?.close();
      await pool?.close();
      preparation.close();
    },
  };
}

/** A pool whose user has no loop to drain it in. */
function selfDraining(pool: WorkerPool): Runner {
  return {
    run(job, onEvent) {
      const running = pool.run(job, onEvent);
      void pool.drainUntil(running.outcome);
      return running;
    },
    close: () => pool.close(),
  };
}
