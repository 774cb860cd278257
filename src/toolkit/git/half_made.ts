/** Worktrees of which the making was cut short: taken away where nobody has made anything of them, and made whole where somebody has. */

import { ToolError } from "../../core/errors.ts";
import { quoted } from "../../core/printable.ts";
import type { Hold, ToolContext } from "../../core/tool.ts";
import { changesStaged } from "./change.ts";
import { isLeft, lockError } from "./locks.ts";
import { type Adds, isEnded, removeFiles } from "./moves.ts";
import { openWorktree } from "./open_worktree.ts";
import { isAllowed } from "./paths.ts";
import { look, within } from "./place.ts";
import type { Repository } from "./repository.ts";
import { headOf } from "./revisions.ts";
import { takeBegun, takeBegunFiles } from "./take_away.ts";
import { layOut, pathsIn } from "./worktree_files.ts";
import { worktreeRecords } from "./worktree_records.ts";

/** What git says of one that it is making, as why it is locked (builtin/worktree.c): until its files are there, or without end. */
const BEING_MADE: ReadonlySet<string> = new Set([
  "locked initializing",
  "locked added with --lock",
]);

/** The worktree, and the branch that was made for it. */
export async function dropHalfMade(
  repository: Repository,
  context: ToolContext,
  adds: Adds,
  hold: Hold,
): Promise<void> {
  const { files, folder } = repository;
  const { place } = adds;
  const parts = place.split("/");
  if (!place.startsWith(`${context.git.worktrees}/`) || parts.includes("..")) return;
  try {
    if (!await isBeingMade(repository, place)) return;
    const worktree = await openWorktree(repository, context, place);
    const lock = `${worktree?.folder ?? folder}/index.lock`;
    // Those that git starts to make it outlive it by a moment.
    if (look(files, lock) !== null && !isLeft(files, hold, lock)) return;
    if (!await unmake(repository, context, adds) && worktree !== null) {
      await finish(worktree, adds.hash);
    }
  } catch (error) {
    if (isEnded(error)) throw error;
  }
}

/** Takes away one that was begun, by this call where that is said, with its branch; false where anybody has put anything in it, and it stays. Throws as git does. */
export async function unmake(
  repository: Repository,
  context: ToolContext,
  { place, branch, hash }: Adds,
  { justNow = false }: { readonly justNow?: boolean } = {},
): Promise<boolean> {
  const { files } = repository;
  const worktree = await openWorktree(repository, context, place);
  if (worktree !== null) {
    if (!await takeBegun(worktree, context, { hash, justNow })) return false;
  } else if (look(files, place) !== null) {
    if (look(files, within(place, ".git")) !== null) return false;
    if (!context.processes.removeBare(["git"], place, ".git")) return false;
  }
  const git = async (words: readonly string[]) => {
    await repository.git(words, { changes: "git", good: [0, 1, 128] });
  };
  if (branch !== null) await git(["update-ref", "-d", `refs/heads/${branch}`, hash]);
  // Once for what git calls dirty, once for the lock: there is nothing left of it but what the repository knows.
  await git(["worktree", "remove", "--force", "--force", "--", seenFrom(repository, place)]);
  return true;
}

/**
 * Takes away one that a process that is gone had begun to make; its branch stays. False where anybody has put, staged or
 * committed anything in it, which stays: then it is whole. Throws as git does, and GIT_ERROR where there is something else.
 */
export async function takeBack(
  repository: Repository,
  context: ToolContext,
  { place, branch }: { readonly place: string; readonly branch: string },
): Promise<boolean> {
  const { files, tool } = repository;
  if (look(files, place) === null) return true;
  const worktree = await openWorktree(repository, context, place);
  const isTaken = worktree === null || await takeFilesBack(worktree, context, branch);
  if (!isTaken) return false;
  if (context.processes.removeBare(["git"], place, ".git")) {
    const words = ["worktree", "remove", "--force", "--force", "--", seenFrom(repository, place)];
    await repository.git(words, { changes: "git", good: [0, 1, 128] });
    return true;
  }
  const { hash } = worktree === null ? { hash: null } : await headOf(worktree);
  if (worktree === null || hash === null) {
    throw new ToolError("GIT_ERROR", `${tool}: ${quoted(place)} holds files of somebody's`);
  }
  await finish(worktree, hash);
  return false;
}

/** The files of one, or of a clone, likewise. `branch`: that which it was made for. */
export async function takeFilesBack(
  worktree: Repository,
  context: ToolContext,
  branch: string,
): Promise<boolean> {
  const { files, folder } = worktree;
  const lock = `${folder}/index.lock`;
  if (look(files, lock) !== null) {
    const hold = worktree.hold();
    const isNobodys = hold !== null && isLeft(files, hold, lock);
    hold?.release();
    if (!isNobodys) throw lockError(worktree, lock);
  }
  const head = await headOf(worktree);
  const { hash } = head;
  // No file is laid out before there is a commit.
  if (hash === null) return true;
  const isAsMade = head.branch === branch &&
    (look(files, `${folder}/index`) === null || (await changesStaged(worktree, hash)).length === 0);
  try {
    if (isAsMade && await takeBegunFiles(worktree, context, { hash })) return true;
  } catch (error) {
    // What it takes to look at them is not to be had: they are made whole, as far as that goes.
    if (!(error instanceof ToolError) || error.code !== "NATIVE_DENIED") throw error;
  }
  await finish(worktree, hash);
  return false;
}

/** One in which somebody has put something: whoever looks there finds that, and no files that are gone or half written. */
async function finish(worktree: Repository, hash: string): Promise<void> {
  const { files, folder } = worktree;
  const there = (name: string) => look(files, `${folder}/${name}`) !== null;
  const drop = (name: string) => removeFiles(worktree, folder, [`${folder}/${name}`]);
  // Of the git that was killed: nobody has it open.
  if (there("index.lock")) await drop("index.lock");
  if (!there("index")) {
    const denied = (await pathsIn(worktree, hash)).filter((path) =>
      !isAllowed({ ...worktree, root: "." }, "write", path)
    );
    await layOut(worktree, denied, [0, 1]);
  } else {
    const words = ["checkout-index", "--all", "--index", "--quiet"];
    await worktree.git(words, { changes: "files", good: [0, 1] });
  }
  if (there("locked")) await drop("locked");
}

async function isBeingMade(repository: Repository, place: string): Promise<boolean> {
  return (await worktreeRecords(repository)).some(([first = "", ...others]) =>
    first.startsWith("worktree ") && repository.files.display(first.slice(9)) === place &&
    others.some((line) => BEING_MADE.has(line))
  );
}

/** As git is told of a path of the workspace. */
export function seenFrom({ root }: Repository, place: string): string {
  return root === "." ? place : `${root.split("/").map(() => "..").join("/")}/${place}`;
}
