/** Runs calls that need no power at all where they are: they get handles that grant nothing. */

import { ToolError } from "../core/errors.ts";
import { createContext } from "../host/context.ts";
import type { FileBackend } from "../host/file_backend.ts";
import type { Rulebook, Settings } from "../policy/rulebook.ts";
import type { Registry } from "../tools/registry.ts";
import { runTool } from "./run_tool.ts";
import { Stop } from "./stop.ts";
import { type Job, type Runner, startsPrograms } from "./runner.ts";

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
  survey: refuse,
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

export function createFreeRunner(rulebook: Rulebook, registry: Registry): Runner {
  return {
    run(job) {
      const { tool, grant } = job;
      const stop = new Stop(tool.name, grant.timeoutMs);
      const context = createContext({
        files: NO_FILES,
        programs: null,
        syntax: { check: refuse },
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
      const usage = () => ({ layers: ["policy"] });
      return {
        outcome: runTool(tool, job.input, context, { preview: job.preview, usage }),
        cancel: () => stop.ask("CANCELLED"),
      };
    },
    close: () => Promise.resolve(),
  };
}
