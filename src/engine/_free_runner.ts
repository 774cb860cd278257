/** Runs calls that need no power at all where they are: they get handles that grant nothing. */

import type { Rulebook, Settings } from "../policy/rulebook.ts";
import type { Registry } from "../tools/registry.ts";
import { NO_FILES, NO_SYNTAX } from "./_no_files.ts";
import { runTool } from "./run_tool.ts";
import { Stop } from "./pool/stop.ts";
import { type Job, type Outcome, type Runner, startsPrograms } from "./runner.ts";

/** Whether a call may run here: its grant is of nothing, and no layer is required that does not hold here. */
export function isFree(job: Job, { sandbox }: Settings): boolean {
  const { read, write, connect } = job.grant;
  if (sandbox.kernel === "required" || startsPrograms(job)) return false;
  return read.length + write.length + connect.length === 0;
}

/** Runs, on this very thread, what has no power at all. */
export function createFreeRunner(rulebook: Rulebook, registry: Registry): Runner {
  /** Few calls are free: the others load nothing for it. */
  const runFree = async ({ tool, grant, input, preview }: Job, stop: Stop): Promise<Outcome> => {
    const { createContext } = await import("../host/context.ts");
    const context = createContext({
      files: NO_FILES,
      programs: null,
      syntax: NO_SYNTAX,
      grant,
      rulebook,
      catalogue: registry.catalogue,
      signal: () => stop.signal,
      checkpoint: () => stop.check(),
      left: () => stop.left(),
      count: () => {},
      progress: () => {},
    });
    return await runTool(tool, input, context, { preview, usage: () => ({ layers: ["policy"] }) });
  };
  return {
    run(job) {
      const stop = new Stop(job.tool.name, job.grant.timeoutMs);
      return { outcome: runFree(job, stop), cancel: () => stop.ask("CANCELLED") };
    },
    close: () => Promise.resolve(),
  };
}
