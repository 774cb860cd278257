/** One policy compiled: what the judges read. A null section adds no restriction. */

import type { CanonicalPath } from "../core/capability.ts";
import type { ProgramLimits, Risk } from "../core/tool.ts";
import type { CommandRules } from "./match/command_rules.ts";
import type { NetworkRules } from "./match/network_rules.ts";
import type { PathRules } from "./match/path_rules.ts";
import type { AgentMatcher } from "./match/agent.ts";
import type { Access, AgentRule, ExtensionRule, ToolRule } from "./model.ts";

/** The sections of a policy, ready to be asked. `source`: how messages name it. */
export interface CompiledPolicy {
  readonly source: string;
  readonly workspace: CanonicalPath;
  readonly paths: Readonly<Record<Access, PathRules>> | null;
  readonly extensions: Readonly<Record<Access, ExtensionRule | null>>;
  readonly commands: CommandRules | null;
  readonly network: NetworkRules | null;
  /** For the programs of child agents, in its place. */
  readonly childNetwork: NetworkRules | null;
  /** By canonical name, with the key as written. */
  readonly tools: ReadonlyMap<string, { readonly key: string; readonly rule: ToolRule }>;
  readonly agents: AgentMatcher<AgentRule> | null;
  /** What it gives programs of which no rule says more. */
  readonly limits: Partial<ProgramLimits>;
  readonly risk: { readonly allow: Risk; readonly ask: Risk } | null;
}
