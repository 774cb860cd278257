/** What several children have come to, beside each other. */

import { ToolError } from "../../../core/errors.ts";
import type { CommandEngine } from "../../../engine/create_engine.ts";
import { runOwn } from "../../../engine/own_call.ts";
import { type Changes, type Conflict, conflictsOf, type Party } from "./changes.ts";
import type { Child } from "./child.ts";
import { changesInWorkspace, changesOf, NO_CHANGES } from "./_looking.ts";

/** What who asks is called among those who have changed something. */
const PARENT = "parent";

function resultOf(child: Child, changes: Changes): unknown {
  const { id, status, result, receipt, branch, started, ended } = child;
  return {
    agent_id: id,
    status,
    ...(child.ending === null ? {} : { why: child.ending.why }),
    result,
    receipt: { ...receipt.report(), duration_ms: (ended ?? Date.now()) - started },
    branch,
    commits: changes.commits,
    files: changes.files.map(({ path, change }) => ({ path, change })),
  };
}

/** Where git finds what somebody has come to: his working files while they are there, else his branch. */
interface Compared {
  readonly name: string;
  readonly place: string;
  readonly branch: string | null;
}

/** What two have changed that does not go together, and how that was found. */
interface Comparison {
  readonly conflicts: readonly Conflict[];
  readonly compared: "lines" | "files";
}

/** More are compared by whole files: each merge of two takes a few milliseconds. */
const MOST_COMPARED = 24;

/** By git, where it can: an old one cannot, nor one that would have to run programs, nor where there is no repository. */
async function comparisonOf(
  engine: CommandEngine,
  agent: string,
  compared: readonly Compared[],
  parties: readonly Party[],
): Promise<Comparison> {
  if (parties.length <= MOST_COMPARED) {
    try {
      const options = { chosen: { compared } };
      const found = await runOwn(engine, agent, "aggregate_agent_results", {}, options);
      const { conflicts } = found as Comparison;
      return { conflicts, compared: "lines" };
    } catch (error) {
      if (!(error instanceof ToolError)) throw error;
    }
  }
  const conflicts = conflictsOf(parties).filter(({ agents }) =>
    agents.some((name) => name !== PARENT)
  );
  return { conflicts, compared: "files" };
}

/** Who asks: `child` where he is one himself. */
interface Asking {
  readonly agent: string;
  readonly child: Child | null;
}

/** The answer of `aggregate_agent_results`, in the order of `children`. `gate`: the engine in the workspace. */
export async function resultsOf(
  gate: CommandEngine,
  { children, asking }: { readonly children: readonly Child[]; readonly asking: Asking },
): Promise<unknown> {
  const parties: Party[] = [];
  for (const child of children) {
    parties.push({ name: child.id, changes: await changesOf(child, gate) });
  }
  const own: Party[] = [];
  for (const base of new Set(children.map((child) => child.base))) {
    const changes = asking.child === null
      ? await changesInWorkspace(gate, asking.agent, base)
      : await changesOf(asking.child, gate);
    own.push({ name: PARENT, changes });
  }
  const places = [
    ...children.map(({ id: name, worktree: { path: place }, branch }) => ({
      name,
      place,
      branch,
    })),
    {
      name: PARENT,
      place: asking.child?.worktree.path ?? ".",
      branch: asking.child?.branch ?? null,
    },
  ];
  const all = [...parties, ...own];
  const { conflicts, compared } = await comparisonOf(gate, asking.agent, places, all);
  const unknown = all.flatMap(({ name, changes: { incomplete } }) =>
    incomplete === null ? [] : [`${name}: ${incomplete}`]
  );
  return {
    results: children.map((child, at) => resultOf(child, parties[at]?.changes ?? NO_CHANGES)),
    conflicts,
    compared,
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
