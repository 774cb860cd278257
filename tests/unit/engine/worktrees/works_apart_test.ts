/** Which agents of a process work in worktrees of their own. */

import { assertEquals } from "@std/assert";
import type { GitHome } from "../../../../src/core/git/settings.ts";
import { worksApart } from "../../../../src/engine/worktrees/works_apart.ts";
import { rulebook } from "../../policy/_fixtures.ts";

const HOME: GitHome = { agent: "child-1", common: "/r/.git", own: "/r/.git/worktrees/child-1" };

Deno.test("who is given a worktree works apart, but where the process works in one already", () => {
  const judged = rulebook([{
    agents: { root: { permissions: ["all"] }, "child-*": { permissions: ["all"], worktree: true } },
  }]);
  const { settings } = judged;
  const rows: readonly [home: GitHome | null, agent: string, apart: boolean][] = [
    [null, "root", false],
    [null, "child-1", true],
    [null, "nobody", false],
    [HOME, "child-1", false],
    [HOME, "child-2", false],
    [HOME, "root", false],
  ];
  for (const [home, agent, apart] of rows) {
    const placed = { ...judged, settings: { ...settings, git: { ...settings.git, home } } };
    assertEquals(worksApart(placed, agent), apart, `${home?.agent} ${agent}`);
  }
});
