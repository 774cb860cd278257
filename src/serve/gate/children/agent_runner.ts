/** The runner of somebody who has child agents: what concerns those is answered here, and all else as ever. */

import { ToolError } from "../../../core/errors.ts";
import { JSON_NULL, toJsonText } from "../../../core/result.ts";
import { describeFailure } from "../../../engine/run_tool.ts";
import {
  type Job,
  type Outcome,
  runnerOver,
  type Running,
  type StayingRunner,
} from "../../../engine/runner.ts";

/** Answers a tool of the category `agent`. `agent`: who calls it. Throws what the call comes to. */
export type AgentCalls = (
  tool: string,
  input: unknown,
  signal: AbortSignal,
  agent: string,
) => Promise<unknown>;

/** `runner`, but for calls of agent tools that are no previews. */
export function withAgents(runner: StayingRunner, calls: AgentCalls): StayingRunner {
  return runnerOver(runner, {
    close: () => runner.close(),
    run: (job, onEvent) =>
      job.tool.category === "agent" && !job.preview ? answer(job, calls) : runner.run(job, onEvent),
  });
}

/** Where no policy says how child agents are started. Always rejects with PROVIDER_NOT_CONFIGURED. */
export const noChildren: AgentCalls = () => Promise.reject(notConfigured());

/** Of who asks for a child agent there. */
export function notConfigured(): ToolError {
  return new ToolError(
    "PROVIDER_NOT_CONFIGURED",
    "the policy says nothing of child agents: children: { command: [my-agent, ...] }",
  );
}

function answer({ tool, input, subject }: Job, calls: AgentCalls): Running {
  const controller = new AbortController();
  return {
    outcome: outcomeOf(tool.name, calls(tool.name, input, controller.signal, subject.agent)),
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
