/** What several children have come to, beside each other. */

import { ToolError } from "../../../core/errors.ts";
import { type Changes, conflictsOf, type Party } from "./changes.ts";
import type { Child } from "./child.ts";

/** What who asks is called among those who have changed something. */
export const PARENT = "parent";

/** Of who has changed nothing. */
export const NO_CHANGES: Changes = {
  files: [],
  addedLines: 0,
  removedLines: 0,
  commits: [],
  incomplete: null,
};

function resultOf(child: Child, changes: Changes): unknown {
  const { id, status, result, receipt, branch, started, ended } = child;
  return {
    agent_id: id,
    status,
    result,
    receipt: { ...receipt.report(), duration_ms: (ended ?? Date.now()) - started },
    branch,
    commits: changes.commits,
    files: changes.files.map(({ path, change }) => ({ path, change })),
  };
}

/** The answer of `aggregate_agent_results`. `parties`: the children's changes, in their order; `own`: of who asks. */
export function aggregate(
  children: readonly Child[],
  parties: readonly Party[],
  own: readonly Party[],
): unknown {
  const all = [...parties, ...own];
  const conflicts = conflictsOf(all).filter(({ agents }) =>
    agents.some((agent) => agent !== PARENT)
  );
  const unknown = all.flatMap(({ name, changes: { incomplete } }) =>
    incomplete === null ? [] : [`${name}: ${incomplete}`]
  );
  return {
    results: children.map((child, at) => resultOf(child, parties[at]?.changes ?? NO_CHANGES)),
    conflicts,
    mergeable: unknown.length === 0 && conflicts.length === 0,
    ...(unknown.length === 0 ? {} : { unknown }),
  };
}

/** Until all have ended, the time is over, or nobody waits any more. */
export async function untilEnded(
  children: readonly Child[],
  ms: number,
  signal: AbortSignal,
): Promise<void> {
  if (ms <= 0) return;
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, ms);
  signal.addEventListener("abort", () => resolve());
  await Promise.race([promise, Promise.all(children.map(({ done }) => done))]);
  clearTimeout(timer);
  if (signal.aborted) {
    throw new ToolError("CANCELLED", "aggregate_agent_results: cancelled while it waited");
  }
}
