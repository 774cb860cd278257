/** The runner of somebody who has child agents: what concerns those is answered here, and all else as ever. */

import { JSON_NULL, toJsonText } from "../../../core/result.ts";
import { describeFailure } from "../../../engine/run_tool.ts";
import type { Job, Outcome, Running, StayingRunner } from "../../../engine/runner.ts";

/** Answers a tool of the category `agent`. Throws what the call comes to. */
export type AgentCalls = (
  tool: string,
  input: unknown,
  signal: AbortSignal,
) => Promise<unknown>;

/** `runner`, but for calls of agent tools that are no previews. */
export function withAgents(runner: StayingRunner, calls: AgentCalls): StayingRunner {
  const run: StayingRunner["run"] = (job, onEvent) =>
    job.tool.category === "agent" && !job.preview ? answer(job, calls) : runner.run(job, onEvent);
  // The rest of it is read where it is: counts change.
  return Object.create(runner, { run: { value: run } });
}

function answer({ tool, input }: Job, calls: AgentCalls): Running {
  const controller = new AbortController();
  return {
    outcome: outcomeOf(tool.name, calls(tool.name, input, controller.signal)),
    cancel: () => controller.abort(),
  };
}

async function outcomeOf(tool: string, answered: Promise<unknown>): Promise<Outcome> {
  const usage = { layers: ["policy"] };
  try {
    return { output: toJsonText(await answered), error: null, usage };
  } catch (error) {
    return { output: JSON_NULL, error: describeFailure(tool, error), usage };
  }
}
