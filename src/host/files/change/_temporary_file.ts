/**
 * Temporary files beside their targets: made, held, and cleared away when their writer died.
 *
 * Their names are a few fixed slots, so that finding the leftovers of dead writers takes a few lookups and no
 * listing. A live writer holds the lock of its file, which the system lets go when it dies, in whatever
 * container: process numbers would mean nothing across them. Whoever gets the lock of a slot's file, and finds
 * it still under its name, alone may remove it.
 */

import { ERRNO } from "../../../sandbox/kernel/errno.ts";
import { isSameFile, type Stat } from "../../kernel/stat.ts";
import type { OpenFile } from "../_target_entry.ts";
import { isTemporary, memberName, memberPrefix, slotName, SLOTS } from "../_temporary_names.ts";
import { removeTree } from "../_tree.ts";
import type { FilePrimitives, Handle, Result } from "../primitives.ts";

/** A new file, with what it was when it was made. */
export interface TemporaryFile extends OpenFile {
  readonly name: string;
}

/** Opens a new temporary file in the directory, locked. */
export function makeTemporaryFile(
  files: FilePrimitives,
  directory: Handle,
  mode: number,
): TemporaryFile | Result {
  let made: TemporaryFile | Result = -ERRNO.EEXIST;
  for (let slot = 0; slot < SLOTS; slot++) {
    const name = slotName(slot);
    if (typeof made === "object") {
      clearLeftover(files, directory, name);
      continue;
    }
    made = make(files, directory, name, mode);
    if (made === -ERRNO.EEXIST && clearLeftover(files, directory, name)) {
      made = make(files, directory, name, mode);
    }
    if (typeof made === "number" && made !== -ERRNO.EEXIST) return made;
  }
  if (typeof made === "object") return made;
  const random = crypto.getRandomValues(new BigUint64Array(1))[0] ?? 0n;
  return make(files, directory, slotName(random), mode);
}

/** `-EEXIST` also where another writer was quicker. */
function make(
  files: FilePrimitives,
  directory: Handle,
  name: string,
  mode: number,
): TemporaryFile | Result {
  const handle = files.openAt(directory, name, "create", mode);
  if (handle < 0) return handle;
  // Between making and locking somebody may have taken it for a leftover. File systems without locks: no one can.
  const stat = files.tryLock(handle) === -ERRNO.EAGAIN
    ? null
    : statIfNamed(files, directory, name, handle);
  if (stat !== null) return { handle, name, stat };
  files.close(handle);
  return -ERRNO.EEXIST;
}

/** Room for several temporary files and directories in one directory, that are cleared together. */
export interface Staging {
  readonly directory: Handle;
  /** The next name: what gets it is removed by its maker, or after his death with the others. */
  next(): string;
  /** Lets go. What `next` named is gone; where it is not (`false`), it is left to the next who clears. */
  close(clean: boolean): void;
}

/** Holds a slot for what is to be made in the directory. */
export function openStaging(files: FilePrimitives, directory: Handle): Staging | Result {
  const held = makeTemporaryFile(files, directory, 0o600);
  if (typeof held === "number") return held;
  let members = 0;
  return {
    directory,
    next: () => memberName(held.name, members++),
    close(clean) {
      if (clean) files.unlinkAt(directory, held.name, "entry");
      files.close(held.handle);
    },
  };
}

/** Removes the files of a slot if no writer lives that holds it. True when its name is free. */
function clearLeftover(files: FilePrimitives, directory: Handle, name: string): boolean {
  const handle = files.openAt(directory, name, "read");
  if (handle < 0) return handle === -ERRNO.ENOENT;
  try {
    const stat = files.statOf(handle);
    if (typeof stat === "number" || stat.type !== "file") return false;
    if (files.tryLock(handle) !== 0) return false;
    if (statIfNamed(files, directory, name, handle) === null) return false;
    clearMembers(files, directory, memberPrefix(name));
    return files.unlinkAt(directory, name, "entry") === 0;
  } finally {
    files.close(handle);
  }
}

function clearMembers(files: FilePrimitives, directory: Handle, prefix: string): void {
  // A handle of its own: that of the place may be one that cannot be listed.
  const listed = files.openAt(directory, ".", "directory");
  if (listed < 0) return;
  const entries = files.list(listed, prefix);
  files.close(listed);
  if (typeof entries === "number") return;
  for (const { name } of entries) if (isTemporary(name)) removeTree(files, directory, name);
}

/** What the handle refers to, if the name still leads to it. */
function statIfNamed(
  files: FilePrimitives,
  directory: Handle,
  name: string,
  handle: Handle,
): Stat | null {
  const held = files.statOf(handle);
  const named = files.statAt(directory, name);
  const isSame = typeof held === "object" && typeof named === "object" && isSameFile(held, named);
  return isSame ? held : null;
}
