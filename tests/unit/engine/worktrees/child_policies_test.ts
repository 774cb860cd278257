/** Policies for child agents in working files of their own. */

import { assertEquals } from "@std/assert";
import {
  type ChildPolicies,
  inChildClone,
  inChildWorktree,
  leavesCommits,
} from "../../../../src/engine/worktrees/child_policies.ts";
import type { PermissionGroup } from "../../../../src/core/tool.ts";
import { compileRulebook, type PlacedPolicy } from "../../../../src/policy/compile_rulebook.ts";
import { SILENT_POLICY } from "../../../../src/policy/model.ts";
import { ACTIONS, canonical, pathRule, policy, WORKSPACE } from "../../policy/_fixtures.ts";

const ROOT = canonical(`${WORKSPACE}/.toolgate/worktrees/child-1`);
const COMMON = `${WORKSPACE}/.git`;
const OWN = `${COMMON}/worktrees/child-1`;
const WORKTREE = { root: ROOT, home: { agent: "child-1", common: COMMON, own: OWN } };
const POLICIES: readonly PlacedPolicy[] = [{
  source: "p.yaml",
  workspace: canonical(WORKSPACE),
  policy: policy({ paths: [pathRule("allow", ["**"])] }),
}];

function terms(paths: readonly string[] | null, permissions: readonly PermissionGroup[] = ALL) {
  const own = paths === null ? null : [pathRule("allow", paths)];
  const further = [{
    source: "token",
    workspace: canonical(WORKSPACE),
    policy: { ...SILENT_POLICY, paths: own },
  }];
  return { policies: POLICIES, further, permissions };
}

const ALL: readonly PermissionGroup[] = ["git_operations", "code_execution", "file_write"];

/** Which of them: `r` for reading, `w` for writing, `-` for what is denied. */
function had(policies: readonly PlacedPolicy[], paths: readonly string[]): string {
  const rules = compileRulebook(policies, { system: [], actions: ACTIONS });
  const effect = (access: "read" | "write", path: string) =>
    rules.judgePath(access, canonical(path), "file").effect === "allow";
  return paths.map((path) =>
    (effect("read", path) ? "r" : "-") + (effect("write", path) ? "w" : "-")
  ).join(" ");
}

Deno.test("in a worktree a child has of the repository what is left to its parent, and records by the groups that do", () => {
  const paths = [`${ROOT}/src/a`, `${ROOT}/b`, `${COMMON}/objects/ab/cd`, `${OWN}/index`];
  const rows: readonly [Parameters<typeof terms>, own: string, looks: string | null][] = [
    [[null], "rw rw rw rw", null],
    [[["**"]], "rw rw rw rw", null],
    [[["src/**", ".git/**"]], "rw -- rw rw", null],
    [[["src/**"]], "rw -- -- --", "rw -- rw rw"],
    [[null, ["code_execution"]], "rw rw rw rw", null],
    [[null, ["git_operations"]], "rw rw rw rw", null],
    [[null, ["file_read", "file_write", "agent_spawn"]], "rw rw r- r-", null],
    [[["src/**"], ["file_write"]], "rw -- -- --", "rw -- rw rw"],
  ];
  for (const [given, own, looks] of rows) {
    const found: ChildPolicies = inChildWorktree(terms(...given), WORKTREE);
    assertEquals(
      [had(found.own, paths), found.looks === null ? null : had(found.looks, paths)],
      [own, looks],
      JSON.stringify(given),
    );
  }
});

Deno.test("in a clone of a folder as it is a child has the repository where it was left all of the folder", () => {
  const paths = [`${ROOT}/src/a`, `${ROOT}/b`, `${ROOT}/.git/objects/ab/cd`];
  const rows: readonly [globs: readonly string[] | null, committed: string, asItIs: string][] = [
    [null, "rw rw rw", "rw rw rw"],
    [["**"], "rw rw rw", "rw rw rw"],
    [["src/**", ".git/**"], "rw -- rw", "rw -- --"],
    [["src/**"], "rw -- --", "rw -- --"],
  ];
  for (const [globs, ...clones] of rows) {
    for (const [at, ofCommit] of [true, false].entries()) {
      const { own, looks } = inChildClone(terms(globs), ROOT, { ofCommit });
      const said = clones[at] ?? "";
      assertEquals(had(own, paths), said, `${globs} ${ofCommit}`);
      assertEquals(
        looks === null ? null : had(looks, paths),
        said.endsWith("--") ? said.replace(/--$/, globs?.includes(".git/**") ? "rw" : "r-") : null,
        `${globs} ${ofCommit}`,
      );
    }
  }
});

Deno.test("commits may be named by who was left the repository", () => {
  for (const [globs, leaves] of [[null, true], [["**"], true], [["src/**"], false]] as const) {
    assertEquals(leavesCommits(terms(globs).further, COMMON), leaves, `${globs}`);
  }
});
