/** The session of an agent that the policy gives a git worktree of its own: found, or made, and worked in from then on. */

import { ToolError } from "../core/errors.ts";
import { openLibc } from "../sandbox/kernel/libc.ts";
import { ProcessTable } from "../host/kernel/process_table.ts";
import type { CommandEngine } from "../engine/create_engine.ts";
import { compilePolicies } from "../engine/compile_policies.ts";
import {
  findWorktree,
  makeWorktree,
  nameOf,
  takeBackWorktree,
} from "../engine/worktrees/agent_worktree.ts";
import { dropDeadLeases, type Lease, takeLease } from "../engine/worktrees/leases.ts";
import { dropHalfMade, whileMaking } from "../engine/worktrees/making.ts";
import { placeInWorktree } from "../engine/worktrees/place_policies.ts";
import { createRegistry } from "../tools/registry.ts";
import type { Invocation } from "./invocation.ts";
import { conflict, openEngine, type Session } from "./session.ts";
import { UsageError } from "./usage_error.ts";

/** Lets go of what processes that are gone have left locked. */
export function dropLeftLeases(repository: string): void {
  const table = openTable();
  if (table !== null) dropDeadLeases(repository, table);
}

function openTable(): ProcessTable | null {
  const libc = openLibc();
  return libc === null ? null : new ProcessTable(libc);
}

/**
 * The same session in the agent's worktree, and the lease on it. `make: false`: the session as it is where the worktree is
 * not there yet. Throws a UsageError where there should be one and cannot be.
 */
export async function inWorktree(
  session: Session,
  invocation: Invocation,
  { make }: { readonly make: boolean },
): Promise<{ readonly session: Session; readonly lease: Lease | null }> {
  const { policies, workspace, agent: { name } } = session;
  if (invocation.embedded.sealed) {
    throw new UsageError(
      `agent ${name} works in a git worktree (agents.worktree), and a sealed binary may use its own folder alone`,
    );
  }
  const table = openTable();
  const withEngine = async <T>(work: (engine: CommandEngine) => Promise<T>): Promise<T> => {
    const engine = openEngine(session, invocation);
    try {
      return await work(engine);
    } finally {
      await engine.runner.close();
    }
  };
  try {
    const { worktrees } = compilePolicies(policies, createRegistry()).settings.git;
    const place = { workspace, worktrees };
    if (table !== null) {
      dropDeadLeases(`${workspace}/.git`, table);
      const begun = await dropHalfMade(place, table, {
        isWanted: (agent) => agent === nameOf(name),
        take: () => withEngine((engine) => takeBackWorktree(engine, name)),
      });
      for (const { failed } of begun) if (failed !== null) throw failed;
    }
    let worktree = findWorktree(workspace, worktrees, name);
    if (worktree === null && make) {
      await withEngine(async (engine) => {
        const make = () => makeWorktree(engine, name);
        await (table === null ? make() : whileMaking(place, name, table, make));
      });
      worktree = findWorktree(workspace, worktrees, name);
    }
    if (worktree === null) return { session, lease: null };
    return {
      session: {
        ...session,
        policies: placeInWorktree(policies, worktree),
        workspace: worktree.root,
      },
      lease: table === null || !make ? null : takeLease(worktree.home, table),
    };
  } catch (error) {
    if (error instanceof ToolError) throw new UsageError(`${error.code}: ${error.message}`);
    throw conflict(error);
  }
}
