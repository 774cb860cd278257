/**
 * Temporary files beside their targets: made, held, and cleared away when their writer died.
 *
 * Their names are a few fixed slots, so that finding the leftovers of dead writers takes a few lookups and no
 * listing. A live writer holds `flock(2)` on its file, which the kernel lets go when it dies, in whatever
 * container: process numbers would mean nothing across them. Whoever gets the lock of a slot's file, and finds
 * it still under its name, alone may remove it.
 */

import { ERRNO } from "../../../sandbox/kernel/errno.ts";
import type { Libc } from "../../../sandbox/kernel/libc.ts";
import { OPEN } from "../../../sandbox/kernel/open_without_links.ts";
import { openDirectoryAt } from "../../kernel/descriptor_stack.ts";
import { tryLock } from "../../kernel/file_lock.ts";
import { isSameFile, type Stat, statAt, statOf } from "../../kernel/stat.ts";
import { isTemporary, memberName, memberPrefix, slotName, SLOTS } from "../_temporary_names.ts";
import { removeTree } from "./_tree.ts";
import { readEntries } from "../../scan/linux/walk.ts";

export interface TemporaryFile {
  readonly descriptor: number;
  readonly name: string;
  /** As it was made. */
  readonly stat: Stat;
}

/** Opens a new temporary file in the directory, locked; or an error number with its sign turned. */
export function makeTemporaryFile(
  libc: Libc,
  directory: number,
  mode: number,
): TemporaryFile | number {
  let made: TemporaryFile | number = -ERRNO.EEXIST;
  for (let slot = 0; slot < SLOTS; slot++) {
    const name = slotName(slot);
    if (typeof made === "object") {
      clearLeftover(libc, directory, name);
      continue;
    }
    made = make(libc, directory, name, mode);
    if (made === -ERRNO.EEXIST && clearLeftover(libc, directory, name)) {
      made = make(libc, directory, name, mode);
    }
    if (typeof made === "number" && made !== -ERRNO.EEXIST) return made;
  }
  if (typeof made === "object") return made;
  const random = crypto.getRandomValues(new BigUint64Array(1))[0] ?? 0n;
  return make(libc, directory, slotName(random), mode);
}

/** `-EEXIST` also where another writer was quicker. */
function make(libc: Libc, directory: number, name: string, mode: number): TemporaryFile | number {
  const { numbers } = libc;
  const flags = OPEN.RDWR | OPEN.CREAT | OPEN.EXCL | OPEN.CLOEXEC | numbers.O_NOFOLLOW;
  const descriptor = libc.call(numbers.openat, directory, libc.path(name), flags, mode);
  if (descriptor < 0) return descriptor;
  // Between making and locking somebody may have taken it for a leftover. File systems without locks: no one can.
  const stat = tryLock(libc, descriptor) === -ERRNO.EAGAIN
    ? null
    : statIfNamed(libc, directory, name, descriptor);
  if (stat !== null) return { descriptor, name, stat };
  libc.call(numbers.close, descriptor);
  return -ERRNO.EEXIST;
}

/** Room for several temporary files and directories in one directory, that are cleared together. */
export interface Staging {
  readonly directory: number;
  /** The next name: what gets it is removed by its maker, or after his death with the others. */
  next(): string;
  /** Lets go. What `next` named is gone; where it is not (`false`), it is left to the next who clears. */
  close(clean: boolean): void;
}

/** Holds a slot for what is to be made in the directory; or an error number with its sign turned. */
export function openStaging(libc: Libc, directory: number): Staging | number {
  const held = makeTemporaryFile(libc, directory, 0o600);
  if (typeof held === "number") return held;
  let members = 0;
  return {
    directory,
    next: () => memberName(held.name, members++),
    close(clean) {
      if (clean) libc.call(libc.numbers.unlinkat, directory, libc.path(held.name), 0);
      libc.call(libc.numbers.close, held.descriptor);
    },
  };
}

/** Removes the files of a slot if no writer lives that holds it. True when its name is free. */
function clearLeftover(libc: Libc, directory: number, name: string): boolean {
  const { numbers } = libc;
  const flags = OPEN.RDONLY | OPEN.NONBLOCK | OPEN.NOCTTY | OPEN.CLOEXEC | numbers.O_NOFOLLOW;
  const descriptor = libc.call(numbers.openat, directory, libc.path(name), flags);
  if (descriptor < 0) return descriptor === -ERRNO.ENOENT;
  try {
    const stat = statOf(libc, descriptor);
    if (typeof stat === "number" || stat.type !== "file") return false;
    if (tryLock(libc, descriptor) !== 0) return false;
    if (statIfNamed(libc, directory, name, descriptor) === null) return false;
    clearMembers(libc, directory, memberPrefix(name));
    return libc.call(numbers.unlinkat, directory, libc.path(name), 0) === 0;
  } finally {
    libc.call(numbers.close, descriptor);
  }
}

function clearMembers(libc: Libc, directory: number, prefix: string): void {
  // The descriptor of the directory may have been read before, or be one that cannot be read.
  const descriptor = openDirectoryAt(libc, directory, ".");
  if (descriptor < 0) return;
  const entries = readEntries(libc, descriptor, new Uint8Array(32 * 1024));
  libc.call(libc.numbers.close, descriptor);
  if (typeof entries === "number") return;
  for (const { name } of entries) {
    if (name.startsWith(prefix) && isTemporary(name)) removeTree(libc, directory, name);
  }
}

/** What the descriptor refers to, if the name still leads to it. */
function statIfNamed(
  libc: Libc,
  directory: number,
  name: string,
  descriptor: number,
): Stat | null {
  const held = statOf(libc, descriptor);
  const named = statAt(libc, directory, name);
  const isSame = typeof held === "object" && typeof named === "object" && isSameFile(held, named);
  return isSame ? held : null;
}
