/** Runs commands side by side, the output of each the input of the next. */

import type { PlanNode } from "../../../core/plan.ts";
import { CLOSED } from "../../../sandbox/spawner.ts";
import { close, openPipe } from "../../kernel/pipes.ts";
import type { Ended } from "../_programs.ts";
import type { LineHost } from "./line_host.ts";
import { Stopped } from "./_stopped.ts";
import { once } from "./_substitution.ts";

/** What a stage reads from and writes to; `release` lets go of what was made for it alone. */
interface StageStreams {
  readonly descriptors: readonly number[];
  readonly release: () => void;
}

/** How each ended. Throws what stopped one of them, once all have ended. */
export async function runStages(
  host: LineHost,
  stages: readonly PlanNode[],
  around: StageStreams,
  run: (stage: PlanNode, streams: StageStreams) => Promise<Ended>,
): Promise<readonly Ended[]> {
  const { libc } = host;
  const running: Promise<Ended>[] = [];
  let input: number | null = null;
  for (const [index, stage] of stages.entries()) {
    const pipe = index === stages.length - 1 ? null : openPipe(libc);
    const own = [input, pipe?.write ?? null].filter((one) => one !== null);
    const [stdin = CLOSED, stdout = CLOSED, ...others] = around.descriptors;
    const descriptors = [input ?? stdin, pipe?.write ?? stdout, ...others];
    const release = once(() => own.forEach((descriptor) => close(libc, descriptor)));
    input = pipe?.read ?? null;
    running.push(run(stage, { descriptors, release }));
  }
  // A stage that stops the line leaves others that would wait for it.
  for (const one of running) one.catch(() => host.stop());
  const results = await Promise.allSettled(running);
  around.release();
  const refused = results.filter((one) => one.status === "rejected");
  const told = refused.find(({ reason }) => !(reason instanceof Stopped)) ?? refused[0];
  if (told !== undefined) throw told.reason;
  return results.flatMap((one) => one.status === "fulfilled" ? [one.value] : []);
}
