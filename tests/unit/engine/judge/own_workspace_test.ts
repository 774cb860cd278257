/** Whether an agent may work where this process works. */

import { assertEquals } from "@std/assert";
import { ToolError } from "../../../../src/core/errors.ts";
import { requireOwnWorkspace } from "../../../../src/engine/judge/own_workspace.ts";
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
