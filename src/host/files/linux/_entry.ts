/** One entry of a directory, whatever it is: found, counted, removed. */

import type { Survey } from "../../../core/files.ts";
import { ToolError } from "../../../core/errors.ts";
import { ERRNO } from "../../../sandbox/kernel/errno.ts";
import type { Libc } from "../../../sandbox/kernel/libc.ts";
import { openDirectoryAt } from "../../kernel/descriptor_stack.ts";
import type { EntryKind, LongOptions, Target, TreeTarget } from "../file_backend.ts";
import type { Place } from "./_old_file.ts";
import { AT_REMOVEDIR, NEW_DIRECTORY_MODE, openParent, removeMade } from "./parent_directory.ts";
import {
  inTheWay,
  notEmpty,
  protectedBelow,
  refusal,
  requirePermission,
  withPermission,
} from "../../kernel/refusal.ts";
import { type Stat, statAt } from "../../kernel/stat.ts";
import { traverse } from "./_tree.ts";

/** Runs `use` with the directory of `target` open. FILE_NOT_FOUND where it is not there. */
export function withPlace<T>(libc: Libc, target: Target, use: (place: Place) => T): T {
  return inParent(libc, target, false, use);
}

/** As {@linkcode withPlace}, the directories made that are missing; they go again where `use` throws. */
export function withNewPlace<T>(libc: Libc, target: Target, use: (place: Place) => T): T {
  return inParent(libc, target, true, use);
}

function inParent<T>(libc: Libc, target: Target, create: boolean, use: (place: Place) => T): T {
  const { descriptor, made } = openParent(libc, target, create);
  let done = false;
  try {
    const name = target.path.slice(target.path.lastIndexOf("/") + 1) || ".";
    const result = use({ target, parent: descriptor, name });
    done = true;
    return result;
  } finally {
    libc.call(libc.numbers.close, descriptor);
    if (!done) removeMade(libc, made);
  }
}

/** What is there, links for what they are. Throws FILE_NOT_FOUND. */
export function statOfPlace(libc: Libc, { target, parent, name }: Place): Stat {
  const stat = statAt(libc, parent, name);
  if (typeof stat === "number") throw refusal(target, stat);
  return stat;
}

export function kindOf({ type }: Pick<Stat, "type">): EntryKind {
  return type === "directory" ? "directory" : "file";
}

/** As `Files.survey`. */
export function survey(libc: Libc, tree: TreeTarget, { checkpoint }: LongOptions): Survey {
  requirePermission("read", tree);
  return withPlace(libc, tree, (place) => {
    const stat = statOfPlace(libc, place);
    tree.require(kindOf(stat));
    const counts = { files: 0, directories: 0, others: 0, bytes: 0, refused: 0 };
    const count = ({ type, size }: Pick<Stat, "type" | "size">): void => {
      if (type === "directory") counts.directories++;
      else if (type !== "file") counts.others++;
      else {
        counts.files++;
        counts.bytes += size;
      }
    };
    count(stat);
    if (stat.type === "directory") {
      const { path, admit } = withPermission("read", tree);
      const descriptor = openDirectoryAt(libc, place.parent, place.name);
      if (descriptor < 0) throw refusal(tree, descriptor);
      const result = traverse(libc, { descriptor, path, admit }, {
        leaf(directory, { name, type, admitted }) {
          if (!admitted) counts.refused++;
          else if (type !== "file") counts.others++;
          else {
            const own = statAt(libc, directory, name);
            if (typeof own === "object") count(own);
          }
          return 0;
        },
        enter(_, { admitted }) {
          counts[admitted ? "directories" : "refused"]++;
          return admitted;
        },
        // It was counted when it was entered; of what lies below nothing can be said.
        closed: () => 0,
      }, checkpoint);
      if (result < 0) throw refusal(tree, result);
    }
    return { type: stat.type, ...counts };
  });
}

/** How many entries below an open directory, which is closed, the call may not touch. */
export function countRefused(
  libc: Libc,
  tree: TreeTarget,
  descriptor: number,
  checkpoint: () => void,
): number {
  let refused = 0;
  const result = traverse(libc, { descriptor, path: tree.path, admit: tree.admit }, {
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
  libc: Libc,
  target: TreeTarget,
  { recursive, checkpoint }: LongOptions & { readonly recursive: boolean },
): { readonly entries: number } {
  requirePermission("write", target);
  return withPlace(libc, target, (place) => {
    const stat = statOfPlace(libc, place);
    target.require(kindOf(stat));
    const entries = stat.type === "directory"
      ? removeDirectory(libc, withPermission("write", target), place, recursive, checkpoint)
      : unlink(libc, place, 0);
    libc.call(libc.numbers.fsync, place.parent);
    return { entries };
  });
}

function unlink(libc: Libc, { target, parent, name }: Place, flags: number): 1 {
  const result = libc.call(libc.numbers.unlinkat, parent, libc.path(name), flags);
  if (result < 0) throw refusal(target, result);
  return 1;
}

function removeDirectory(
  libc: Libc,
  tree: TreeTarget,
  place: Place,
  recursive: boolean,
  checkpoint: () => void,
): number {
  const { unlinkat } = libc.numbers;
  const { parent, name } = place;
  const emptied = libc.call(unlinkat, parent, libc.path(name), AT_REMOVEDIR);
  if (emptied === 0) return 1;
  if (emptied !== -ERRNO.ENOTEMPTY && emptied !== -ERRNO.EEXIST) throw refusal(tree, emptied);
  if (!recursive) throw notEmpty(tree);
  const open = (): number => {
    const descriptor = openDirectoryAt(libc, parent, name);
    if (descriptor < 0) throw refusal(tree, descriptor);
    return descriptor;
  };
  if (tree.admit(tree.path) !== null) {
    const refused = countRefused(libc, tree, open(), checkpoint);
    if (refused > 0) throw protectedBelow(tree, refused, "removed");
  }
  let removed = 0;
  const remove = (directory: number, entry: string | Uint8Array, flags: number): number => {
    const result = libc.call(unlinkat, directory, libc.path(entry), flags);
    if (result === 0) removed++;
    return result === -ERRNO.ENOENT ? 0 : result;
  };
  try {
    const result = traverse(libc, { descriptor: open(), path: tree.path, admit: tree.admit }, {
      // What was not there a moment ago is judged all the same; its directory then stays.
      leaf: (directory, entry) => entry.admitted ? remove(directory, entry.name, 0) : 0,
      enter: (_, { admitted }) => admitted,
      left: (directory, entry) => remove(directory, entry.name, AT_REMOVEDIR),
    }, checkpoint);
    if (result < 0) throw refusal(tree, result);
    return removed + unlink(libc, place, AT_REMOVEDIR);
  } catch (error) {
    if (!(error instanceof ToolError)) throw error;
    throw new ToolError(
      error.code,
      `${error.message}; ${removed} of the entries in "${tree.shown}" were removed before that`,
      { details: { ...error.details, removed } },
    );
  }
}

/** As `Files.createDirectory`. */
export function createDirectory(
  libc: Libc,
  target: Target,
  { parents }: { readonly parents: boolean },
): { readonly created: boolean } {
  requirePermission("write", target);
  const { descriptor, made } = openParent(libc, target, parents);
  try {
    const name = target.path.slice(target.path.lastIndexOf("/") + 1) || ".";
    const result = libc.call(
      libc.numbers.mkdirat,
      descriptor,
      libc.path(name),
      NEW_DIRECTORY_MODE,
    );
    if (result === 0) {
      libc.call(libc.numbers.fsync, descriptor);
      return { created: true };
    }
    if (result !== -ERRNO.EEXIST) {
      removeMade(libc, made);
      throw refusal(target, result);
    }
    const { type } = statOfPlace(libc, { target, parent: descriptor, name });
    if (type !== "directory") throw inTheWay(target, type);
    return { created: false };
  } finally {
    libc.call(libc.numbers.close, descriptor);
  }
}
