/** Linked worktrees, and those of which the making was cut short: taken away where nobody has made anything of them. */

import type { Hold, ToolContext } from "../../core/tool.ts";
import { type Adds, isEnded } from "./moves.ts";
import { splitNul, textOf } from "./names.ts";
import { partOf } from "./part_of.ts";
import { inside, look, within } from "./place.ts";
import { readChanges } from "./raw_changes.ts";
import { openAt, type Repository } from "./repository.ts";

/** The repository of a worktree's folder, where it is one of this repository's; null where it is not. */
export async function openWorktree(
  repository: Repository,
  context: ToolContext,
  root: string,
): Promise<Repository | null> {
  const { tool, common, files } = repository;
  if (root === repository.root) return repository;
  const dot = within(root, ".git");
  const type = look(files, dot)?.type;
  if (type === "directory") return await openAt(tool, context, { root, folder: dot }, false);
  if (type !== "file") return null;
  const target = /^gitdir: ([^\n]+)\n*$/.exec(textOf(files.read(dot, 4096).bytes))?.[1];
  const folder = target === undefined ? null : inside(files, root, target);
  if (folder === null || look(files, folder) === null) return null;
  const open = await openAt(tool, context, { root, folder }, false);
  return open.common === common ? open : null;
}

/** What git says of one that it is making, as why it is locked (builtin/worktree.c). */
const BEING_MADE = "initializing";

/** The worktree, and the branch that was made for it. */
export async function dropHalfMade(
  repository: Repository,
  context: ToolContext,
  { place, branch, hash }: Adds,
  hold: Hold,
): Promise<void> {
  const parts = place.split("/");
  if (!place.startsWith(`${context.git.worktrees}/`) || parts.includes("..")) return;
  try {
    if (!await isBeingMade(repository, place)) return;
    const worktree = await openWorktree(repository, context, place);
    const lock = `${worktree?.folder ?? repository.folder}/index.lock`;
    // Those that git starts to make it outlive it by a moment.
    if (look(repository.files, lock) !== null && !hold.isLeftAlone(lock)) return;
    if (look(repository.files, place) !== null) {
      if (worktree === null || await holdsWork(worktree, context, hash)) return;
    }
    // Once for what git calls dirty, once for the lock.
    const words = ["worktree", "remove", "--force", "--force", "--", seenFrom(repository, place)];
    await repository.git(words, { changes: "workspace" });
    if (branch === null) return;
    await repository.git(["update-ref", "-d", `refs/heads/${branch}`, hash], {
      changes: "git",
      good: [0, 1, 128],
    });
  } catch (error) {
    if (isEnded(error)) throw error;
  }
}

/** git-worktree(1), "PORCELAIN FORMAT" */
async function isBeingMade(repository: Repository, place: string): Promise<boolean> {
  const { bytes } = await repository.git(["worktree", "list", "--porcelain", "-z"]);
  let path = "";
  for (const line of splitNul(bytes).map(textOf)) {
    if (line.startsWith("worktree ")) path = repository.files.display(line.slice(9));
    if (path === place && line === `locked ${BEING_MADE}`) return true;
  }
  return false;
}

/** Whether there is anything in it that is not of that commit, or the beginning of it. */
export async function holdsWork(
  worktree: Repository,
  context: ToolContext,
  hash: string,
): Promise<boolean> {
  return await context.processes.withScratch(async (scratch) => {
    const options = { scratch, env: { GIT_INDEX_FILE: `${scratch}/index` } };
    await worktree.git(["read-tree", hash], options);
    const { bytes: others } = await worktree.git(["ls-files", "-z", "--others"], options);
    if (others.length > 0) return true;
    await worktree.git(["update-index", "-q", "--refresh"], { ...options, good: [0, 1] });
    const words = ["diff-index", "--raw", "-z", "--no-renames", "--no-ext-diff", "--no-abbrev"];
    const { bytes, truncated } = await worktree.git([...words, hash, "--"], options);
    const changed = readChanges(bytes).changes.filter(({ letter }) => letter !== "D");
    // As many as git writes at a time are half written.
    if (truncated || changed.length > MOST_PARTS) return true;
    for (const { path } of changed) {
      const blob = await worktree.git(["rev-parse", `${hash}:${textOf(path)}`], {
        good: [0, 128],
      });
      const side = { mode: "", hash: textOf(blob.bytes).trim() };
      if (blob.status !== 0 || await partOf(worktree, path, [side]) === null) return true;
    }
    return false;
  });
}

const MOST_PARTS = 16;

/** As git is told of a path of the workspace. */
function seenFrom({ root }: Repository, place: string): string {
  return root === "." ? place : `${root.split("/").map(() => "..").join("/")}/${place}`;
}
