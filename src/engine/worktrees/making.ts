/**
 * Working files while they are made: a mark beside them says so until they are whole. By it the next process finds what one
 * that was killed meanwhile has left half done: nobody has worked there yet, so that nothing of anybody's goes with it.
 */

import type { CanonicalPath } from "../../core/capability.ts";
import { ToolError } from "../../core/errors.ts";
import type { ProcessTable } from "../../host/kernel/process_table.ts";
import { branchOf, nameOf } from "./agent_worktree.ts";
import { isThere, namesIn, realPath, textIn } from "./what_is_there.ts";

/** Where working files of agents lie. `worktrees`: the policy's `git.worktrees`. */
export interface WorktreesPlace {
  readonly workspace: CanonicalPath;
  readonly worktrees: string;
}

/** `.WHAT-PID-TICKS-NAME`, as leases are named; no agent's folder begins with a dot. */
const MARK = /^\.(making|leaving)-(\d+)-(\d+)-(.+)$/;
type Marked = "making" | "leaving";

/**
 * Makes working files for an agent. Their folder is there when that begins: programs are held to what is there then. Throws
 * GIT_ERROR where it cannot be, and what `make` throws.
 */
export async function whileMaking<T>(
  place: WorktreesPlace,
  agent: string,
  table: Pick<ProcessTable, "facts">,
  make: () => Promise<T>,
): Promise<T> {
  requireFolder(place);
  const mark = markOf(place, "making", agent, table);
  try {
    Deno.writeTextFileSync(mark, "", { mode: 0o600 });
    return await make();
  } catch (error) {
    throw toolErrorOf(place, error);
  } finally {
    remove(mark);
  }
}

/**
 * Removes working files, and after them the branch that nothing came to: the mark says so to who finds the branch alone.
 * `base`: the commit that it began at.
 */
export async function whileLeaving<T>(
  place: WorktreesPlace,
  { agent, base }: { readonly agent: string; readonly base: string },
  table: Pick<ProcessTable, "facts">,
  leave: () => Promise<T>,
): Promise<T> {
  const mark = markOf(place, "leaving", agent, table);
  try {
    Deno.writeTextFileSync(mark, base, { mode: 0o600 });
  } catch {
    // A full disk keeps nobody from leaving.
  }
  try {
    return await leave();
  } finally {
    remove(mark);
  }
}

/** Ends what processes that are gone had begun to leave. `base`: as it was told to {@linkcode whileLeaving}. */
export async function endHalfLeft(
  place: WorktreesPlace,
  table: Pick<ProcessTable, "facts">,
  end: (left: { readonly agent: string; readonly base: string }) => Promise<void>,
): Promise<void> {
  for (const { mark, name } of deadMarks(place, "leaving", table)) {
    await end({ agent: name, base: textIn(mark).trim() });
    remove(mark);
  }
}

/** Removes what processes that are gone had begun to make; the names of its agents. */
export function dropHalfMade(
  place: WorktreesPlace,
  table: Pick<ProcessTable, "facts">,
): readonly string[] {
  const folder = folderOf(place);
  const marks = deadMarks(place, "making", table);
  for (const { mark, name } of marks) {
    const root = `${folder}/${name}`;
    remove(root);
    forget(`${place.workspace === "/" ? "" : place.workspace}/.git`, root, name);
    remove(mark);
  }
  return marks.map(({ name }) => name);
}

function markOf(
  place: WorktreesPlace,
  what: Marked,
  agent: string,
  table: Pick<ProcessTable, "facts">,
): string {
  const began = table.facts(Deno.pid)?.began ?? 0;
  return `${folderOf(place)}/.${what}-${Deno.pid}-${began}-${nameOf(agent)}`;
}

/** Those of processes that are gone. */
function deadMarks(
  place: WorktreesPlace,
  wanted: Marked,
  table: Pick<ProcessTable, "facts">,
): readonly { readonly mark: string; readonly name: string }[] {
  const folder = folderOf(place);
  // A link would lead to what is not of this workspace.
  if (realPath(folder) !== folder) return [];
  return namesIn(folder).flatMap((mark) => {
    const [, what, id = "", began = "", name = ""] = MARK.exec(mark) ?? [];
    const alive = table.facts(Number(id))?.began === Number(began);
    return what !== wanted || alive ? [] : [{ mark: `${folder}/${mark}`, name }];
  });
}

/** What git has kept of a worktree: its own folder of the repository, and the lock of a branch that it had begun to make. */
function forget(common: string, root: string, name: string): void {
  for (const id of namesIn(`${common}/worktrees`)) {
    const told = textIn(`${common}/worktrees/${id}/gitdir`).trim();
    if (told === `${root}/.git` || (told === "" && id === name)) {
      remove(`${common}/worktrees/${id}`);
    }
  }
  remove(`${common}/refs/heads/${branchOf(name)}.lock`);
}

function folderOf({ workspace, worktrees }: WorktreesPlace): string {
  return `${workspace === "/" ? "" : workspace}/${worktrees}`;
}

function requireFolder(place: WorktreesPlace): void {
  let folder = place.workspace === "/" ? "" : place.workspace as string;
  for (const part of place.worktrees.split("/")) {
    folder = `${folder}/${part}`;
    if (!isThere(folder)) {
      try {
        Deno.mkdirSync(folder);
      } catch (error) {
        throw toolErrorOf(place, error);
      }
    }
    if (Deno.lstatSync(folder).isDirectory) continue;
    throw new ToolError(
      "GIT_ERROR",
      `git.worktrees: ${place.worktrees} does not lead to a folder of this workspace`,
    );
  }
}

/** What the system says (a full disk) in place of what the runtime makes of it. */
function toolErrorOf({ worktrees }: WorktreesPlace, error: unknown): unknown {
  if (error instanceof ToolError || !(error instanceof Error)) return error;
  const [, why] = /^(.+?) \(os error \d+\)/.exec(error.message) ?? [];
  if (why === undefined) return error;
  return new ToolError("GIT_ERROR", `git.worktrees: nothing can be made in ${worktrees}: ${why}`);
}

/** What is gone already is as it should be; what cannot be removed is found again the next time. */
function remove(path: string): void {
  try {
    Deno.removeSync(path, { recursive: true });
  } catch {
    // Either of the two.
  }
}
