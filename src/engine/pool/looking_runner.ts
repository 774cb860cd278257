/** Runs calls that only look, one after the other, on this very thread, which is held to all that the policy lets be read. */

import type { Usage } from "../../core/result.ts";
import { JSON_NULL, resultError } from "../../core/result.ts";
import { createContext } from "../../host/context.ts";
import type { Rulebook } from "../../policy/rulebook.ts";
import type { Registry } from "../../tools/registry.ts";
import { describeFailure, runTool } from "../run_tool.ts";
import type { Job, Outcome, Runner, Running } from "../runner.ts";
import { laneOf } from "./lanes.ts";
import { Stop } from "./stop.ts";
import type { ThreadParts } from "./thread_parts.ts";

/** What it runs calls with. */
export interface LookingRunnerOptions {
  readonly rulebook: Rulebook;
  readonly registry: Registry;
  readonly parts: Pick<ThreadParts, "files" | "syntax">;
  /** What holds this thread, as results say it. */
  readonly held: Usage;
}

/** A runner that says which calls are not its own: nothing was done for those. */
export class LookingRunner implements Runner<Outcome | Promise<Outcome>> {
  readonly #options: LookingRunnerOptions;
  #ran = false;

  constructor(options: LookingRunnerOptions) {
    this.#options = options;
  }

  /** Whether a call has run since this was asked for last. */
  hasRun(): boolean {
    const ran = this.#ran;
    this.#ran = false;
    return ran;
  }

  run(job: Job): Running<Outcome | Promise<Outcome>> {
    const stop = new Stop(job.tool.name, job.grant.timeoutMs);
    return {
      outcome: isLook(job) ? this.#look(job, stop) : NOT_HERE,
      cancel: () => stop.ask("CANCELLED"),
    };
  }

  close(): Promise<void> {
    return Promise.resolve();
  }

  #look({ tool, input, grant, preview }: Job, stop: Stop): Outcome | Promise<Outcome> {
    const { rulebook, registry, parts, held } = this.#options;
    const counts: Record<string, number> = {};
    const usage = (): Usage => ({ ...counts, ...held });
    this.#ran = true;
    try {
      const context = createContext({
        files: parts.files,
        syntax: parts.syntax,
        programs: null,
        grant,
        rulebook,
        catalogue: registry.catalogue,
        signal: () => stop.signal,
        checkpoint: () => stop.check(),
        left: () => stop.left(),
        count: (what, amount) => counts[what] = (counts[what] ?? 0) + amount,
        progress: () => {},
      });
      return runTool(tool, input, context, { preview, usage });
    } catch (error) {
      const failure = describeFailure(tool.name, error);
      return { output: JSON_NULL, error: failure, usage: usage() };
    }
  }
}

/** Whether nothing but reading is granted, nobody follows it and nobody was asked. */
function isLook(job: Job): boolean {
  return laneOf(job) === "read" && !job.preview && !job.stream &&
    (job.agreed ?? []).length === 0;
}

const NOT_HERE: Outcome = {
  output: JSON_NULL,
  error: resultError("INTERNAL_ERROR", "this thread runs no such call"),
  usage: {},
};
