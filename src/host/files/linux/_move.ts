/** Moving an entry, between file systems too: at every moment it is whole in one place at least. */

import { ToolError } from "../../../core/errors.ts";
import { ERRNO } from "../../../sandbox/kernel/errno.ts";
import type { Libc } from "../../../sandbox/kernel/libc.ts";
import { both, underNewNames } from "../_admit.ts";
import { copyEntry } from "./_copy.ts";
import { openDirectoryAt } from "../../kernel/descriptor_stack.ts";
import { countRefused, kindOf, statOfPlace, withNewPlace, withPlace } from "./_entry.ts";
import { lock } from "../../kernel/file_lock.ts";
import type { Target, TransferOptions, TreeTarget } from "../file_backend.ts";
import { openForReading, openLocked, type Place } from "./_old_file.ts";
import { AT_REMOVEDIR } from "./parent_directory.ts";
import {
  changed,
  exists,
  inTheWay,
  protectedBelow,
  refusal,
  requirePermission,
  withPermission,
} from "../../kernel/refusal.ts";
import { moveNew, moveOver } from "../../kernel/rename.ts";
import { isSameFile, type Stat, statAt } from "../../kernel/stat.ts";
import { isTemporary } from "../_temporary_names.ts";
import { traverse } from "./_tree.ts";

/**
 * As `Files.move`. A tree is moved by one rename, after all in it was judged under its name and under the one it
 * gets. Where that cannot be done (EXDEV) a whole copy is put in place, and what was copied is removed.
 */
export function moveEntry(
  libc: Libc,
  from: TreeTarget,
  to: TreeTarget,
  options: TransferOptions,
): void {
  requirePermission("read", from);
  requirePermission("write", from);
  requirePermission("write", to);
  withPlace(libc, from, (source) => {
    withNewPlace(libc, to, (destination) => {
      const stat = statOfPlace(libc, source);
      from.require(kindOf(stat));
      to.require(kindOf(stat));
      const places = { source, destination, stat };
      const locks = lockFiles(libc, places, options.overwrite);
      let moved: boolean;
      try {
        if (stat.type === "directory") requireMovable(libc, source, from, to, options.checkpoint);
        moved = moveJudged(libc, places, { from, to });
      } finally {
        for (const descriptor of locks) libc.call(libc.numbers.close, descriptor);
      }
      // Copying takes the locks that it needs itself.
      if (!moved) moveAcross(libc, places, { from, to }, options);
    });
  });
}

interface Places {
  readonly source: Place;
  readonly destination: Place;
  readonly stat: Stat;
}

interface Trees {
  readonly from: TreeTarget;
  readonly to: TreeTarget;
}

/** False where it would have to go to another file system. */
function moveJudged(libc: Libc, places: Places, trees: Trees): boolean {
  const { source, destination, stat } = places;
  const { numbers } = libc;
  const there = statAt(libc, destination.parent, destination.name);
  const nameOf = ({ parent, name }: Place) => ({ directory: parent, name });
  let result: number;
  if (typeof there === "number") {
    if (there !== -ERRNO.ENOENT) throw refusal(trees.to, there);
    result = moveNew(libc, nameOf(source), nameOf(destination));
  } else if (isSameFile(there, stat)) {
    // Two names of one file: rename(2) would do nothing.
    result = libc.call(numbers.unlinkat, source.parent, libc.path(source.name), 0);
  } else {
    result = moveOver(libc, nameOf(source), nameOf(destination));
  }
  if (result === -ERRNO.EXDEV) return false;
  if (result === -ERRNO.EEXIST || result === -ERRNO.ENOTEMPTY) throw exists(trees.to);
  if (result < 0) throw refusal(trees.from, result);
  // What was judged is what has to be there: another that took its name at the last moment goes back.
  const moved = statAt(libc, destination.parent, destination.name);
  if (typeof moved === "object" && !isSameFile(moved, stat)) {
    moveNew(libc, nameOf(destination), nameOf(source));
    throw changed(trees.from);
  }
  libc.call(numbers.fsync, destination.parent);
  libc.call(numbers.fsync, source.parent);
  return true;
}

/** Files that others are about to change are waited for; what is to be replaced has to be a file that may be. */
function lockFiles(
  libc: Libc,
  { source, destination, stat }: Places,
  overwrite: boolean,
): readonly number[] {
  const { type } = stat;
  const locks: number[] = [];
  const there = statAt(libc, destination.parent, destination.name);
  if (typeof there === "object") {
    if (type !== "file" || there.type !== "file") throw inTheWay(destination.target, there.type);
    if (!overwrite) throw exists(destination.target);
    const old = openLocked(libc, destination, { readable: false });
    if (old !== null) locks.push(old.descriptor);
  }
  // Two names of one file have one lock.
  if (type === "file" && (typeof there === "number" || !isSameFile(there, stat))) {
    try {
      const { descriptor } = openForReading(libc, source);
      locks.push(descriptor);
      lock(libc, descriptor);
    } catch (error) {
      // To be moved it need not be readable.
      if (!(error instanceof ToolError)) throw error;
    }
  }
  return locks;
}

function requireMovable(
  libc: Libc,
  source: Place,
  from: TreeTarget,
  to: TreeTarget,
  checkpoint: () => void,
): void {
  const held = withPermission("read", withPermission("write", from));
  const after = underNewNames(from, withPermission("write", to));
  const judged: TreeTarget = { ...from, admit: both(held.admit, after) };
  if (judged.admit(from.path) === null) return;
  const descriptor = openDirectoryAt(libc, source.parent, source.name);
  if (descriptor < 0) throw refusal(from, descriptor);
  const refused = countRefused(libc, judged, descriptor, checkpoint);
  if (refused > 0) throw protectedBelow(from, refused, "moved");
}

/** What tells a file that was copied from one that was changed since. Other names of it may go meanwhile. */
function identity({ device, inode, size, modified }: Stat): string {
  return `${device}:${inode}:${size}:${modified}`;
}

function moveAcross(
  libc: Libc,
  { source, stat }: Places,
  { from, to }: Trees,
  options: TransferOptions,
): void {
  const copied = new Set<string>();
  copyEntry(libc, from, to, {
    ...options,
    whole: true,
    onCopied: (one) => copied.add(identity(one)),
  });
  const { unlinkat, fsync } = libc.numbers;
  const { parent, name } = source;
  const remove = (directory: number, entry: string | Uint8Array): number => {
    const own = statAt(libc, directory, entry);
    if (typeof own === "number") return own === -ERRNO.ENOENT ? 0 : own;
    const isOurs = typeof entry === "string" && isTemporary(entry);
    if (!isOurs && !copied.has(identity(own))) return 0;
    return libc.call(unlinkat, directory, libc.path(entry), 0);
  };
  if (stat.type !== "directory") {
    const result = remove(parent, name);
    if (result < 0) throw halfMoved(from, to, result);
  } else {
    const descriptor = openDirectoryAt(libc, parent, name);
    const result = descriptor < 0
      ? descriptor
      : traverse(libc, { descriptor, path: from.path, admit: () => null }, {
        leaf: (directory, entry) => remove(directory, entry.name),
        enter: () => true,
        left(directory, entry) {
          const gone = libc.call(unlinkat, directory, libc.path(entry.name), AT_REMOVEDIR);
          return gone === -ERRNO.ENOTEMPTY ? 0 : gone;
        },
      }, () => {});
    if (result < 0) throw halfMoved(from, to, result);
    libc.call(unlinkat, parent, libc.path(name), AT_REMOVEDIR);
  }
  if (statAt(libc, parent, name) !== -ERRNO.ENOENT) throw halfMoved(from, to, null);
  libc.call(fsync, parent);
}

function halfMoved(from: Target, to: Target, error: number | null): ToolError {
  const why = error === null
    ? "was changed while it was copied"
    : `could not be removed (${refusal(from, error).message})`;
  return new ToolError(
    error === null ? "STALE_FILE" : refusal(from, error).code,
    `"${to.shown}" is complete, but what it was moved from ${why}: "${from.shown}" is still there`,
  );
}
