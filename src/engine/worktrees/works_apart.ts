/** Which agents of a process work in worktrees of their own. It loads nothing, so that every start can ask. */

import type { Rulebook } from "../../policy/rulebook.ts";

/** Whether this process opens a worktree for the agent. One in an agent's worktree speaks for no other. */
export function worksApart(rulebook: Rulebook, agent: string): boolean {
  return rulebook.settings.git.home === null && rulebook.worksApart(agent);
}
