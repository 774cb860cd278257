/**
 * Runs the one call of a process on its main thread, once that has restricted itself to the call's grant, which saves
 * starting a thread. The permissions of a sealed build are the policy's already; another's main thread gives up the
 * kinds that the call has no use for, and is held by the kernel's rules for the rest. Not for calls that start programs:
 * those take a thread that stays free, to see to it that they end.
 */

import type { Usage } from "../../core/result.ts";
import type { Rulebook } from "../../policy/rulebook.ts";
import { createContext } from "../../host/context.ts";
import type { Boundary } from "../../sandbox/boundary.ts";
import { NotHeld } from "../../sandbox/enter.ts";
import { ownFiles } from "../../sandbox/own_files.ts";
import type { Libc } from "../../sandbox/kernel/libc.ts";
import type { Registry } from "../../tools/registry.ts";
import { JSON_NULL } from "../../core/result.ts";
import { ToolError } from "../../core/errors.ts";
import { describeFailure, runTool } from "../run_tool.ts";
import { armWatchdog } from "./_watchdog.ts";
import { Stop } from "./stop.ts";
import { NO_PROGRAM_ENVIRONMENT } from "../programs/no_program_environment.ts";
import { enterThread } from "./thread_parts.ts";
import type { Job, JobEvent, Outcome, Runner, Running } from "../runner.ts";

/** What the one call of a process runs with. */
export interface InlineRunnerOptions {
  readonly rulebook: Rulebook;
  readonly registry: Registry;
  readonly boundaryOf: (job: Job) => Boundary;
  /**
   * The runtime's permissions are wider than any boundary; gives what runs the call where the kernel cannot hold this
   * thread to it. Null in sealed builds.
   */
  readonly wide: (() => Promise<Runner>) | null;
  /** This thread's, where it is open already. */
  readonly libc: Libc | null;
}

/** A runner that runs once: afterwards its thread can do nothing else. */
export function createInlineRunner(options: InlineRunnerOptions): Runner {
  let used = false;
  let elsewhere: Running | null = null;

  async function runOnce(
    job: Job,
    onEvent: (event: JobEvent) => void,
    stop: Stop,
  ): Promise<Outcome> {
    const { rulebook, registry, wide } = options;
    const counts: Record<string, number> = {};
    let libc: Libc | null = null;
    let usage: () => Usage = () => counts;
    try {
      if (used) throw new ToolError("INTERNAL_ERROR", "this process has run its one call");
      used = true;
      const boundary = options.boundaryOf(job);
      const { sandbox } = rulebook.settings;
      const { held, parts } = await enterThread(boundary, sandbox, NO_PROGRAM_ENVIRONMENT, {
        wide: wide !== null,
        libc: options.libc,
        durability: rulebook.settings.durability,
      });
      if (wide === null) {
        for (const path of ownFiles(rulebook.settings)) {
          Deno.permissions.revokeSync({ name: "read", path });
        }
      }
      usage = () => ({ ...counts, layers: held.layers });
      libc = parts.libc;
      if (libc !== null) armWatchdog(libc, job.grant.timeoutMs + job.grant.killGraceMs);
      const context = createContext({
        ...parts,
        programs: null,
        grant: job.grant,
        rulebook,
        catalogue: registry.catalogue,
        signal: () => stop.signal,
        checkpoint: () => stop.check(),
        left: () => stop.left(),
        count: (name, amount) => counts[name] = (counts[name] ?? 0) + amount,
        progress: (done, total, unit) => {
          if (!job.stream) return;
          onEvent({ event: "progress", done, total, unit, message: `${done} ${unit}` });
        },
      });
      const { agreed = [] } = job;
      if (agreed.length > 0) {
        const { compareAgreed } = await import("../approvals/compare_agreed.ts");
        compareAgreed(job.tool.name, agreed, parts.libc);
      }
      return await runTool(job.tool, job.input, context, { preview: job.preview, usage });
    } catch (error) {
      if (error instanceof NotHeld && wide !== null) {
        elsewhere = (await wide()).run(job, onEvent);
        if (stop.signal.aborted) elsewhere.cancel();
        return await elsewhere.outcome;
      }
      return { output: JSON_NULL, error: describeFailure(job.tool.name, error), usage: usage() };
    } finally {
      if (libc !== null) armWatchdog(libc, 0);
    }
  }

  return {
    run(job, onEvent): Running {
      const stop = new Stop(job.tool.name, job.grant.timeoutMs);
      const cancel = () => {
        stop.ask("CANCELLED");
        elsewhere?.cancel();
      };
      return { outcome: runOnce(job, onEvent, stop), cancel };
    },
    close: () => Promise.resolve(),
  };
}
