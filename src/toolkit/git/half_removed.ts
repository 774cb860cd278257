/** Worktrees of which the removal was cut short: removed to the end where nobody has put anything in them. */

import type { Hold, ToolContext } from "../../core/tool.ts";
import { changesStaged } from "./change.ts";
import { isLeft } from "./locks.ts";
import { isEnded, removeFiles, type Removes } from "./moves.ts";
import { inside, look, textIn, within } from "./place.ts";
import { openAt, type Repository } from "./repository.ts";
import { headOf } from "./revisions.ts";
import { takeBegun } from "./take_away.ts";

/** Git takes away the files, in any order, and then the repository's part of it. */
export async function dropHalfRemoved(
  repository: Repository,
  context: ToolContext,
  removes: Removes,
  hold: Hold,
): Promise<void> {
  const { files, common } = repository;
  const { place, folder } = removes;
  const name = folder.startsWith(`${common}/worktrees/`)
    ? folder.slice(`${common}/worktrees/`.length)
    : "";
  if (!/^[^/]+$/.test(name) || name === "." || name === "..") return;
  if (look(files, folder)?.type !== "directory") return;
  try {
    const tied = textIn(files, `${folder}/gitdir`)?.trim() ?? null;
    const there = look(files, place)?.type ?? null;
    const isThere = there !== null;
    // The files are gone before what says where they are.
    if (tied === null ? isThere : inside(files, folder, tied) !== within(place, ".git")) return;
    if (isThere && there !== "directory" || look(files, `${folder}/locked`) !== null) return;
    if (isThere && !await dropFiles(repository, context, removes, hold)) return;
    await removeFiles(repository, common, [folder]);
  } catch (error) {
    if (isEnded(error)) throw error;
  }
}

/** False where it is not as it was, or is used. */
async function dropFiles(
  repository: Repository,
  context: ToolContext,
  { place, folder, hash }: Removes,
  hold: Hold,
): Promise<boolean> {
  const { tool, common, files } = repository;
  const dot = look(files, within(place, ".git"));
  if (dot !== null && dot.type !== "file") return false;
  const lock = `${folder}/index.lock`;
  if (look(files, lock) !== null && !isLeft(files, hold, lock)) return false;
  // The file that leads to it may be gone already.
  const worktree = await openAt(tool, context, { root: place, folder }, false);
  if (worktree.common !== common || (await headOf(worktree)).hash !== hash) return false;
  if ((await changesStaged(worktree, hash)).length > 0) return false;
  if (await takeBegun(worktree, context, { hash })) return true;
  // So that what is told of it is somebody's work alone.
  const words = ["checkout-index", "--all", "--index", "--quiet"];
  await worktree.git(words, { changes: "files", good: [0, 1] });
  if (dot === null) await repository.git(["worktree", "repair"], { changes: "workspace" });
  return false;
}
