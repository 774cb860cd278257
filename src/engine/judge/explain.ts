/** The reasoning behind a decision, for `policy explain` and the pipe's `explain`: the same decision, shown whole. */

import type { ResolvedCapability } from "../../core/capability.ts";
import type { CallRequest } from "../../core/request.ts";
import type { Risk } from "../../core/tool.ts";
import { remediesFor } from "../../policy/judge/remedy.ts";
import type {
  Answered,
  Decision,
  PolicyFinding,
  Rulebook,
  Verdict,
} from "../../policy/rulebook.ts";
import type { CommandEngine } from "../create_engine.ts";
import { enforcementOf } from "./_enforcement.ts";
import { decideCall, subjectOf } from "./decide_call.ts";
import type { DecidedCall } from "./decided_call.ts";
import { inTurns } from "../turns.ts";
import { whyHopeless } from "./missing_program.ts";

/** An explanation as it is printed, with what its reader needs to act on it. */
export interface Explained {
  readonly tool: string;
  readonly risk: Risk;
  readonly effect: Decision["effect"];
  /** Plain data for JSON. */
  readonly explanation: Readonly<Record<string, unknown>>;
}

/** Capabilities that are told one by one; all are judged. */
const MOST_SHOWN = 1_000;

const JUDGED_LATER =
  "some words are known only when the line runs: what they name is judged then, and may be refused or asked for";

/**
 * Judges a request and runs nothing. What a call would be refused for after all rules allow it (a program that is not
 * there) is refused here too. Throws as `decideCall` does.
 */
export async function explain(engine: CommandEngine, request: CallRequest): Promise<Explained> {
  const decided = await decideCall(engine, request);
  const { tool, input, decision, grant } = decided;
  const { risk, verdicts } = decision;
  const { rulebook, policies } = engine;
  const { settings } = rulebook;
  const findings = await decision.findings(inTurns);
  const missing = decision.effect === "deny" ? null : whyHopeless(decided, engine.resolver);
  const verdict: Verdict = missing === null
    ? decision
    : { effect: "deny", code: missing.code, reason: missing.message, rule: null };
  const { effect } = verdict;
  const remedies = remediesFor({
    subject: subjectOf(tool, request.agent),
    decision,
    findings: { ...findings, capabilities: findings.capabilities.slice(0, MOST_SHOWN) },
    policies: policies.map(({ source, policy }, at) => ({
      source,
      passes: policy.environment !== null || at === 0,
    })),
    workspace: settings.workspace,
  });
  return {
    tool: tool.name,
    risk,
    effect,
    explanation: {
      tool: tool.name,
      agent: request.agent,
      description: tool.describe(input),
      ...verdictShape(verdict),
      risk,
      permission: { group: tool.permission, agents: findings.agents },
      thresholds: findings.thresholds,
      capabilities: verdicts.slice(0, MOST_SHOWN).map(({ capability, verdict }, at) => ({
        ...capabilityShape(capability),
        ...networkShape(rulebook, capability),
        ...limitsShape(rulebook, capability),
        ...verdictShape(verdict),
        rules: (findings.capabilities[at] ?? []).map(answeredShape),
      })),
      ...(verdicts.length > MOST_SHOWN
        ? { capabilities_left_out: verdicts.length - MOST_SHOWN }
        : {}),
      ...(effect !== "deny" && tool.judgedLater?.(input) === true
        ? { judged_later: JUDGED_LATER }
        : {}),
      approval: approvalShape(effect, settings.approvals),
      timeout_ms: grant.timeoutMs,
      limits: settings.limits,
      layers: effect === "deny"
        ? { policy: policies.map(({ source }) => source), below: "nothing runs" }
        : layersShape(engine, decided, request),
      would_be_allowed_by: remedies,
    },
  };
}

/** The hosts that rules open to a program; each is judged when it connects. */
function networkShape(
  { networkOf }: Rulebook,
  capability: ResolvedCapability,
): Record<string, unknown> {
  if (capability.kind !== "process.spawn") return {};
  const network = networkOf(capability);
  return network === null ? {} : { may_reach: network.hosts };
}

/** What rules say that a program may use; what they do not say is `limits`. */
function limitsShape(
  { limitsOf }: Rulebook,
  capability: ResolvedCapability,
): Record<string, unknown> {
  if (capability.kind !== "process.spawn") return {};
  const said = limitsOf(capability);
  if (said === null) return {};
  const { limits, timeoutMs, rules } = said;
  return {
    limits,
    ...(timeoutMs === null ? {} : { timeout_ms: timeoutMs }),
    limited_by: rules,
  };
}

function verdictShape({ effect, code, reason, rule }: Verdict): Record<string, unknown> {
  return { effect, code, reason, rule };
}

/** Words of a command that are told, and the longest of them: who sent it has them all. */
const MOST_WORDS = 1_000;
const LONGEST_WORD = 1_000;

/** Of megabytes of arguments what tells them apart: each stands in several places of an explanation. */
function shownWords(words: readonly string[]): readonly string[] {
  const shown = words.slice(0, MOST_WORDS).map((word) =>
    word.length <= LONGEST_WORD
      ? word
      : `${word.slice(0, LONGEST_WORD)}… [${word.length} characters]`
  );
  const more = words.length - shown.length;
  return more > 0 ? [...shown, `[${more} more]`] : shown;
}

/** In the words of the request: canonical paths may lie outside the workspace and stay inside. */
function capabilityShape(capability: ResolvedCapability): Record<string, unknown> {
  switch (capability.kind) {
    case "fs.read":
    case "fs.write":
      return { kind: capability.kind, path: capability.requested, tree: capability.tree };
    case "process.spawn":
      return {
        kind: capability.kind,
        argv: shownWords(capability.argv),
        found: capability.program !== null,
        operands: shownWords(capability.operands.map(({ requested }) => requested)),
      };
    case "net.connect": {
      const { kind, host, port, method = null } = capability;
      return { kind, host, port, method };
    }
    case "env.read":
      return { kind: capability.kind, name: capability.name };
  }
}

function answeredShape({ question, policies: answers }: Answered): Record<string, unknown> {
  const policies = answers.map(findingShape);
  switch (question.about) {
    case "command": {
      const { about, command: { argv }, by } = question;
      const started = by === "command" ? { started_by: "another command" } : {};
      return { about, argv: shownWords(argv), ...started, policies };
    }
    case "host": {
      const { about, connection: { host, port } } = question;
      return { about, host, port, policies };
    }
    default: {
      const { about, path: { access, requested = "." } } = question;
      return { about, access, path: requested, policies };
    }
  }
}

/** Most rules of one policy that are shown. */
const MOST_RULES = 20;

function findingShape({ file, effect, winner, tried, matching, ending }: PolicyFinding) {
  const more = matching.length - MOST_RULES;
  return {
    file,
    effect,
    winner,
    tried,
    matching: matching.slice(0, MOST_RULES),
    ...(more > 0 ? { more } : {}),
    ...(ending === null ? {} : { refused_ending: ending.index }),
  };
}

function approvalShape(
  effect: Decision["effect"],
  { rememberMs, expireMs }: CommandEngine["rulebook"]["settings"]["approvals"],
): Record<string, unknown> {
  return {
    asked: effect === "ask",
    ...(effect === "ask"
      ? {
        how:
          "call: on the terminal, or exit 4 with an approval to be given by `toolgate approvals " +
          "approve ID` and passed as --approval ID, or --approve; serve: an event approval_required, " +
          "answered by op approve or reject",
        remember_ms: rememberMs,
        expire_ms: expireMs,
      }
      : {}),
  };
}

function layersShape(
  engine: CommandEngine,
  { tool, input, grant }: DecidedCall,
  { agent, preview, stream }: CallRequest,
): Record<string, unknown> {
  const policy = engine.policies.map(({ source }) => source);
  const { sandbox } = engine.rulebook.settings;
  const job = { tool, input, grant, preview, stream, subject: subjectOf(tool, agent) };
  const boundary = () => engine.boundaryOf(job);
  return { policy, ...enforcementOf({ grant, sandbox, boundary }) };
}
