/** Policies as they judge an agent's own worktree. */

import { assertEquals } from "@std/assert";
import { placeHandedOn, placeInWorktree } from "../../../../src/engine/worktrees/place_policies.ts";
import { compileRulebook } from "../../../../src/policy/compile_rulebook.ts";
import { SILENT_POLICY } from "../../../../src/policy/model.ts";
import { ACTIONS, canonical, pathRule, policy, WORKSPACE } from "../../policy/_fixtures.ts";

const ROOT = canonical(`${WORKSPACE}/.toolgate/worktrees/a`);
const COMMON = `${WORKSPACE}/.git`;
const OWN = `${COMMON}/worktrees/a`;

Deno.test("globs begin in the worktree; of the repository what a commit takes, and no more", () => {
  const placed = placeInWorktree([{
    source: "p.yaml",
    workspace: canonical(WORKSPACE),
    policy: policy({
      paths: [pathRule("allow", ["**"]), pathRule("deny", ["shut/**", `${COMMON}/refs/tags/**`])],
    }),
  }], { root: ROOT, home: { agent: "a", common: COMMON, own: OWN } });
  const rules = compileRulebook(placed, { system: [], actions: ACTIONS });
  const rows: readonly ["read" | "write", string, "allow" | "deny"][] = [
    ["write", `${ROOT}/src/a.ts`, "allow"],
    ["read", `${ROOT}/shut/a`, "deny"],
    ["write", `${ROOT}/.git`, "deny"],
    ["read", `${WORKSPACE}/src/a.ts`, "deny"],
    ["read", `${COMMON}/config`, "allow"],
    ["write", `${COMMON}/config`, "deny"],
    ["write", `${COMMON}/hooks/pre-commit`, "deny"],
    ["write", `${COMMON}/info/attributes`, "deny"],
    ["write", `${COMMON}/HEAD`, "deny"],
    ["write", `${COMMON}/objects/ab/cd`, "allow"],
    ["write", `${COMMON}/refs/heads/a`, "allow"],
    ["write", `${COMMON}/refs/tags/v1`, "deny"],
    ["write", `${COMMON}/logs/HEAD`, "allow"],
    ["write", `${OWN}/index`, "allow"],
    ["write", `${OWN}/HEAD`, "allow"],
    ["write", `${OWN}/gitdir`, "deny"],
    ["write", `${OWN}/commondir`, "deny"],
    ["write", `${OWN}/config.worktree`, "deny"],
    ["write", `${OWN}/toolgate-lease-1-2`, "deny"],
    ["write", `${COMMON}/worktrees/b/HEAD`, "deny"],
  ];
  for (const [access, path, effect] of rows) {
    const verdict = rules.judgePath(access, canonical(path), "file");
    assertEquals(verdict.effect, effect, `${access} ${path}`);
  }
});

Deno.test("of a token: globs begin in the worktree, and the repository is open as far as they name it in the folder of all", () => {
  const worktree = { root: ROOT, home: { agent: "a", common: COMMON, own: OWN } };
  const workspace = canonical(WORKSPACE);
  const rows: readonly [paths: readonly string[] | null, reads: boolean, commits: boolean][] = [
    [null, true, true],
    [["**"], true, true],
    [["src/**", ".git/**"], true, true],
    [["src/**", `${COMMON}/**`], true, true],
    [["src/**"], false, false],
    [["src/**", ".git"], false, false],
    [["src/**", ".git/config"], false, false],
  ];
  for (const [globs, reads, commits] of rows) {
    const own = globs === null ? null : [pathRule("allow", globs)];
    const placed = [
      ...placeInWorktree(
        [{ source: "p.yaml", workspace, policy: policy({ paths: [pathRule("allow", ["**"])] }) }],
        worktree,
      ),
      ...placeHandedOn(
        [{ source: "token", workspace, policy: { ...SILENT_POLICY, paths: own } }],
        worktree,
      ),
    ];
    const rules = compileRulebook(placed, { system: [], actions: ACTIONS });
    const effectOf = (access: "read" | "write", path: string) =>
      rules.judgePath(access, canonical(path), "file").effect === "allow";
    const found = [
      effectOf("read", `${COMMON}/objects/ab/cd`),
      effectOf("write", `${COMMON}/objects/ab/cd`),
      effectOf("write", `${OWN}/index`),
    ];
    assertEquals(found, [reads, commits, commits], JSON.stringify(globs));
    for (const path of [`${ROOT}/.git`, `${OWN}/gitdir`, `${COMMON}/config`]) {
      assertEquals(effectOf("write", path), false, `${JSON.stringify(globs)} ${path}`);
    }
    assertEquals(effectOf("read", `${ROOT}/src/a`), true, JSON.stringify(globs));
    assertEquals(effectOf("read", `${WORKSPACE}/src/a`), false, JSON.stringify(globs));
  }
});
