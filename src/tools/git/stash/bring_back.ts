/** Bringing back what was put aside: whole, or refused before anything changes. */

import { ToolError } from "../../../core/errors.ts";
import {
  changesBetween,
  contentsApart,
  emptyTree,
  inTheWayError,
  isThere,
  listOf,
  requireWritable,
  uncommitted,
} from "../../../toolkit/git/change.ts";
import { conflictsOf } from "../../../toolkit/git/conflicts.ts";
import { moving } from "../../../toolkit/git/moves.ts";
import { nameOf } from "../../../toolkit/git/names.ts";
import { shown } from "../../../toolkit/git/paths.ts";
import type { RawChange } from "../../../toolkit/git/raw_changes.ts";
import { gitError, type Repository } from "../../../toolkit/git/repository.ts";
import { findCommit, headOf, requireCommit } from "../../../toolkit/git/revisions.ts";
import type { Stash } from "./entries.ts";

/** Whether all files are what they would be made. */
async function isBroughtBack(
  repository: Repository,
  hash: string,
  changes: readonly RawChange[],
): Promise<boolean> {
  const apart = new Set((await contentsApart(repository, hash)).map(({ path }) => nameOf(path)));
  return changes.every(({ path }) => !apart.has(nameOf(path)));
}

/**
 * Changes the files as the stash says; which those are. `only_look`: says it alone. Throws PATH_DENIED, GIT_ERROR with
 * what stands in the way, and MERGE_CONFLICT where both changed the same: then the stash is still there.
 */
export async function bringBack(
  repository: Repository,
  { hash, index }: Stash,
  onlyLook: boolean,
): Promise<readonly Uint8Array[]> {
  const untracked = await findCommit(repository, `${hash}^3`);
  const changes = await changesBetween(repository, `${hash}^1`, hash);
  const added = untracked === null
    ? []
    : await changesBetween(repository, await emptyTree(repository), untracked);
  const paths = [...changes, ...added].map(({ path }) => path);
  const doing = "bringing this back";
  requireWritable(repository, paths, doing);
  const { unstaged } = await uncommitted(repository);
  const dirty = new Set(unstaged.map(nameOf));
  const blocked = [
    ...changes.filter(({ path, letter }) =>
      dirty.has(nameOf(path)) || letter === "A" && isThere(repository, path)
    ),
    ...added.filter(({ path }) => isThere(repository, path)),
  ].map(({ path }) => shown(repository, path));
  // Whoever was killed before it was dropped had brought it back: then nothing is left to do.
  const isDone = blocked.length > 0 && added.length === 0 &&
    await isBroughtBack(repository, hash, changes);
  if (blocked.length > 0 && !isDone) throw inTheWayError(repository, blocked, doing);
  if (onlyLook || isDone) return paths;
  const { hash: head } = await headOf(repository);
  const steps = [
    { rest: await requireCommit(repository, `${hash}^1`), other: hash },
    ...(untracked === null ? [] : [{ rest: await emptyTree(repository), other: untracked }]),
  ];
  const { status, stderr } = await moving(
    repository,
    { head, steps },
    () => repository.git(["stash", "apply", "--quiet", hash], { changes: "files", good: [0, 1] }),
  );
  if (status === 0) return paths;
  const conflicts = await conflictsOf(repository);
  if (conflicts.length === 0) throw gitError(repository.tool, stderr);
  throw new ToolError(
    "MERGE_CONFLICT",
    `${repository.tool}: ${
      listOf(conflicts.map(({ path }) => path))
    } changed here and there; settle what is marked ` +
      `in them and stage them; stash ${index} (${hash.slice(0, 12)}) is still there`,
    { details: { conflicts, stash: { index, hash } } },
  );
}
