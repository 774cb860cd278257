/** Removing an entry, with all in it where it is a directory. */

import { ToolError } from "../../../core/errors.ts";
import { ERRNO } from "../../../sandbox/kernel/errno.ts";
import {
  notEmpty,
  protectedBelow,
  refusal,
  requirePermission,
  withPermission,
} from "../../kernel/refusal.ts";
import { kindOf, requireEntry, type TargetEntry, withEntry } from "../_target_entry.ts";
import { traverse } from "../_tree.ts";
import type { LongOptions, TreeTarget } from "../file_backend.ts";
import type { FilePrimitives, Handle, Result } from "../primitives.ts";
import { syncNames } from "./_durability.ts";

/** How many entries below an open directory, which is closed, the call may not touch. */
export function countRefused(
  files: FilePrimitives,
  tree: TreeTarget,
  directory: Handle,
  checkpoint: () => void,
): number {
  let refused = 0;
  const result = traverse(files, { directory, path: tree.path, admit: tree.admit }, {
    leaf: (_, { admitted }) => {
      if (!admitted) refused++;
      return 0;
    },
    enter: (_, { admitted }) => {
      if (!admitted) refused++;
      return admitted;
    },
  }, checkpoint);
  if (result < 0) throw refusal(tree, result);
  return refused;
}

/** As `Files.remove`. */
export function removeEntry(
  files: FilePrimitives,
  target: TreeTarget,
  { recursive, checkpoint }: LongOptions & { readonly recursive: boolean },
): { readonly entries: number } {
  requirePermission("write", target);
  return withEntry(files, target, (entry) => {
    const stat = requireEntry(files, entry);
    target.require(kindOf(stat));
    const entries = stat.type === "directory"
      ? removeDirectory(files, withPermission("write", target), entry, recursive, checkpoint)
      : unlink(files, entry, "entry");
    syncNames(files, entry.parent);
    return { entries };
  });
}

/** Whether a directory was not removed for what is in it: POSIX lets rmdir say either. */
function isFull(result: Result): boolean {
  return result === -ERRNO.ENOTEMPTY || result === -ERRNO.EEXIST;
}

/** STALE_FILE: somebody wrote into a directory that was being emptied, or its name is none that can be seen here. */
function filledAgain({ shown }: TreeTarget): ToolError {
  return new ToolError(
    "STALE_FILE",
    `something was put into "${shown}" while it was removed, or has a name that is not seen here; look what it is before removing it again`,
  );
}

function unlink(
  files: FilePrimitives,
  { target, parent, name }: TargetEntry,
  kind: "entry" | "directory",
): 1 {
  const result = files.unlinkAt(parent, name, kind);
  if (result < 0) throw refusal(target, result);
  return 1;
}

function removeDirectory(
  files: FilePrimitives,
  tree: TreeTarget,
  entry: TargetEntry,
  recursive: boolean,
  checkpoint: () => void,
): number {
  const { parent, name } = entry;
  const emptied = files.unlinkAt(parent, name, "directory");
  if (emptied === 0) return 1;
  if (!isFull(emptied)) throw refusal(tree, emptied);
  if (!recursive) throw notEmpty(tree);
  const open = (): Handle => {
    const directory = files.openAt(parent, name, "directory");
    if (directory < 0) throw refusal(tree, directory);
    return directory;
  };
  if (tree.admit(tree.path) !== null) {
    const refused = countRefused(files, tree, open(), checkpoint);
    if (refused > 0) throw protectedBelow(tree, refused, "removed");
  }
  let removed = 0;
  const remove = (at: Handle, entry: string, kind: "entry" | "directory"): Result => {
    const result = files.unlinkAt(at, entry, kind);
    if (result === 0) removed++;
    return result === -ERRNO.ENOENT ? 0 : result;
  };
  try {
    const result = traverse(files, { directory: open(), path: tree.path, admit: tree.admit }, {
      // What was not there a moment ago is judged all the same; its directory then stays.
      leaf: (at, entry) => entry.admitted ? remove(at, entry.name, "entry") : 0,
      enter: (_, { admitted }) => admitted,
      left: (at, entry) => remove(at, entry.name, "directory"),
    }, checkpoint);
    if (isFull(result)) throw filledAgain(tree);
    if (result < 0) throw refusal(tree, result);
    const last = files.unlinkAt(parent, name, "directory");
    if (isFull(last)) throw filledAgain(tree);
    if (last < 0) throw refusal(tree, last);
    return removed + 1;
  } catch (error) {
    if (!(error instanceof ToolError)) throw error;
    throw new ToolError(
      error.code,
      `${error.message}; ${removed} of the entries in "${tree.shown}" were removed before that`,
      { details: { ...error.details, removed } },
    );
  }
}
