/** Judges who asks for which tool: tools, agents and risk of all policies. */

import type { RuleReference } from "../../core/errors.ts";
import { type PermissionGroup, type Risk, RISKS } from "../../core/tool.ts";
import { printable, quoted } from "../../core/printable.ts";
import type { CompiledPolicy } from "../_compiled.ts";
import { allowed, asked, denied, shortList, strictest } from "./_verdict.ts";
import { type AgentMatcher, matchAgent } from "../match/agent.ts";
import type { AgentRule } from "../model.ts";
import type { Verdict } from "../rulebook.ts";

/** Whether a policy switches the tool off. `tool` by its canonical name. */
export function judgeTool(policies: readonly CompiledPolicy[], tool: string): Verdict {
  const verdicts = policies.flatMap(({ tools, source }) => {
    const entry = tools.get(tool);
    if (entry?.rule.enabled !== false) return [];
    const index = `tools.${entry.key}`;
    return [denied("TOOL_DENIED", `${printable(tool, 80)} is switched off by ${source} ${index}`, {
      file: source,
      index,
    })];
  });
  return strictest(verdicts, allowed("no policy switches the tool off"));
}

/**
 * Whether the agent has the permission group. Null: it only must be an agent that some rule knows. `lacking`: what
 * follows for a known agent that does not have it.
 */
export function judgeAgent(
  policies: readonly CompiledPolicy[],
  agent: string,
  permission: PermissionGroup | null,
  lacking: "ask" | "deny" = "deny",
): Verdict {
  const verdicts = policies.flatMap(({ agents, source }) => {
    if (agents === null) return [];
    const found = matchAgent(agents, agent);
    if (found === null) {
      const known = patternsOf(agents).map(({ pattern }) => pattern);
      const hint = known.length === 0 ? "none is known" : `known: ${shortList(known)}`;
      return [denied(
        "PERMISSION_DENIED",
        `agent ${quoted(agent)} is named by no rule of ${source} agents; ${hint}`,
        { file: source, index: "agents" },
      )];
    }
    if (permission === null || grants(found.rule, permission)) return [];
    const index = `agents.${found.pattern}`;
    const holders = patternsOf(agents).filter(({ rule }) => grants(rule, permission));
    const hint = holders.length === 0
      ? "no agent has it"
      : `agents that have it: ${shortList(holders.map(({ pattern }) => pattern))}`;
    const reason = `agent ${quoted(agent)} lacks the permission ${permission} ` +
      `by ${source} ${index}; ${hint}`;
    const rule = { file: source, index };
    return [lacking === "ask" ? asked(reason, rule) : denied("PERMISSION_DENIED", reason, rule)];
  });
  return strictest(verdicts, allowed("the agent has the permission"));
}

function patternsOf(agents: AgentMatcher<AgentRule>) {
  return [...agents.exact.values(), ...agents.wild];
}

/** Whether a rule of agents gives the permission. */
export function grants({ permissions }: AgentRule, permission: PermissionGroup): boolean {
  return permissions.includes("all") || permissions.includes(permission);
}

/**
 * The risk that counts: the first policy's own for the tool, where it sets one, in place of `intrinsic`; a
 * further policy can only raise it.
 */
export function effectiveRisk(
  policies: readonly CompiledPolicy[],
  tool: string,
  intrinsic: Risk,
): { readonly risk: Risk; readonly rule: RuleReference | null } {
  let risk = intrinsic;
  let rule: RuleReference | null = null;
  policies.forEach(({ tools, source }, position) => {
    const entry = tools.get(tool);
    const own = entry?.rule.risk;
    if (entry === undefined || own === undefined) return;
    if (position > 0 && RISKS.indexOf(own) <= RISKS.indexOf(risk)) return;
    risk = own;
    rule = { file: source, index: `tools.${entry.key}` };
  });
  return { risk, rule };
}

/** Judges a risk by the thresholds of each policy. `counted`: the risk as the policy of that position counts it, and why. */
export function judgeRisk(
  policies: readonly CompiledPolicy[],
  action: string,
  counted: (position: number) => { readonly risk: Risk; readonly because: string },
): Verdict {
  const verdicts = policies.flatMap(({ risk: limits, source }, position) => {
    if (limits === null) return [];
    const { risk, because } = counted(position);
    const rank = RISKS.indexOf(risk);
    if (rank <= RISKS.indexOf(limits.allow)) return [];
    const rule = { file: source, index: "risk" };
    const what = `${action} is ${risk}${because === "" ? "" : ` (${because})`}`;
    if (rank <= RISKS.indexOf(limits.ask)) {
      return [asked(`${what}: ${source} risk asks above ${limits.allow}`, rule)];
    }
    const most = RISKS[Math.max(RISKS.indexOf(limits.allow), RISKS.indexOf(limits.ask))];
    return [denied("RISK_DENIED", `${what}: ${source} risk allows at most ${most}`, rule)];
  });
  const { risk } = counted(0);
  return strictest(verdicts, allowed(`${action} is ${risk}, which is allowed`));
}
