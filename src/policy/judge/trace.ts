/** Which rules speak for a capability, policy by policy, and which of them decides: the reasoning behind a verdict. */

import type { CanonicalPath, ResolvedCapability } from "../../core/capability.ts";
import { compileCommandRules, findCommand, type JudgedCommand } from "../match/command_rules.ts";
import { compileNetworkRules, findConnection } from "../match/network_rules.ts";
import { compilePathRules, findPath } from "../match/path_rules.ts";
import { lies } from "./path.ts";
import type { PlacedPolicy } from "../_settings.ts";
import { assessCommand } from "../../programs/risk.ts";
import { segmentsOf } from "../match/path.ts";
import type { Access, CommandRule, Effect, NetworkRule, PathRule } from "../model.ts";

/** A rule that matches. */
export interface TriedRule {
  /** `paths[3]` */
  readonly index: string;
  readonly effect: Effect;
  /** The glob, pattern or host that matches, as written. */
  readonly pattern: string;
}

/** How one policy judges one subject by its rules alone. */
export interface PolicyFinding {
  readonly file: string;
  /** The position of the policy. */
  readonly policy: number;
  /** `unnamed`: no rule grants it, which denies. `silent`: the policy has no such rules and leaves it to others. */
  readonly effect: Effect | "unnamed" | "silent";
  /** The rule that decides; null where none does. */
  readonly winner: string | null;
  /** Rules that were looked at, and those of them that match. */
  readonly tried: number;
  readonly matching: readonly TriedRule[];
}

/** One thing that rules are asked about: a command asks about several. */
export type TracedSubject =
  & { readonly findings: readonly PolicyFinding[] }
  & (
    | {
      readonly about: "path" | "operand" | "cwd";
      readonly access: Access;
      readonly requested: string;
      readonly path: CanonicalPath;
      readonly kind: "file" | "directory";
    }
    | { readonly about: "command"; readonly argv: readonly string[]; readonly inner: boolean }
    | {
      readonly about: "host";
      readonly host: string;
      readonly port: number;
      readonly method: string | null;
    }
  );

export interface TraceOptions {
  readonly caseInsensitive: boolean;
}

/** The subjects of a capability with the rules that speak for each. `env.read` has none. */
export function traceCapability(
  policies: readonly PlacedPolicy[],
  capability: ResolvedCapability,
  options: TraceOptions,
): readonly TracedSubject[] {
  const path = (
    about: "path" | "operand" | "cwd",
    access: Access,
    subject: {
      readonly requested: string;
      readonly path: CanonicalPath;
      readonly kind: "file" | "directory";
    },
  ): TracedSubject => ({
    about,
    access,
    ...subject,
    findings: policies.map((placed, at) => {
      const rules = placed.policy.paths ?? (at === 0 ? [] : null);
      return rules === null
        ? silent(placed, at)
        : pathFinding(placed, at, rules, access, segmentsOf(subject.path), options);
    }),
  });
  const command = (judged: JudgedCommand, inner: boolean): TracedSubject => ({
    about: "command",
    argv: judged.argv,
    inner,
    findings: policies.map((placed, at) => {
      const rules = placed.policy.commands ?? (at === 0 ? [] : null);
      return rules === null
        ? silent(placed, at)
        : commandFinding(placed, at, rules, judged, options);
    }),
  });
  switch (capability.kind) {
    case "fs.read":
    case "fs.write": {
      const { requested, directory } = capability;
      const kind = directory === true ? "directory" : "file";
      const access = capability.kind === "fs.read" ? "read" : "write";
      return [path("path", access, { requested, path: capability.path, kind })];
    }
    case "process.spawn": {
      const { argv, program, cwd, operands } = capability;
      const { inner } = assessCommand(capability, program);
      const start = path("cwd", "read", { requested: ".", path: cwd, kind: "directory" });
      return [
        command({ argv, program, cwd }, false),
        ...inner.map((one) => command({ argv: one, program: null, cwd }, true)),
        // Starting somewhere in the workspace is free: only what is said of it counts.
        ...(start.findings.some(({ effect }) => effect === "deny" || effect === "ask")
          ? [start]
          : []),
        ...operands.map(({ requested, path: where, directory }) =>
          path("operand", "read", {
            requested,
            path: where,
            kind: directory === true ? "directory" : "file",
          })
        ),
      ];
    }
    case "net.connect": {
      const { host, port, method = null } = capability;
      return [{
        about: "host",
        host,
        port,
        method,
        findings: policies.map((placed, at) => {
          const rules = placed.policy.network ?? (at === 0 ? [] : null);
          return rules === null
            ? silent(placed, at)
            : networkFinding(placed, at, rules, capability);
        }),
      }];
    }
    case "env.read":
      return [];
  }
}

function silent({ source }: PlacedPolicy, policy: number): PolicyFinding {
  return { file: source, policy, effect: "silent", winner: null, tried: 0, matching: [] };
}

/** Beside it, a rule is asked for alone: what it restricts needs something that grants. */
const EVERY_PATH: PathRule = { effect: "allow", access: ["read", "write"], match: ["/**"] };
const EVERY_COMMAND: CommandRule = {
  effect: "allow",
  patterns: ["*"],
  exact: false,
  examples: { match: [], notMatch: [] },
};
const EVERY_HOST: NetworkRule = {
  effect: "allow",
  hosts: ["*"],
  methods: null,
  allowPrivate: true,
};

/** The entries (`match`, `allow` and the like hold several) of rules that speak for the subject. */
function matching<R extends { readonly effect: Effect }>(
  section: string,
  rules: readonly R[],
  entriesOf: (rule: R) => readonly string[],
  speaks: (rule: R, entry: string) => boolean,
): readonly TriedRule[] {
  return rules.flatMap((rule, order) =>
    entriesOf(rule).filter((entry) => speaks(rule, entry)).map((pattern) => ({
      index: `${section}[${order}]`,
      effect: rule.effect,
      pattern,
    }))
  );
}

type Found =
  | { readonly effect: Effect; readonly rule: { readonly reference: { readonly index: string } } }
  | { readonly effect: "unnamed" };

function finding(
  { source }: PlacedPolicy,
  policy: number,
  rules: readonly unknown[],
  found: Found,
  matching: readonly TriedRule[],
): PolicyFinding {
  const winner = found.effect === "unnamed" ? null : found.rule.reference.index;
  return { file: source, policy, effect: found.effect, winner, tried: rules.length, matching };
}

function pathFinding(
  placed: PlacedPolicy,
  at: number,
  rules: readonly PathRule[],
  access: Access,
  names: readonly string[],
  { caseInsensitive }: TraceOptions,
): PolicyFinding {
  const { source, workspace } = placed;
  const find = (some: readonly PathRule[]) =>
    findPath(compilePathRules(some, access, { source, workspace, caseInsensitive }), names);
  const speaks = (rule: PathRule, glob: string) => {
    const alone = { ...rule, match: [glob] };
    return rule.access.includes(access) &&
      find(rule.effect === "allow" ? [alone] : [alone, EVERY_PATH]).effect === rule.effect;
  };
  return finding(
    placed,
    at,
    rules,
    find(rules),
    matching("paths", rules, ({ match }) => match, speaks),
  );
}

function commandFinding(
  placed: PlacedPolicy,
  at: number,
  rules: readonly CommandRule[],
  command: JudgedCommand,
  { caseInsensitive }: TraceOptions,
): PolicyFinding {
  const { source, workspace } = placed;
  const find = (some: readonly CommandRule[]) =>
    findCommand(compileCommandRules(some, { source, workspace, caseInsensitive }), command);
  const speaks = (rule: CommandRule, pattern: string) => {
    const alone = { ...rule, patterns: [pattern] };
    return find(rule.effect === "allow" ? [alone] : [alone, EVERY_COMMAND]).effect === rule.effect;
  };
  return finding(
    placed,
    at,
    rules,
    find(rules),
    matching("commands", rules, ({ patterns }) => patterns, speaks),
  );
}

function networkFinding(
  placed: PlacedPolicy,
  at: number,
  rules: readonly NetworkRule[],
  connection: Extract<ResolvedCapability, { readonly kind: "net.connect" }>,
): PolicyFinding {
  const find = (some: readonly NetworkRule[]) =>
    findConnection(compileNetworkRules(some, placed.source), connection);
  const speaks = (rule: NetworkRule, host: string) => {
    const alone = { ...rule, hosts: [host] };
    return find(rule.effect === "allow" ? [alone] : [alone, EVERY_HOST]).effect === rule.effect;
  };
  return finding(
    placed,
    at,
    rules,
    find(rules),
    matching("network", rules, ({ hosts }) => hosts, speaks),
  );
}

/** Whether what is outside every rule may be read by commands all the same: by `sandbox.system`. */
export function isOnSystem(path: CanonicalPath, system: readonly string[]): boolean {
  return system.some((entry) => lies(path, entry));
}
