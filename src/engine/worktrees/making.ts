/**
 * Working files while they are made or removed: a mark beside them says so until they are whole or gone. By it the next
 * process finds what one that was killed meanwhile has left half done: nobody has worked yet in what was being made, and
 * nobody any more in what was being removed.
 */

import type { CanonicalPath } from "../../core/capability.ts";
import { UNSEEN } from "../../core/git/unseen_folder.ts";
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
const MARK = /^\.(making|leaving|removing)-(\d+)-(\d+)-(.+)$/;
type Marked = "making" | "leaving" | "removing";

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
  return await marked(markOf(place, "leaving", agent, table), base, leave);
}

/**
 * Removes working files that were found to hold nothing of anybody's: what is missing of them from now on was taken away by
 * `take`, which the mark says to who finds half of them.
 */
export async function whileRemoving<T>(
  place: WorktreesPlace,
  agent: string,
  table: Pick<ProcessTable, "facts">,
  take: () => Promise<T>,
): Promise<T> {
  return await marked(markOf(place, "removing", agent, table), "", take);
}

/** How a clone is removed of which nobody's files are known to be anywhere else. */
export interface CloneRemoval {
  /** Throws where it holds what is nowhere else. */
  readonly look: () => Promise<void>;
  /** Takes its files, those alone that are recorded. Throws where it holds anything else, with all put back. */
  readonly take: () => Promise<void>;
  /** Puts those of its files back that are missing. */
  readonly restore: () => Promise<void>;
  /** Removes a folder where there are but empty folders in it. */
  readonly removeEmpty: (folder: string) => boolean;
}

/**
 * Removes a clone that was found to hold nothing of anybody's: its files, then its folder, and its repository last, which lies
 * beside it by then. What comes into any of them meanwhile stays, with all the rest. Throws GIT_ERROR that says so, and what
 * `look` throws.
 */
export async function removeClone(
  place: WorktreesPlace,
  agent: string,
  table: Pick<ProcessTable, "facts">,
  removal: CloneRemoval,
): Promise<void> {
  const root = `${folderOf(place)}/${nameOf(agent)}`;
  const mark = markOf(place, "removing", agent, table);
  const [own, apart] = [`${root}/.git`, `${mark}/.git`];
  // A link would lead to somebody else's.
  if (realPath(root) !== root) {
    throw new ToolError("GIT_ERROR", `${nameOf(agent)}: its folder is no longer one`);
  }
  const seen = repositoryState(own);
  await removal.look();
  try {
    Deno.mkdirSync(mark, { mode: 0o700 });
    await removal.take();
    Deno.renameSync(own, apart);
    if (repositoryState(apart) === seen && removal.removeEmpty(root)) {
      remove(mark);
      return;
    }
    Deno.renameSync(apart, own);
    await removal.restore();
    await removal.look();
    throw new ToolError("GIT_ERROR", `somebody worked in ${nameOf(agent)} while it was removed`);
  } catch (error) {
    throw toolErrorOf(place, error);
  } finally {
    removeEmptied(mark);
  }
}

async function marked<T>(mark: string, text: string, act: () => Promise<T>): Promise<T> {
  try {
    Deno.writeTextFileSync(mark, text, { mode: 0o600 });
  } catch {
    // A full disk keeps nobody from leaving.
  }
  try {
    return await act();
  } finally {
    remove(mark);
  }
}

/**
 * Makes whole again the worktrees that processes that are gone had begun to remove, to be judged anew: somebody may have come
 * there since. `layOut` puts back what is missing of its files; where it cannot, all stays as it is, to be found the next
 * time. Of what is gone git forgets, and of a clone whose folder is gone the repository goes.
 */
export async function mendHalfRemoved(
  place: WorktreesPlace,
  table: Pick<ProcessTable, "facts">,
  layOut: (agent: string) => Promise<boolean>,
): Promise<void> {
  const common = commonOf(place);
  for (const { mark, name } of deadMarks(place, "removing", table)) {
    const root = `${folderOf(place)}/${name}`;
    const own = ownOf(common, root);
    if (Deno.lstatSync(mark).isDirectory) {
      if (!isThere(root)) remove(mark);
      else if (bringBack(mark, root) && await layOut(name)) removeEmptied(mark);
      continue;
    }
    if (!isThere(root)) forget(common, root, name);
    else if (own !== null) {
      if (!isThere(`${root}/.git`)) Deno.writeTextFileSync(`${root}/.git`, `gitdir: ${own}\n`);
      if (!(await layOut(name))) continue;
    }
    remove(mark);
  }
}

/** Where {@linkcode removeClone} was killed over it: whether its repository is where it was. */
function bringBack(mark: string, root: string): boolean {
  if (!isThere(`${mark}/.git`)) return isThere(`${root}/.git`);
  if (isThere(`${root}/.git`) || realPath(root) !== root) return false;
  Deno.renameSync(`${mark}/.git`, `${root}/.git`);
  return true;
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

/** What became of working files that a process that is gone had begun to make. */
export interface HalfMade {
  readonly agent: string;
  /** Why they are there still, whole; null: they are gone. */
  readonly kept: string | null;
  /** Why they could be neither, so that they are found again the next time. */
  readonly failed: ToolError | null;
}

/** Whose, and how what lies there already is taken away: null, or why it stays. */
export interface HalfMadeOf {
  readonly isWanted: (agent: string) => boolean;
  readonly take: (agent: string) => Promise<string | null>;
}

/** Takes away what processes that are gone had begun to make: what is theirs, so that what somebody has put there since keeps it. */
export async function dropHalfMade(
  place: WorktreesPlace,
  table: Pick<ProcessTable, "facts">,
  { isWanted, take }: HalfMadeOf,
): Promise<readonly HalfMade[]> {
  const common = commonOf(place);
  const ended: HalfMade[] = [];
  for (const { mark, name } of deadMarks(place, "making", table)) {
    const mine = markOf(place, "making", name, table);
    // Of several processes that find it one alone goes on: what another makes there by then is nobody's rest.
    if (!isWanted(name) || !moved(mark, mine)) continue;
    const root = `${folderOf(place)}/${name}`;
    try {
      const kept = dropBare(common, root) ? null : await take(name);
      if (!isThere(root)) forget(common, root, name);
      remove(mine);
      ended.push({ agent: name, kept, failed: null });
    } catch (error) {
      moved(mine, mark);
      if (!(error instanceof ToolError)) throw error;
      ended.push({ agent: name, kept: null, failed: error });
    }
  }
  return ended;
}

/** Whether nothing is there, or nothing was but the file by which git leads from there to the repository: no file was laid out then. */
function dropBare(common: string, root: string): boolean {
  const own = ownOf(common, root);
  const dot = `${root}/.git`;
  const text = textIn(dot);
  const isDot = factsOf(dot)?.isFile === true && namesIn(root).length === 1 &&
    (text === "" || own !== null && text === `gitdir: ${own}\n`);
  const isBegun = own !== null && ["index", "index.lock"].some((name) => isThere(`${own}/${name}`));
  if (isDot && !isBegun) removeEmptied(dot);
  removeEmptied(root);
  if (!isThere(root)) return true;
  if (isDot && !isThere(dot)) Deno.writeTextFileSync(dot, text);
  return false;
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

/** The folder that the repository has of a worktree; null where git knows of none there. */
function ownOf(common: string, root: string): string | null {
  const ids = namesIn(`${common}/worktrees`).map((id) => `${common}/worktrees/${id}`);
  return ids.find((own) => textIn(`${own}/gitdir`).trim() === `${root}/.git`) ?? null;
}

function commonOf({ workspace }: WorktreesPlace): string {
  return `${workspace === "/" ? "" : workspace}/.git`;
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
        if (folder === folderOf(place)) {
          Deno.writeTextFileSync(`${folder}/${UNSEEN.name}`, UNSEEN.text, { createNew: true });
        }
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

/**
 * Of a repository all that a commit, a stage, a stash or a branch would change (gitrepository-layout(5)): what the files are, none
 * of them read, since whoever works there may have laid anything.
 */
function repositoryState(git: string): string {
  const filesBelow = (path: string): readonly string[] => {
    const facts = factsOf(`${git}/${path}`);
    if (facts === null) return [];
    const { isDirectory, ino, size, mtime, ctime } = facts;
    return isDirectory
      ? namesIn(`${git}/${path}`).toSorted().flatMap((name) => filesBelow(`${path}/${name}`))
      : [`${path}:${ino}:${size}:${mtime?.getTime()}:${ctime?.getTime()}`];
  };
  return ["HEAD", "index", "logs", "packed-refs", "refs"].flatMap(filesBelow).join("\n");
}

function factsOf(path: string): Deno.FileInfo | null {
  try {
    return Deno.lstatSync(path);
  } catch {
    return null;
  }
}

/** What the system says (a full disk) in place of what the runtime makes of it. */
function toolErrorOf({ worktrees }: WorktreesPlace, error: unknown): unknown {
  if (error instanceof ToolError || !(error instanceof Error)) return error;
  const [, why] = /^(.+?) \(os error \d+\)/.exec(error.message) ?? [];
  if (why === undefined) return error;
  return new ToolError("GIT_ERROR", `git.worktrees: nothing can be made in ${worktrees}: ${why}`);
}

/** Whether it was there to be renamed. */
function moved(from: string, to: string): boolean {
  try {
    Deno.renameSync(from, to);
    return true;
  } catch {
    return false;
  }
}

/** A file; a folder in which there is something stays. */
function removeEmptied(folder: string): void {
  try {
    Deno.removeSync(folder);
  } catch {
    // Or it is gone already.
  }
}

/** What is gone already is as it should be; what cannot be removed is found again the next time. */
function remove(path: string): void {
  try {
    Deno.removeSync(path, { recursive: true });
  } catch {
    // Either of the two.
  }
}
