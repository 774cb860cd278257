/** The network rules of one policy, compiled, and how a connection fares by them. */

import type { ConnectCapability } from "../../core/capability.ts";
import { hostOf, isPrivateHost } from "./addresses.ts";
import { type CitedRule, referenceTo } from "./path_rules.ts";
import { type HostPattern, matchesHost, parseHostPattern } from "./host.ts";
import type { Effect, NetworkRule } from "../model.ts";

interface Entry {
  readonly effect: Effect;
  readonly hosts: readonly HostPattern[];
  readonly methods: readonly string[] | null;
  readonly allowPrivate: boolean;
  readonly rule: CitedRule;
}

export interface NetworkRules {
  readonly entries: readonly Entry[];
  /** Hosts that are allowed or asked for, as written. */
  readonly granted: readonly string[];
}

export type NetworkFinding =
  | { readonly effect: Effect; readonly rule: CitedRule }
  /** Why nothing grants it. */
  | {
    readonly effect: "unnamed";
    readonly because: "host" | "method" | "private" | "invalid";
  };

/** Compiles the rules. Throws `HostError` for a pattern that the parser would have refused. */
export function compileNetworkRules(rules: readonly NetworkRule[], source: string): NetworkRules {
  const entries = rules.map((rule, order): Entry => ({
    effect: rule.effect,
    hosts: rule.hosts.map(parseHostPattern),
    methods: rule.methods?.map((method) => method.toUpperCase()) ?? null,
    allowPrivate: rule.allowPrivate,
    rule: { order, reference: referenceTo(source, `network[${order}]`, rule.reason) },
  }));
  const granted = rules.filter(({ effect }) => effect !== "deny").flatMap(({ hosts }) => hosts);
  return { entries, granted };
}

/**
 * How a connection fares. A rule that grants must know the method where it names some, and speaks for private
 * addresses only with `allow_private`; a rule that restricts speaks where it could.
 */
export function findConnection(
  rules: NetworkRules,
  { host: written, port, method }: ConnectCapability,
): NetworkFinding {
  const host = hostOf(written);
  if (host === null || !Number.isInteger(port) || port < 1 || port > 65_535) {
    return { effect: "unnamed", because: "invalid" };
  }
  const named = rules.entries.filter(({ hosts }) =>
    hosts.some((pattern) => matchesHost(pattern, host.text, port))
  );
  const wanted = method?.toUpperCase();
  const restricting = named.filter(({ effect, methods }) =>
    effect !== "allow" && (methods === null || wanted === undefined || methods.includes(wanted))
  );
  const denying = restricting.find(({ effect }) => effect === "deny");
  if (denying !== undefined) return { effect: "deny", rule: denying.rule };
  const granting = named.filter(({ effect }) => effect !== "deny");
  const byMethod = granting.filter(({ methods }) =>
    methods === null || (wanted !== undefined && methods.includes(wanted))
  );
  const secluded = isPrivateHost(host);
  const reaching = byMethod.filter(({ allowPrivate }) => allowPrivate || !secluded);
  const grant = reaching.find(({ effect }) => effect === "allow") ?? reaching[0];
  if (grant === undefined) {
    const because = granting.length === 0 ? "host" : byMethod.length === 0 ? "method" : "private";
    return { effect: "unnamed", because };
  }
  const asking = restricting[0];
  if (asking !== undefined) return { effect: "ask", rule: asking.rule };
  return { effect: "allow", rule: grant.rule };
}
