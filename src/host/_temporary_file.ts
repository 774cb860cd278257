/**
 * Temporary files beside their targets: made, held, and cleared away when their writer died.
 *
 * Their names are a few fixed slots, so that finding the leftovers of dead writers takes a few lookups and no
 * listing. A live writer holds `flock(2)` on its file, which the kernel lets go when it dies, in whatever
 * container: process numbers would mean nothing across them. Whoever gets the lock of a slot's file, and finds
 * it still under its name, alone may remove it.
 */

import { ERRNO } from "../sandbox/errno.ts";
import type { Libc } from "../sandbox/libc.ts";
import { OPEN } from "../sandbox/open_without_links.ts";
import { isSameFile, statAt, statOf } from "./_stat.ts";

/** Writers at work in one directory at once that leave nothing behind; more get random names. */
const SLOTS = 8;
/** LOCK_EX | LOCK_NB (include/uapi/asm-generic/fcntl.h) */
const LOCK_WITHOUT_WAITING = 2 | 4;

export interface TemporaryFile {
  readonly descriptor: number;
  readonly name: string;
}

/** Opens a new temporary file in the directory, locked; or an error number with its sign turned. */
export function makeTemporaryFile(
  libc: Libc,
  directory: number,
  mode: number,
): TemporaryFile | number {
  let made: TemporaryFile | number = -ERRNO.EEXIST;
  for (let slot = 0; slot < SLOTS; slot++) {
    const name = `.toolgate-${slot}.tmp`;
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
  return make(libc, directory, `.toolgate-${random.toString(16)}.tmp`, mode);
}

/** `-EEXIST` also where another writer was quicker. */
function make(libc: Libc, directory: number, name: string, mode: number): TemporaryFile | number {
  const { numbers } = libc;
  const flags = OPEN.RDWR | OPEN.CREAT | OPEN.EXCL | OPEN.CLOEXEC | numbers.O_NOFOLLOW;
  const descriptor = libc.call(numbers.openat, directory, libc.path(name), flags, mode);
  if (descriptor < 0) return descriptor;
  // Between making and locking somebody may have taken it for a leftover. File systems without locks: no one can.
  const locked = libc.call(numbers.flock, descriptor, LOCK_WITHOUT_WAITING);
  if (locked !== -ERRNO.EAGAIN && isStillNamed(libc, directory, name, descriptor)) {
    return { descriptor, name };
  }
  libc.call(numbers.close, descriptor);
  return -ERRNO.EEXIST;
}

/** Removes the file of a slot if no writer lives that holds it. True when it is gone. */
function clearLeftover(libc: Libc, directory: number, name: string): boolean {
  const { numbers } = libc;
  const flags = OPEN.RDONLY | OPEN.NONBLOCK | OPEN.NOCTTY | OPEN.CLOEXEC | numbers.O_NOFOLLOW;
  const descriptor = libc.call(numbers.openat, directory, libc.path(name), flags);
  if (descriptor < 0) return descriptor === -ERRNO.ENOENT;
  try {
    const stat = statOf(libc, descriptor);
    if (typeof stat === "number" || stat.type !== "file") return false;
    if (libc.call(numbers.flock, descriptor, LOCK_WITHOUT_WAITING) < 0) return false;
    if (!isStillNamed(libc, directory, name, descriptor)) return false;
    return libc.call(numbers.unlinkat, directory, libc.path(name), 0) === 0;
  } finally {
    libc.call(numbers.close, descriptor);
  }
}

function isStillNamed(libc: Libc, directory: number, name: string, descriptor: number): boolean {
  const held = statOf(libc, descriptor);
  const named = statAt(libc, directory, name);
  return typeof held === "object" && typeof named === "object" && isSameFile(held, named);
}
