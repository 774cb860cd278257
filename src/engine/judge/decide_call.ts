/** Deciding on a request without any effect: its arguments, what they need, and what the policy says to that. */

import type { Capability, ResolvedCapability } from "../../core/capability.ts";
import { invalidArguments, parseArguments } from "../../core/parse_arguments.ts";
import type { CallRequest } from "../../core/request.ts";
import type { LineScope } from "../../core/line_scope.ts";
import type { Tool } from "../../core/tool.ts";
import { grantOf } from "../../policy/grant.ts";
import { EFFECTS } from "../../policy/model.ts";
import type { Decision, Rulebook, Subject } from "../../policy/rulebook.ts";
import type { ListedTool } from "../../tools/listing.ts";
import type { DecidedCall, DecideInput, DecisionParts } from "./decided_call.ts";
import { needsOf } from "./needs.ts";
import { withoutPrograms } from "./_missing_commands.ts";
import { withoutRefusedOptions } from "./_optional_capabilities.ts";
import { inTurns, type Steps } from "../turns.ts";

/**
 * The decision on a request and the grant that it would mean: what `execute` acts on and `explain` shows. Throws a ToolError
 * for UNKNOWN_TOOL, INVALID_ARGUMENTS, COMMAND_UNPARSABLE and paths that cannot be resolved.
 */
export function decideCall(
  engine: DecisionParts,
  request: CallRequest,
): DecidedCall | Promise<DecidedCall> {
  const loaded = engine.registry.get(request.tool);
  return loaded instanceof Promise
    ? loaded.then((tool) => decideTool(engine, request, tool))
    : decideTool(engine, request, loaded);
}

function decideTool(
  engine: DecisionParts,
  request: CallRequest,
  tool: Tool,
): DecidedCall | Promise<DecidedCall> {
  const parsed = parseArguments(tool.input, request.args);
  if ("problems" in parsed) throw invalidArguments(tool.name, parsed.problems);
  const { value } = parsed;
  tool.check?.(value);
  if (tool.standsFor !== undefined) {
    return decideAs(engine, request, tool, tool.standsFor.call(value));
  }
  const input = request.preview && tool.dryRun !== undefined ? tool.dryRun(value) : value;
  const { rulebook } = engine;
  const scope: LineScope = {
    ownTemporary: async () => (await import("./own_temporary.ts")).ownTemporary(rulebook),
  };
  const completed = tool.complete?.(input, scope) ?? input;
  return completed instanceof Promise
    ? completed.then((whole) => decideInput(engine, request, { tool, input: whole }))
    : decideInput(engine, request, { tool, input: completed });
}

function decideInput(
  engine: DecisionParts,
  request: CallRequest,
  call: Pick<DecidedCall, "tool" | "input">,
): DecidedCall | Promise<DecidedCall> {
  const { tool, input } = call;
  if (tool.survey !== undefined) {
    return import("./_survey.ts").then(({ decideWays }) =>
      decideWays(engine, request, call, decideLater)
    );
  }
  const found = needsOf(tool, input, request.preview, engine.rulebook.settings);
  if (found instanceof Promise) return decideLater(engine, request, call, found);
  const preparing = engine.prepare(found, tool);
  return preparing === null
    ? decideOn(engine, request, call, found)
    : decideLater(engine, request, call, found);
}

/** Judged as the call that is meant; where the policy is stricter with the name it came under, that holds. */
async function decideAs(
  engine: DecisionParts,
  request: CallRequest,
  named: Tool,
  meant: Pick<CallRequest, "tool" | "args">,
): Promise<DecidedCall> {
  const own = engine.rulebook.decide(subjectOf(named, request.agent), []);
  const judged = await decideCall(engine, { ...request, ...meant });
  const { effect, verdicts } = judged.decision;
  if (EFFECTS.indexOf(own.effect) <= EFFECTS.indexOf(effect)) return judged;
  return { ...judged, decision: { ...own, verdicts } };
}

/** Waits for what judging takes, then judges. */
const decideLater: DecideInput = async (engine, request, call, finding) => {
  const found = await finding;
  await engine.prepare(found, call.tool);
  return decideOn(engine, request, call, found);
};

/** Judges one input of a tool by capabilities that were found for it. */
export function decideOn(
  engine: DecisionParts,
  request: CallRequest,
  call: Pick<DecidedCall, "tool" | "input">,
  found: readonly Capability[],
): DecidedCall | Promise<DecidedCall> {
  return isShort(found)
    ? decideAtOnce(engine, request, call, found)
    : inTurns(decisionSteps(engine, request, call, found));
}

/** Capabilities that are judged without a turn for others in between. */
const FEW = 4;

/** Whether it names a few things that are there to be looked at, and no programs: most calls. */
function isShort(found: readonly Capability[]): boolean {
  if (found.length > FEW) return false;
  for (const one of found) {
    if (one.kind === "process.spawn" || ("optional" in one && one.optional === true)) return false;
  }
  return true;
}

function decideAtOnce(
  { resolver, rulebook }: DecisionParts,
  request: CallRequest,
  call: Pick<DecidedCall, "tool" | "input">,
  found: readonly Capability[],
): DecidedCall {
  const resolved = resolver.resolve(found);
  const decision = rulebook.decide(subjectOf(call.tool, request.agent), resolved);
  return decided(rulebook, request, call, resolved, decision);
}

function* decisionSteps(
  { resolver, rulebook, programs }: DecisionParts,
  request: CallRequest,
  call: Pick<DecidedCall, "tool" | "input">,
  found: readonly Capability[],
): Steps<DecidedCall> {
  const { agent } = request;
  const there = yield* resolver.resolveInSteps(found);
  const goesOn = programs !== "assumed" && call.tool.goesOn?.(call.input) === true;
  const whole = goesOn ? withoutPrograms(there) : there;
  const resolved = yield* withoutRefusedOptions(rulebook, agent, whole);
  const decision = yield* rulebook.decideInSteps(subjectOf(call.tool, agent), resolved);
  return decided(rulebook, request, call, resolved, decision);
}

function decided(
  rulebook: Rulebook,
  { timeoutMs }: CallRequest,
  { tool, input }: Pick<DecidedCall, "tool" | "input">,
  resolved: readonly ResolvedCapability[],
  decision: Decision,
): DecidedCall {
  const ms = Math.min(rulebook.timeoutOf(tool.name), timeoutMs ?? Infinity);
  return { tool, input, decision, grant: grantOf(resolved, rulebook.settings, ms) };
}

/** What the policy is asked about a tool. */
export function subjectOf(tool: ListedTool["subject"], agent: string): Subject {
  const { name, risk, permission, riskOfPrograms = false, leastRisk } = tool;
  const least = leastRisk === undefined ? {} : { leastRisk };
  return { tool: name, agent, risk, permission, riskOfPrograms, ...least };
}
