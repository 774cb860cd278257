/** Calls that a thread could not do since its boundary did not name a place that the policies allow: done once more by one whose does. */

import { SIX_ALONE } from "../../core/network.ts";
import type { Job, Outcome, Runner, Running } from "../runner.ts";
import { stopped } from "./pool_thread.ts";

/** Each time with an address more: the redirects of a call may lead to several such places. */
const MOST_TIMES = 6;

/** `learn`: whether threads that are started from now on reach the place, and did not before. */
export function runningAgain(
  run: Runner["run"],
  learn: (job: Job, place: string) => Promise<boolean>,
): Runner["run"] {
  return (job, onEvent): Running => {
    if (job.preview || job.grant.connect.length === 0) return run(job, onEvent);
    const { timeoutMs } = job.grant;
    const end = performance.now() + timeoutMs;
    let running = run(job, onEvent);
    let cancelled = false;
    const finish = async (): Promise<Outcome> => {
      for (let times = 1;; times++) {
        const outcome = await running.outcome;
        const place = unreachedPlace(outcome);
        if (place === null || times === MOST_TIMES || !await learn(job, place)) return outcome;
        if (cancelled) return stopped(job.tool.name, "CANCELLED", timeoutMs);
        const left = Math.ceil(end - performance.now());
        if (left <= 0) return stopped(job.tool.name, "TIMEOUT", timeoutMs);
        running = run({ ...job, grant: { ...job.grant, timeoutMs: left } }, onEvent);
      }
    };
    return {
      outcome: finish(),
      cancel() {
        cancelled = true;
        running.cancel();
      },
    };
  };
}

function unreachedPlace({ error }: Outcome): string | null {
  if (error?.code !== "NATIVE_DENIED" || error.details?.["reason"] !== SIX_ALONE) return null;
  const place = error.details["place"];
  return typeof place === "string" ? place : null;
}
