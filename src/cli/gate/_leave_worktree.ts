/** What becomes of a child's worktree once nobody works there: gone, with a branch that nothing came to, or kept. */

import { ToolError } from "../../core/errors.ts";
import type { CommandEngine } from "../../engine/create_engine.ts";
import { runOwn } from "../../engine/own_call.ts";
import { branchOf, removeWorktree } from "../../engine/worktrees/agent_worktree.ts";
import type { ChildPlace } from "../../serve/gate/children/child.ts";

/** What became of working files, and why. */
export type Left = Awaited<ReturnType<ChildPlace["leave"]>>;

/** Of a branch without commits of its own nothing is left either. */
export async function leaveWorktree(
  engine: CommandEngine,
  agent: string,
  { commits, during }: {
    readonly commits: number;
    readonly during: (remove: () => Promise<void>) => Promise<void>;
  },
): Promise<Left> {
  try {
    await removeWorktree(engine, agent, during);
  } catch (error) {
    if (!(error instanceof ToolError)) throw error;
    return kept(error);
  }
  const held = commits > 0 || !(await dropBranch(engine, agent));
  const why = held
    ? "all of it is committed; the branch stays"
    : "it held nothing; the branch is gone too";
  return { kept: false, why };
}

/** For what it holds, or since it could not be taken away: nobody has called the tool that says so. */
export function kept({ message }: ToolError): Left {
  return { kept: true, why: message.replace(/^git_worktree: /, "") };
}

/** Whether it went: not where it has commits that are nowhere else. */
export async function dropBranch(engine: CommandEngine, agent: string): Promise<boolean> {
  try {
    await runOwn(engine, agent, "git_branch", { action: "delete", branch_name: branchOf(agent) });
    return true;
  } catch {
    return false;
  }
}
