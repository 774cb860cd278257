/** Calls that come before what runs them is there. */

import type { Job, OnEvent, Runner, Running } from "../runner.ts";

/** A call on a runner that is being loaded. */
export function deferred(
  loading: Promise<Pick<Runner, "run">>,
  job: Job,
  onEvent: OnEvent,
): Running {
  let running: Running | null = null;
  let cancelled = false;
  const start = async () => {
    running = (await loading).run(job, onEvent);
    if (cancelled) running.cancel();
    return await running.outcome;
  };
  return {
    outcome: start(),
    cancel() {
      cancelled = true;
      running?.cancel();
    },
  };
}
