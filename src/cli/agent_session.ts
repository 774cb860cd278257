/** The session of whoever calls tools: in the agent's own worktree where the policies give it one. */

import { compileAgents, matchAgent } from "../policy/match/agent.ts";
import type { Invocation } from "./invocation.ts";
import { openSession, type Session } from "./session.ts";

/**
 * As {@linkcode openSession}, for what calls tools: in the agent's own worktree where the policies give it one. `release`
 * is called when the last call has ended. `make: false`: only where the worktree is there already.
 */
export async function openAgentSession(
  invocation: Invocation,
  { make }: { readonly make: boolean } = { make: true },
): Promise<{ readonly session: Session; readonly release: () => void }> {
  const session = await openSession(invocation);
  const apart = session.policies.some(({ policy: { agents } }) =>
    agents !== null &&
    matchAgent(compileAgents(agents), session.agent.name)?.rule.worktree === true
  );
  if (apart) {
    const { inWorktree } = await import("./worktree_session.ts");
    const { session: own, lease } = await inWorktree(session, invocation, { make });
    return { session: own, release: () => lease?.release() };
  }
  const repository = `${session.workspace}/.git`;
  if (hasAgentsApart(session) && isFolder(`${repository}/worktrees`)) {
    const { dropLeftLeases } = await import("./worktree_session.ts");
    dropLeftLeases(repository);
  }
  return { session, release: () => {} };
}

/** Whether some agent works apart: then processes of others may have been killed in their worktrees. */
export function hasAgentsApart({ policies }: Session): boolean {
  return policies.some(({ policy: { agents } }) =>
    Object.values(agents ?? {}).some(({ worktree }) => worktree === true)
  );
}

function isFolder(path: string): boolean {
  try {
    return Deno.lstatSync(path).isDirectory;
  } catch {
    return false;
  }
}
