/** The one way through: every call, whichever way it came in, passes `execute()` and nothing else runs a tool. */

import { invalidArguments, parseArguments } from "../core/parse_arguments.ts";
import type { Capability } from "../core/capability.ts";
import type { CallRequest } from "../core/request.ts";
import { refusal, type Result } from "../core/result.ts";
import type { Tool } from "../core/tool.ts";
import { type Grant, grantOf } from "../policy/grant.ts";
import { EFFECTS } from "../policy/model.ts";
import type { Decision, Rulebook, Subject } from "../policy/rulebook.ts";
import type { Registry } from "../tools/registry.ts";
import type { Metrics } from "./metrics.ts";
import { refuseMissingProgram } from "./missing_program.ts";
import { withoutRefusedOptions } from "./optional_capabilities.ts";
import type { CapabilityResolver } from "./resolve.ts";
import { describeFailure } from "./run_tool.ts";
import type { JobEvent, Runner } from "./runner.ts";
import type { Turns } from "./turns.ts";

/** All that the way through needs; made once by `createEngine`. */
export interface Engine {
  readonly registry: Registry;
  readonly rulebook: Rulebook;
  readonly resolver: CapabilityResolver;
  readonly runner: Runner;
  /** Loads what resolving and judging these takes; null where nothing is missing. */
  prepare(capabilities: readonly Capability[]): Promise<void> | null;
  readonly metrics: Metrics;
  readonly turns: Turns;
}

/** How a caller follows a call. */
export interface Follow {
  readonly onEvent: (event: JobEvent) => void;
  /** Handed the way to cancel, once the call runs. */
  readonly onRunning: (cancel: () => void) => void;
}

/** Judged and allowed or not: `decision` with the grant that it would mean. */
export interface Judgement {
  readonly tool: Tool;
  readonly input: unknown;
  readonly decision: Decision;
  readonly grant: Grant;
}

/** Checks, decides, runs, and answers. Never throws. */
export async function execute(
  engine: Engine,
  request: CallRequest,
  follow: Follow,
): Promise<Result> {
  const started = performance.now();
  const latency = () => performance.now() - started;
  const name = engine.registry.canonicalName(request.tool) ?? request.tool;
  let ran = name;
  const finish = (result: Result): Result => {
    engine.metrics.record(ran, result.error?.code ?? null, result.latencyMs);
    return result;
  };
  try {
    const judging = engine.turns.take(judge(engine, request));
    const { tool, input, decision, grant } = judging instanceof Promise ? await judging : judging;
    ran = tool.name;
    if (decision.effect !== "allow") {
      const { code, reason, rule, risk } = decision;
      const error = {
        code: code ?? "TOOL_DENIED",
        message: `${name}: ${reason}`,
        details: null,
        rule,
      };
      return finish(refusal(name, error, latency(), risk));
    }
    refuseMissingProgram(decision);
    const { preview, stream } = request;
    const running = engine.runner.run({ tool, input, grant, preview, stream }, follow.onEvent);
    follow.onRunning(running.cancel);
    const { output, error, usage } = await running.outcome;
    const { risk } = decision;
    const success = error === null;
    return finish({ tool: name, success, output, error, risk, latencyMs: latency(), usage });
  } catch (error) {
    return finish(refusal(name, describeFailure(name, error), latency()));
  }
}

/**
 * The judgement of a request, with no effect: what `execute` acts on and `explain` shows. Throws a ToolError
 * for UNKNOWN_TOOL, INVALID_ARGUMENTS, COMMAND_UNPARSABLE and paths that cannot be resolved.
 */
export function judge(engine: Engine, request: CallRequest): Judgement | Promise<Judgement> {
  const loaded = engine.registry.get(request.tool);
  return loaded instanceof Promise
    ? loaded.then((tool) => judgeTool(engine, request, tool))
    : judgeTool(engine, request, loaded);
}

function judgeTool(
  engine: Engine,
  request: CallRequest,
  tool: Tool,
): Judgement | Promise<Judgement> {
  const parsed = parseArguments(tool.input, request.args);
  if ("problems" in parsed) throw invalidArguments(tool.name, parsed.problems);
  const input = parsed.value;
  tool.check?.(input);
  if (tool.standsFor !== undefined) {
    return judgeAs(engine, request, tool, tool.standsFor.call(input));
  }
  const found = tool.capabilities(input, { cwd: "." });
  if (found instanceof Promise) return decideLater(engine, request, { tool, input }, found);
  const preparing = engine.prepare(found);
  return preparing === null
    ? decideOn(engine, request, { tool, input }, found)
    : decideLater(engine, request, { tool, input }, found);
}

/** Judged as the call that is meant; where the policy is stricter with the name it came under, that holds. */
async function judgeAs(
  engine: Engine,
  request: CallRequest,
  named: Tool,
  meant: Pick<CallRequest, "tool" | "args">,
): Promise<Judgement> {
  const own = engine.rulebook.decide(subjectOf(named, request.agent), []);
  const judged = await judge(engine, { ...request, ...meant });
  const { effect, verdicts } = judged.decision;
  if (EFFECTS.indexOf(own.effect) <= EFFECTS.indexOf(effect)) return judged;
  return { ...judged, decision: { ...own, verdicts } };
}

async function decideLater(
  engine: Engine,
  request: CallRequest,
  call: Pick<Judgement, "tool" | "input">,
  finding: readonly Capability[] | Promise<readonly Capability[]>,
): Promise<Judgement> {
  const found = await finding;
  await engine.prepare(found);
  return decideOn(engine, request, call, found);
}

function decideOn(
  { rulebook, resolver }: Engine,
  { agent, timeoutMs }: CallRequest,
  { tool, input }: Pick<Judgement, "tool" | "input">,
  found: readonly Capability[],
): Judgement {
  const resolved = withoutRefusedOptions(rulebook, agent, resolver.resolve(found));
  const decision = rulebook.decide(subjectOf(tool, agent), resolved);
  const ms = Math.min(rulebook.timeoutOf(tool.name), timeoutMs ?? Infinity);
  return { tool, input, decision, grant: grantOf(resolved, rulebook.settings, ms) };
}

/** What the policy is asked about a tool. */
export function subjectOf(tool: Tool, agent: string): Subject {
  const { name, risk, permission, riskOfPrograms = false } = tool;
  return { tool: name, agent, risk, permission, riskOfPrograms };
}
