/** Whether an agent may work in the folder that this process works in. */

import { ToolError } from "../../core/errors.ts";
import type { DecisionParts } from "./decided_call.ts";

/** PERMISSION_DENIED for who works in another folder than the one that this process works in. */
export function requireOwnWorkspace(
  { rulebook }: Pick<DecisionParts, "rulebook">,
  agent: string,
): void {
  const { home } = rulebook.settings.git;
  if (home === null ? !rulebook.worksApart(agent) : home.agent === agent) return;
  const where = home === null
    ? "works in a git worktree of its own (agents.worktree), which a process has that speaks for it alone: " +
      `start Toolgate with --agent ${agent}, whose first call makes it`
    : `does not work in the worktree of agent ${home.agent}, for which alone this process speaks`;
  throw new ToolError("PERMISSION_DENIED", `agent "${agent}" ${where}`);
}
