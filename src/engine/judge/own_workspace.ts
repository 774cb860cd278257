/** Which folder an agent may work in, by itself and by what others hand on to it. */

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

/**
 * PERMISSION_DENIED where `maker` would let `agent` work where he does not work himself: in the folder of all, or, in a process
 * that speaks for one agent alone, in another's. Who works in a worktree of his own has others work in theirs.
 */
export function requireHandedWorkspace(
  parts: Pick<DecisionParts, "rulebook">,
  maker: string,
  agent: string,
): void {
  const { rulebook } = parts;
  if (rulebook.settings.git.home !== null) return requireOwnWorkspace(parts, agent);
  if (!rulebook.worksApart(maker) || rulebook.worksApart(agent)) return;
  throw new ToolError(
    "PERMISSION_DENIED",
    `agent "${maker}" works in a git worktree of its own (agents.worktree) and hands nothing on to "${agent}", ` +
      "which works in the folder of all",
  );
}
