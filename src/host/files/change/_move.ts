/** Moving an entry, between file systems too: at every moment it is whole in one place at least. */

import { ToolError } from "../../../core/errors.ts";
import { ERRNO } from "../../../sandbox/kernel/errno.ts";
import {
  changed,
  exists,
  inTheWay,
  protectedBelow,
  refusal,
  requirePermission,
  withPermission,
} from "../../kernel/refusal.ts";
import { isSameFile, type Stat } from "../../kernel/stat.ts";
import { both, underNewNames } from "../_admit.ts";
import {
  kindOf,
  openForReading,
  requireEntry,
  type TargetEntry,
  withEntry,
  withNewEntry,
} from "../_target_entry.ts";
import { isTemporary } from "../_temporary_names.ts";
import { traverse } from "../_tree.ts";
import type { Target, TransferOptions, TreeTarget } from "../file_backend.ts";
import type { FilePrimitives, Handle, Name, Result } from "../primitives.ts";
import { copyEntry } from "./_copy.ts";
import { settleNames, syncNames } from "./_durability.ts";
import { lock } from "./_lock.ts";
import { openLocked } from "./_old_file.ts";
import { countRefused } from "./_remove.ts";
import { renameNew } from "./_renaming.ts";

/**
 * As `Files.move`. A tree is moved by one rename, after all in it was judged under its name and under the one it
 * gets. Where that cannot be done (EXDEV) a whole copy is put in place, and what was copied is removed.
 */
export function moveEntry(
  files: FilePrimitives,
  from: TreeTarget,
  to: TreeTarget,
  options: TransferOptions,
): void {
  requirePermission("read", from);
  requirePermission("write", from);
  requirePermission("write", to);
  withEntry(files, from, (source) => {
    withNewEntry(files, to, true, (destination) => {
      const stat = requireEntry(files, source);
      from.require(kindOf(stat));
      to.require(kindOf(stat));
      const ends = { source, destination, stat };
      const locks = lockFiles(files, ends, options.overwrite);
      let moved: boolean;
      try {
        if (stat.type === "directory") requireMovable(files, source, from, to, options.checkpoint);
        moved = moveJudged(files, ends, { from, to });
      } finally {
        for (const handle of locks) files.close(handle);
      }
      // Copying takes the locks that it needs itself.
      if (!moved) moveAcross(files, ends, { from, to }, options);
    });
  });
}

interface MoveEnds {
  readonly source: TargetEntry;
  readonly destination: TargetEntry;
  readonly stat: Stat;
}

interface Trees {
  readonly from: TreeTarget;
  readonly to: TreeTarget;
}

/** False where it would have to go to another file system. */
function moveJudged(files: FilePrimitives, ends: MoveEnds, trees: Trees): boolean {
  const { source, destination, stat } = ends;
  const there = files.statAt(destination.parent, destination.name);
  const nameOf = ({ parent, name }: TargetEntry): Name => ({ directory: parent, name });
  let result: Result;
  if (typeof there === "number") {
    if (there !== -ERRNO.ENOENT) throw refusal(trees.to, there);
    result = renameNew(files, nameOf(source), nameOf(destination));
  } else if (isSameFile(there, stat)) {
    // Two names of one file: rename(2) would do nothing.
    result = files.unlinkAt(source.parent, source.name, "entry");
  } else {
    result = files.renameOver(nameOf(source), nameOf(destination));
  }
  if (result === -ERRNO.EXDEV) return false;
  if (result === -ERRNO.EEXIST || result === -ERRNO.ENOTEMPTY) throw exists(trees.to);
  if (result < 0) throw refusal(trees.from, result);
  // What was judged is what has to be there: another that took its name at the last moment goes back.
  const moved = files.statAt(destination.parent, destination.name);
  if (typeof moved === "object" && !isSameFile(moved, stat)) {
    renameNew(files, nameOf(destination), nameOf(source));
    throw changed(trees.from);
  }
  syncNames(files, destination.parent);
  syncNames(files, source.parent);
  return true;
}

/** Files that others are about to change are waited for; what is to be replaced has to be a file that may be. */
function lockFiles(
  files: FilePrimitives,
  { source, destination, stat }: MoveEnds,
  overwrite: boolean,
): readonly Handle[] {
  const { type } = stat;
  const locks: Handle[] = [];
  const there = files.statAt(destination.parent, destination.name);
  if (typeof there === "object") {
    if (type !== "file" || there.type !== "file") throw inTheWay(destination.target, there.type);
    if (!overwrite) throw exists(destination.target);
    const old = openLocked(files, destination, { readable: false });
    if (old !== null) locks.push(old.handle);
  }
  // Two names of one file have one lock.
  if (type === "file" && (typeof there === "number" || !isSameFile(there, stat))) {
    try {
      const { handle } = openForReading(files, source);
      locks.push(handle);
      lock(files, handle);
    } catch (error) {
      // To be moved it need not be readable.
      if (!(error instanceof ToolError)) throw error;
    }
  }
  return locks;
}

function requireMovable(
  files: FilePrimitives,
  source: TargetEntry,
  from: TreeTarget,
  to: TreeTarget,
  checkpoint: () => void,
): void {
  const held = withPermission("read", withPermission("write", from));
  const after = underNewNames(from, withPermission("write", to));
  const judged: TreeTarget = { ...from, admit: both(held.admit, after) };
  if (judged.admit(from.path) === null) return;
  const directory = files.openAt(source.parent, source.name, "directory");
  if (directory < 0) throw refusal(from, directory);
  const refused = countRefused(files, judged, directory, checkpoint);
  if (refused > 0) throw protectedBelow(from, refused, "moved");
}

/** What tells a file that was copied from one that was changed since. Other names of it may go meanwhile. */
function identity({ device, inode, size, modified }: Stat): string {
  return `${device}:${inode}:${size}:${modified}`;
}

function moveAcross(
  files: FilePrimitives,
  { source, destination, stat }: MoveEnds,
  { from, to }: Trees,
  options: TransferOptions,
): void {
  const copied = new Set<string>();
  copyEntry(files, from, to, {
    ...options,
    whole: true,
    onCopied: (one) => copied.add(identity(one)),
  });
  settleNames(files, destination.parent);
  const { parent, name } = source;
  const remove = (directory: Handle, entry: string): Result => {
    const own = files.statAt(directory, entry);
    if (typeof own === "number") return own === -ERRNO.ENOENT ? 0 : own;
    if (!isTemporary(entry) && !copied.has(identity(own))) return 0;
    return files.unlinkAt(directory, entry, "entry");
  };
  if (stat.type !== "directory") {
    const result = remove(parent, name);
    if (result < 0) throw halfMoved(from, to, result);
  } else {
    const directory = files.openAt(parent, name, "directory");
    const result = directory < 0
      ? directory
      : traverse(files, { directory, path: from.path, admit: () => null }, {
        leaf: (at, entry) => remove(at, entry.name),
        enter: () => true,
        left(at, entry) {
          const gone = files.unlinkAt(at, entry.name, "directory");
          return gone === -ERRNO.ENOTEMPTY ? 0 : gone;
        },
      }, () => {});
    if (result < 0) throw halfMoved(from, to, result);
    files.unlinkAt(parent, name, "directory");
  }
  if (files.statAt(parent, name) !== -ERRNO.ENOENT) throw halfMoved(from, to, null);
  syncNames(files, parent);
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
