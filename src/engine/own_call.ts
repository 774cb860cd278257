/** Calls that the policy itself wants made: nobody is asked for leave, and all else is as for every call. */

import { ToolError } from "../core/errors.ts";
import { parseArguments } from "../core/parse_arguments.ts";
import type { CallRequest } from "../core/request.ts";
import { jsonText } from "../core/result.ts";
import { type Grant, grantOf } from "../policy/grant.ts";
import type { CommandEngine } from "./create_engine.ts";
import { subjectOf } from "./judge/decide_call.ts";
import { needsOf } from "./judge/needs.ts";
import type { JobEvent, Outcome } from "./runner.ts";
import { atOnce } from "./turns.ts";

/** How such a call is followed. */
export interface OwnCall {
  /** As it is granted, to be changed on the way. */
  readonly granted?: (grant: Grant) => Grant;
  /** What no caller can say, beside the arguments. */
  readonly chosen?: Readonly<Record<string, unknown>>;
  readonly onEvent?: (event: JobEvent) => void;
  /** Handed the way to cancel. */
  readonly onRunning?: (cancel: () => void) => void;
}

/** A tool's output, as JSON text would have it. Throws the error that the call comes to. */
export async function runOwn(
  engine: CommandEngine,
  agent: string,
  name: string,
  input: Readonly<Record<string, unknown>>,
  options: OwnCall = {},
): Promise<unknown> {
  const { output, error } = await startOwn(engine, agent, name, input, options);
  if (error !== null) throw new ToolError(error.code, error.message);
  return JSON.parse(jsonText(output));
}

/** The same, as far as it went. Throws what is thrown before it runs. */
export async function startOwn(
  engine: CommandEngine,
  agent: string,
  name: string,
  args: Readonly<Record<string, unknown>>,
  { granted = (grant) => grant, chosen = {}, onEvent = () => {}, onRunning = () => {} }: OwnCall =
    {},
): Promise<Outcome> {
  const { rulebook, registry, resolver, recorder } = engine;
  const tool = await registry.get(name);
  const parsed = parseArguments(tool.input, args);
  if ("problems" in parsed) throw new Error(`${name} was called with other arguments than it has`);
  const said = await (tool.complete?.(parsed.value) ?? parsed.value);
  const input = { ...said as object, ...chosen };
  const needs = await needsOf(tool, input, false, rulebook.settings);
  await engine.prepare(needs, tool);
  const resolved = atOnce(resolver.resolveInSteps(needs));
  const subject = subjectOf(tool, agent);
  const decision = rulebook.decide(subject, resolved);
  const record = recorder.begin(requestOf(name, args, agent));
  record.decided(tool, input, { ...decision, effect: "allow", rule: null });
  const grant = granted(grantOf(resolved, rulebook.settings, rulebook.timeoutOf(name)));
  const started = performance.now();
  const job = { tool, input, grant, preview: false, stream: true, subject };
  const running = engine.runner.run(job, onEvent);
  onRunning(running.cancel);
  const outcome = await running.outcome;
  record.ended({
    ...outcome,
    tool: name,
    success: outcome.error === null,
    risk: decision.risk,
    latencyMs: performance.now() - started,
  });
  return outcome;
}

function requestOf(tool: string, args: CallRequest["args"], agent: string): CallRequest {
  return { id: null, tool, args, agent, timeoutMs: null, preview: false, stream: false };
}
