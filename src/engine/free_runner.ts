/** Runs calls that need no power at all where they are: they get handles that grant nothing. */

import { createContext } from "../host/context.ts";
import type { Rulebook } from "../policy/rulebook.ts";
import type { Registry } from "../tools/registry.ts";
import { checkStop, runTool } from "./run_tool.ts";
import { createThreadParts, NO_SURROUNDINGS, type ThreadParts } from "./thread_parts.ts";
import type { Job, Runner } from "./runner.ts";

/** Whether a grant is of nothing. */
export function isFree({ grant: { read, write, spawn, connect } }: Job): boolean {
  return read.length + write.length + spawn.length + connect.length === 0;
}

/** Files that the grant never names, programs that it never starts. */
const NOTHING: ThreadParts = createThreadParts(
  { libc: null, layers: ["policy"] },
  NO_SURROUNDINGS,
);

export function createFreeRunner(rulebook: Rulebook, registry: Registry): Runner {
  return {
    run(job) {
      const { tool, grant } = job;
      const abort = new AbortController();
      const end = performance.now() + grant.timeoutMs;
      const context = createContext({
        ...NOTHING,
        grant,
        rulebook,
        catalogue: registry.catalogue,
        signal: abort.signal,
        checkpoint: () => checkStop(tool.name, grant.timeoutMs, abort.signal, end),
        onGroup: () => {},
        count: () => {},
        progress: () => {},
      });
      const usage = () => ({ layers: ["policy"] });
      return {
        outcome: runTool(tool, job.input, context, { preview: job.preview, usage }),
        cancel: () => abort.abort(),
      };
    },
    close: () => Promise.resolve(),
  };
}
