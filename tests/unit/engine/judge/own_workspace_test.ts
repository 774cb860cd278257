/** Whether an agent may work where this process works. */

import { assertEquals } from "@std/assert";
import { ToolError } from "../../../../src/core/errors.ts";
import {
  requireHandedWorkspace,
  requireOwnWorkspace,
} from "../../../../src/engine/judge/own_workspace.ts";
import type { GitHome } from "../../../../src/core/git/settings.ts";
import { rulebook } from "../../policy/_fixtures.ts";

const AGENTS = {
  root: { permissions: ["all"] },
  "child-*": { permissions: ["all"], worktree: true },
} as const;

const HOME: GitHome = { agent: "child-1", common: "/r/.git", own: "/r/.git/worktrees/child-1" };

Deno.test("an agent works in its own worktree alone, and nobody else does", () => {
  const judged = rulebook([{ agents: AGENTS }]);
  const { settings } = judged;
  const rows: readonly [home: GitHome | null, agent: string, refused: RegExp | null][] = [
    [null, "root", null],
    [null, "child-1", /start Toolgate with --agent child-1/],
    [HOME, "child-1", null],
    [HOME, "child-2", /does not work in the worktree of agent child-1/],
    [HOME, "root", /does not work in the worktree of agent child-1/],
  ];
  for (const [home, agent, refused] of rows) {
    const placed = { ...judged, settings: { ...settings, git: { ...settings.git, home } } };
    let error: unknown = null;
    try {
      requireOwnWorkspace({ rulebook: placed }, agent);
    } catch (thrown) {
      error = thrown;
    }
    const found = error instanceof ToolError ? error : null;
    assertEquals(found?.code ?? null, refused === null ? null : "PERMISSION_DENIED", agent);
    assertEquals(refused === null || refused.test(found?.message ?? ""), true, found?.message);
  }
});

Deno.test("who works in a worktree has nobody work in the folder of all", () => {
  const judged = rulebook([{ agents: { ...AGENTS, "child-1-help": { permissions: ["all"] } } }]);
  const { settings } = judged;
  const rows: readonly [home: GitHome | null, maker: string, agent: string, refused: boolean][] = [
    [null, "root", "root", false],
    [null, "root", "child-1", false],
    [null, "child-1", "child-1", false],
    [null, "child-1", "child-1-1", false],
    [null, "child-1", "child-1-help", true],
    [null, "child-1-help", "child-1-help", false],
    [HOME, "child-1", "child-1", false],
    [HOME, "child-1", "child-1-1", true],
    [HOME, "child-1", "child-1-help", true],
  ];
  for (const [home, maker, agent, refused] of rows) {
    const placed = { ...judged, settings: { ...settings, git: { ...settings.git, home } } };
    let code: string | null = null;
    try {
      requireHandedWorkspace({ rulebook: placed }, maker, agent);
    } catch (thrown) {
      code = thrown instanceof ToolError ? thrown.code : "?";
    }
    assertEquals(code, refused ? "PERMISSION_DENIED" : null, `${home?.agent} ${maker} ${agent}`);
  }
});
