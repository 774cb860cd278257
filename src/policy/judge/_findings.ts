/** Why a decision is as it is: the questions that it came of, put to the same rules once more, which now tell all that match. */

import type { CompiledPolicy } from "../_compiled.ts";
import { matchAgent } from "../match/agent.ts";
import { findCommand, findRestricting, matchCommand } from "../match/command_rules.ts";
import { isOwnServer, networkRulesFor } from "./_network.ts";
import { findConnection, findOwnRestriction, matchConnection } from "../match/network_rules.ts";
import { segmentsOf } from "../match/path.ts";
import { type CitedRule, findPath, type Match, matchPath } from "../match/path_rules.ts";
import type { Effect } from "../model.ts";
import type { Answered, Findings, PolicyFinding } from "../rulebook.ts";
import type { groupsOf } from "./groups.ts";
import { isOpen, refusedEnding } from "./path.ts";
import type { PathQuestion, Question } from "./question.ts";
import type { Judged } from "./_verdict.ts";
import { grants } from "./subject.ts";

/** The findings for `asked`: what the rules were asked, capability by capability. `groups`: what the agent needs. */
export function* findingsOf(
  policies: readonly CompiledPolicy[],
  agent: string,
  groups: ReturnType<typeof groupsOf>,
  asked: readonly Judged["asked"][],
): Generator<void, Findings, void> {
  const capabilities: (readonly Answered[])[] = [];
  for (const tell of asked) {
    const answers: Answered[] = [];
    for (const question of tell()) {
      answers.push(answered(policies, question));
      yield;
    }
    capabilities.push(answers.filter(isTelling));
  }
  return {
    capabilities,
    agents: policies.flatMap(({ source, agents }) => {
      if (agents === null) return [];
      const found = matchAgent(agents, agent);
      const lacking = groups.filter((group) => group !== null)
        .filter((group) => found === null || !grants(found.rule, group));
      const granted = found !== null && lacking.length === 0;
      const permissions = found?.rule.permissions ?? [];
      return [{ file: source, pattern: found?.pattern ?? null, permissions, granted, lacking }];
    }),
    thresholds: policies.flatMap(({ source, risk }) =>
      risk === null ? [] : [{ file: source, allow: risk.allow, ask: risk.ask }]
    ),
  };
}

/** Starting somewhere in the workspace is free: only what is said against it is worth telling. */
function isTelling({ question, policies }: Answered): boolean {
  return question.about !== "cwd" ||
    policies.some(({ effect }) => effect === "deny" || effect === "ask" || effect === "unnamed");
}

function answered(policies: readonly CompiledPolicy[], question: Question): Answered {
  return {
    question,
    policies: policies.map((policy, at) => {
      const { ending = null, ...finding } = findingOf(policy, question) ?? SILENT;
      return { file: policy.source, policy: at, ...finding, ending };
    }),
  };
}

type FoundRules =
  & Omit<PolicyFinding, "file" | "policy" | "ending">
  & Partial<Pick<PolicyFinding, "ending">>;

const SILENT: FoundRules = { effect: "silent", winner: null, tried: 0, matching: [] };

/** Null: the policy has no such rules. */
function findingOf(policy: CompiledPolicy, question: Question): FoundRules | null {
  switch (question.about) {
    case "command": {
      const { command, restrictedOnly } = question;
      const { commands: rules } = policy;
      if (rules === null) return null;
      const found = restrictedOnly === true
        ? findRestricting(rules, command) ?? { effect: "silent" } as const
        : findCommand(rules, command);
      return shown(found, rules.count, matchCommand(rules, command));
    }
    case "host": {
      const { connection } = question;
      const rules = networkRulesFor(policy, connection.command);
      if (rules === null) return null;
      const { held } = question;
      const own = held && isOwnServer(connection);
      const matching = matchConnection(rules, connection, { held, own });
      const restriction = own ? findOwnRestriction(rules, connection) : null;
      const found = restriction ?? findConnection(rules, connection, { held });
      return shown(found, rules.entries.length, matching);
    }
    default:
      return pathFinding(policy, question.path);
  }
}

function pathFinding(policy: CompiledPolicy, question: PathQuestion): FoundRules | null {
  const { access, kind, path, restrictedOnly } = question;
  const names = segmentsOf(path);
  const ending = kind === "file"
    ? refusedEnding(policy, access, names[names.length - 1] ?? "")
    : null;
  if (policy.paths === null) return ending === null ? null : { ...SILENT, ending };
  const rules = policy.paths[access];
  const found = findPath(rules, names);
  const unnamed = restrictedOnly === true
    ? "silent"
    : isOpen(policy, question)
    ? "system"
    : "unnamed";
  const effect = found.effect === "unnamed" ? { effect: unnamed } as const : found;
  return { ...shown(effect, rules.count, matchPath(rules, names)), ending };
}

function shown(
  found:
    | { readonly effect: Effect; readonly rule: CitedRule }
    | { readonly effect: "unnamed" | "silent" | "system" },
  tried: number,
  matching: readonly Match[],
): FoundRules {
  return {
    effect: found.effect,
    winner: "rule" in found ? found.rule.reference.index : null,
    tried,
    matching: matching.map(({ rule, effect, pattern }) => ({
      index: rule.reference.index,
      effect,
      pattern,
    })),
  };
}
