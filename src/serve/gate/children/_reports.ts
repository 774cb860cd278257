/** What is told of a child agent. */

import { printable } from "../../../core/printable.ts";
import type { Changes } from "./changes.ts";
import type { Child } from "./child.ts";

/** The answer of `get_agent_status`. */
export function statusOf(child: Child, changes: Changes): Readonly<Record<string, unknown>> {
  const { id, status, started, ended, exitCode, receipt, token, worktree, branch, log } = child;
  return {
    agent_id: id,
    status,
    started: new Date(started).toISOString(),
    ...(ended === null ? {} : { ended: new Date(ended).toISOString(), exit_code: exitCode }),
    last_activity: new Date(receipt.lastActivity).toISOString(),
    calls: receipt.calls,
    tokens: { used: receipt.tokens, limit: token.tokens },
    worktree,
    branch,
    changes: {
      files: changes.files.length,
      added_lines: changes.addedLines,
      removed_lines: changes.removedLines,
      commits: changes.commits.length,
    },
    ...(child.waitingFor === null ? {} : { waiting_for: child.waitingFor }),
    ...(child.ending === null ? {} : { why: child.ending.why }),
    log_tail: log,
  };
}

/** One of those that `list_active_agents` names. */
export function listed(
  { id, parent, owner, status, task, branch, started }: Child,
): Readonly<Record<string, unknown>> {
  return {
    agent_id: id,
    parent: parent?.id ?? owner.agent,
    status,
    task: printable(task, 200),
    branch,
    started: new Date(started).toISOString(),
  };
}
