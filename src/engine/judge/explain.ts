/** The reasoning behind a decision, for `policy explain` and the pipe's `explain`: the same judgement, shown whole. */

import type { ResolvedCapability } from "../../core/capability.ts";
import type { CallRequest } from "../../core/request.ts";
import type { Risk } from "../../core/tool.ts";
import { compileAgents, matchAgent } from "../../policy/match/agent.ts";
import { remediesFor } from "../../policy/judge/remedy.ts";
import type { Decision, Verdict } from "../../policy/rulebook.ts";
import { effectiveAgents, effectiveThresholds } from "../../policy/judge/subject_rules.ts";
import {
  type PolicyFinding,
  traceCapability,
  type TracedSubject,
} from "../../policy/judge/trace.ts";
import { DEVICES, SYSTEM_PATHS } from "../../sandbox/system_paths.ts";
import { isCaseInsensitive } from "../compile_policies.ts";
import type { CommandEngine } from "../create_engine.ts";
import { enforcementOf } from "./_enforcement.ts";
import { judge, subjectOf } from "./judge.ts";
import type { Judgement } from "./judgement.ts";

export interface Explained {
  readonly tool: string;
  readonly risk: Risk;
  readonly effect: Decision["effect"];
  readonly explanation: Readonly<Record<string, unknown>>;
}

/** Judges a request and runs nothing. Throws as `judge` does. */
export async function explain(engine: CommandEngine, request: CallRequest): Promise<Explained> {
  const judgement = await judge(engine, request);
  const { tool, input, decision, grant } = judgement;
  const { effect, risk, verdicts } = decision;
  const { rulebook, policies } = engine;
  const { settings } = rulebook;
  const subject = subjectOf(tool, request.agent);
  const options = { caseInsensitive: isCaseInsensitive() };
  const traced = verdicts.map(({ capability }) => traceCapability(policies, capability, options));
  const system = [
    ...settings.sandbox.system ?? SYSTEM_PATHS,
    ...DEVICES.map(({ path }) => path),
  ];
  const remedies = remediesFor(policies, {
    subject,
    decision,
    traced: traced.flat(),
    workspace: settings.workspace,
    system,
  });
  return {
    tool: tool.name,
    risk,
    effect,
    explanation: {
      tool: tool.name,
      agent: request.agent,
      description: tool.describe(input),
      ...verdictShape(decision),
      risk,
      permission: permissionShape(engine, tool.permission, request.agent),
      thresholds: policies.flatMap(({ source, policy }, at) => {
        const limits = effectiveThresholds(policy, at);
        return limits === null ? [] : [{ file: source, ...limits }];
      }),
      capabilities: verdicts.map(({ capability, verdict }, at) => ({
        ...capabilityShape(capability),
        ...verdictShape(verdict),
        rules: (traced[at] ?? []).map(subjectShape),
      })),
      approval: approvalShape(effect, settings.approvals),
      timeout_ms: grant.timeoutMs,
      limits: settings.limits,
      layers: layersShape(engine, judgement, request),
      would_be_allowed_by: remedies,
    },
  };
}

function verdictShape({ effect, code, reason, rule }: Verdict): Record<string, unknown> {
  return { effect, code, reason, rule };
}

function permissionShape(
  { policies }: CommandEngine,
  group: Judgement["tool"]["permission"],
  agent: string,
): Record<string, unknown> {
  return {
    group,
    agents: policies.flatMap(({ source, policy }, at) => {
      const agents = effectiveAgents(policy, at);
      if (agents === null) return [];
      const found = matchAgent(compileAgents(agents), agent);
      const permissions = found?.rule.permissions ?? [];
      const granted = found !== null &&
        (group === null || permissions.includes("all") || permissions.includes(group));
      return [{ file: source, pattern: found?.pattern ?? null, permissions, granted }];
    }),
  };
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
        argv: capability.argv,
        found: capability.program !== null,
        operands: capability.operands.map(({ requested }) => requested),
      };
    case "net.connect": {
      const { kind, host, port, method = null } = capability;
      return { kind, host, port, method };
    }
    case "env.read":
      return { kind: capability.kind, name: capability.name };
  }
}

function subjectShape(subject: TracedSubject): Record<string, unknown> {
  const policies = subject.findings.map(findingShape);
  switch (subject.about) {
    case "command": {
      const { about, argv, inner } = subject;
      return { about, argv, ...(inner ? { started_by: "another command" } : {}), policies };
    }
    case "host": {
      const { about, host, port } = subject;
      return { about, host, port, policies };
    }
    default: {
      const { about, access, requested } = subject;
      return { about, access, path: requested, policies };
    }
  }
}

/** Most rules of one policy that are shown. */
const MOST_RULES = 20;

function findingShape({ file, effect, winner, tried, matching }: PolicyFinding) {
  const more = matching.length - MOST_RULES;
  return {
    file,
    effect,
    winner,
    tried,
    matching: matching.slice(0, MOST_RULES),
    ...(more > 0 ? { more } : {}),
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
  { tool, input, grant, decision }: Judgement,
  { agent, preview, stream }: CallRequest,
): Record<string, unknown> {
  const policy = engine.policies.map(({ source }) => source);
  if (decision.effect === "deny") return { policy, below: "nothing runs" };
  const { sandbox } = engine.rulebook.settings;
  const job = { tool, input, grant, preview, stream, subject: subjectOf(tool, agent) };
  const boundary = () => engine.boundaryOf(job);
  return { policy, ...enforcementOf({ grant, sandbox, boundary }) };
}
