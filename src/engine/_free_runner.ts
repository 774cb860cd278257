/** Runs calls that need no power at all where they are: they get handles that grant nothing. */

import { ToolError } from "../core/errors.ts";
import type { FileBackend } from "../host/files/file_backend.ts";
import type { Rulebook, Settings } from "../policy/rulebook.ts";
import type { Registry } from "../tools/registry.ts";
import { runTool } from "./run_tool.ts";
import { Stop } from "./pool/stop.ts";
import { type Job, type Outcome, type Runner, startsPrograms } from "./runner.ts";

/** Whether a call may run here: its grant is of nothing, and no layer is required that does not hold here. */
export function isFree(job: Job, { sandbox }: Settings): boolean {
  const { read, write, connect } = job.grant;
  if (sandbox.kernel === "required" || startsPrograms(job)) return false;
  return read.length + write.length + connect.length === 0;
}

/** A free call names no files, and so is given none. */
const NO_FILES: FileBackend = {
  read: refuse,
  readStart: refuse,
  find: refuse,
  walk: refuse,
  countTree: refuse,
  backups: refuse,
  write: refuse,
  append: refuse,
  apply: refuse,
  backUp: refuse,
  restore: refuse,
  remove: refuse,
  copy: refuse,
  move: refuse,
  createDirectory: refuse,
};

function refuse(): never {
  throw new ToolError("PATH_DENIED", "this call was granted no files");
}

/** Runs, on this very thread, what has no power at all. */
export function createFreeRunner(rulebook: Rulebook, registry: Registry): Runner {
  /** Few calls are free: the others load nothing for it. */
  const runFree = async ({ tool, grant, input, preview }: Job, stop: Stop): Promise<Outcome> => {
    const { createContext } = await import("../host/context.ts");
    const context = createContext({
      files: NO_FILES,
      programs: null,
      syntax: { check: refuse, parsers: refuse },
      grant,
      rulebook,
      catalogue: registry.catalogue,
      get signal() {
        return stop.signal;
      },
      checkpoint: () => stop.check(),
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
