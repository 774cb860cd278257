/** Policies, capabilities and random values for the tests of the policy engine. */

import type {
  CanonicalPath,
  Program,
  ResolvedFileCapability,
  ResolvedSpawnCapability,
} from "../../../src/core/capability.ts";
import {
  compileRulebook,
  createActionSource,
  type RulebookOptions,
} from "../../../src/policy/compile_rulebook.ts";
import {
  type CommandRule,
  type PathRule,
  type Policy,
  SILENT_POLICY,
} from "../../../src/policy/model.ts";
import type { Rulebook, Subject } from "../../../src/policy/rulebook.ts";

export const WORKSPACE = "/w/project";

/** The judges of programs and connections, loaded as a command would have them loaded. */
export const ACTIONS = createActionSource();
await ACTIONS.prepare([{ kind: "process.spawn" }]);

export function canonical(path: string): CanonicalPath {
  return path as CanonicalPath;
}

/** A policy with these sections and no other. */
export function policy(sections: Partial<Policy> = {}): Policy {
  return { ...SILENT_POLICY, ...sections };
}

/** Policies named `p1.yaml`, `p2.yaml`, …, all of the same workspace. */
export function rulebook(
  policies: readonly Partial<Policy>[],
  options: Partial<RulebookOptions> = {},
): Rulebook {
  return compileRulebook(
    policies.map((sections, index) => ({
      source: `p${index + 1}.yaml`,
      policy: policy(sections),
      workspace: canonical(WORKSPACE),
    })),
    { system: ["/usr", "/etc/hosts"], actions: ACTIONS, ...options },
  );
}

export function pathRule(
  effect: PathRule["effect"],
  match: readonly string[],
  access: PathRule["access"] = ["read", "write"],
  more: Partial<Pick<PathRule, "outside" | "reason">> = {},
): PathRule {
  return { effect, match, access, ...more };
}

export function commandRule(
  effect: CommandRule["effect"],
  patterns: readonly string[],
  more: Partial<Pick<CommandRule, "exact" | "except" | "reason" | "risk">> = {},
): CommandRule {
  return { effect, patterns, exact: false, examples: { match: [], notMatch: [] }, ...more };
}

/** `relative` to the workspace, or absolute. */
export function file(
  kind: "fs.read" | "fs.write",
  path: string,
  tree = false,
): ResolvedFileCapability {
  return { kind, path: at(path), tree, requested: path };
}

export function at(path: string): CanonicalPath {
  if (path.startsWith("/")) return canonical(path);
  return canonical(path === "." ? WORKSPACE : `${WORKSPACE}/${path}`);
}

/** A program as the search path finds it: `/usr/bin/NAME`, with a link to `behind` where that is given. */
export function program(name: string, behind = `/usr/bin/${name}`): Program {
  const start = name.startsWith("/") ? name : `/usr/bin/${name}`;
  const bare = start.slice(start.lastIndexOf("/") + 1);
  const path = name.startsWith("/") && behind.startsWith("/usr/bin//") ? name : behind;
  const names = start.startsWith("/usr/bin/") ? [bare, start, path] : [start, path];
  return { path: canonical(path), start, names: [...new Set(names)] };
}

export function spawn(
  argv: readonly string[],
  more: Partial<ResolvedSpawnCapability> = {},
): ResolvedSpawnCapability {
  return {
    kind: "process.spawn",
    argv,
    cwd: canonical(WORKSPACE),
    program: program(argv[0] ?? ""),
    operands: [],
    ...more,
  };
}

export const READER: Subject = {
  tool: "read_file",
  agent: "root",
  risk: "safe",
  permission: "file_read",
  riskOfPrograms: false,
};

export const RUNNER: Subject = {
  tool: "run_command",
  agent: "root",
  risk: "dangerous",
  permission: "code_execution",
  riskOfPrograms: true,
};
