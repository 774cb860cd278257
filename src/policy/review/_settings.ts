/** Settings that have no effect, or that open more than it seems. */

import { compileAgents } from "../match/agent.ts";
import type { PlacedPolicy } from "../_settings.ts";
import type { Settings } from "../rulebook.ts";
import { keyIn } from "../../config/key_position.ts";
import { didYouMean } from "../../core/nearest.ts";
import { SPOKEN_PROTOCOLS } from "../../core/git/settings.ts";
import { quoted } from "../../core/printable.ts";
import type { Budget } from "./_budget.ts";
import { textCovers } from "./_text_alphabet.ts";
import type { PolicyWarning } from "./_warning.ts";

/** The tools there are, as far as a review asks. */
export interface KnownTools {
  /** Null where there is no such tool. */
  canonicalName(name: string): string | null;
  nearest(name: string): readonly string[];
}

/** Names of tools that nothing bears, in `tools` and `recovery.alternatives`; two names of one tool. */
export function reviewTools(
  { policy: { tools, recovery } }: PlacedPolicy,
  policy: number,
  known: KnownTools,
): readonly PolicyWarning[] {
  const named = [
    ...Object.keys(tools ?? {}).map((name) => ({ key: keyIn("tools", name), name })),
    ...Object.entries(recovery?.alternatives ?? {}).flatMap(([name, others]) => {
      const key = keyIn("recovery.alternatives", name);
      return [{ key, name }, ...others.map((other, at) => ({ key: `${key}[${at}]`, name: other }))];
    }),
  ];
  const warnings = named.flatMap(({ key, name }): PolicyWarning[] =>
    known.canonicalName(name) !== null ? [] : [{
      policy,
      key,
      message: `there is no tool named ${quoted(name)}, so this has no effect.` +
        didYouMean(known.nearest(name)),
    }]
  );
  const first = new Map<string, string>();
  for (const name of Object.keys(tools ?? {})) {
    const canonical = known.canonicalName(name);
    if (canonical === null) continue;
    const before = first.get(canonical);
    if (before === undefined) first.set(canonical, name);
    else {
      warnings.push({
        policy,
        key: keyIn("tools", name),
        message: `it is the same tool as ${before} above; the stricter of each value holds`,
      });
    }
  }
  return warnings;
}

/** Patterns of agents that another, more specific or written before, takes all of. */
export function reviewAgents(
  { policy: { agents } }: PlacedPolicy,
  policy: number,
  budget: Budget,
): readonly PolicyWarning[] {
  if (agents === null) return [];
  const { wild } = compileAgents(agents);
  return wild.flatMap(({ pattern, text }, at) => {
    const other = wild.slice(0, at).find((one) => textCovers(one.text, text, budget));
    return other === undefined ? [] : [{
      policy,
      key: keyIn("agents", pattern),
      message: `never decides: ${
        quoted(other.pattern)
      } stands for every such agent, and goes before it`,
    }];
  });
}

/** Endings that are both allowed and denied. */
export function reviewExtensions(
  policies: readonly PlacedPolicy[],
  reviewed: number,
): readonly PolicyWarning[] {
  return policies.slice(0, reviewed).flatMap(({ policy: own }, policy) =>
    (["read", "write"] as const).flatMap((access) =>
      (own.extensions?.[access]?.allow ?? []).flatMap((ending, at): PolicyWarning[] => {
        const denying = policies.find(({ policy: { extensions } }) =>
          extensions?.[access]?.deny.some((one) => ending.endsWith(one))
        );
        if (denying === undefined) return [];
        const where = denying.policy === own ? "" : `${denying.source} `;
        return [{
          policy,
          key: `extensions.${access}.allow[${at}]`,
          message: `${
            quoted(ending)
          } is also denied, by ${where}extensions.${access}.deny, and so never allowed`,
        }];
      })
    )
  );
}

/** Transports that a policy names and the git tools do not speak. */
export function reviewProtocols(
  { policy: { git } }: PlacedPolicy,
  policy: number,
  { sandbox }: Settings,
): readonly PolicyWarning[] {
  return (git?.protocols ?? []).flatMap((protocol, at): PolicyWarning[] =>
    SPOKEN_PROTOCOLS.some((one) => one === protocol) ? [] : [{
      policy,
      key: `git.protocols[${at}]`,
      message:
        `git_push and git_pull do not speak ${protocol}: they reach other machines by https ` +
        (sandbox.network === "allow"
          ? "and http; it is for git in command lines alone"
          : "and http, and git in command lines none by it while sandbox.network is deny; write https"),
    }]
  );
}

/** What holds in the end, where that leaves a whole layer out; said of the policy that begins. */
export function reviewWhole(
  policies: readonly PlacedPolicy[],
  settings: Settings,
): readonly PolicyWarning[] {
  const warnings: PolicyWarning[] = [];
  if (settings.sandbox.kernel === "off") {
    warnings.push({
      policy: 0,
      key: "sandbox.kernel",
      message: "off: programs that were let through are held by nothing; write auto, which uses " +
        "the kernel where it can, or required",
    });
  }
  const risks = policies.flatMap(({ policy: { risk } }) => risk ?? []);
  if (risks.length > 0 && risks.every(({ allow }) => allow === "dangerous")) {
    warnings.push({
      policy: 0,
      key: "risk.allow",
      message: "dangerous: what cannot be taken back runs unasked too (rm -rf, git push --force, " +
        "code given as an argument); write allow: moderate, ask: dangerous",
    });
  }
  return warnings;
}
