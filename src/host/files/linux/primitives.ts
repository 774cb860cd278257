/** All primitives, by system calls of this thread. */

import type { Durability } from "../../../core/files.ts";
import { nameText } from "../../../core/name_text.ts";
import { ERRNO } from "../../../sandbox/kernel/errno.ts";
import type { Libc } from "../../../sandbox/kernel/libc.ts";
import { CANNOT, type FilePrimitives, type Handle, type Name, type Result } from "../primitives.ts";
import { copyAttributes, copyLinkAttributes, copyTimes } from "./_attributes.ts";
import { createLinuxReadPrimitives } from "./reading_primitives.ts";

/** include/uapi/linux/fcntl.h */
const AT_REMOVEDIR = 0x200;
/** include/uapi/linux/fs.h */
const RENAME_NOREPLACE = 1;
const RENAME_EXCHANGE = 2;
/** FICLONE (include/uapi/linux/fs.h): the same blocks for both files, where the file system shares them. */
const FICLONE = 0x40049409;
/** lseek(2): include/uapi/linux/fs.h */
const SEEK_SET = 0;
const SEEK_DATA = 3;
const SEEK_HOLE = 4;
/** LOCK_EX | LOCK_NB (include/uapi/asm-generic/fcntl.h) */
const LOCK_WITHOUT_WAITING = 2 | 4;
/** LOCK_UN */
const UNLOCK = 8;
/** "As it is", of an owner (chown(2)). */
const UNCHANGED = -1;

/** What copy_file_range(2) says of files that it does not do. */
const NOT_IN_KERNEL: ReadonlySet<number> = new Set([
  ERRNO.EXDEV,
  ERRNO.EINVAL,
  ERRNO.ENOSYS,
  ERRNO.EOPNOTSUPP,
  ERRNO.EPERM,
  ERRNO.EBADF,
]);

/** See {@linkcode createLinuxReadPrimitives}. */
export function createLinuxPrimitives(
  libc: Libc,
  durability: Durability = "full",
): FilePrimitives {
  const { numbers } = libc;
  const rename = (from: Name, to: Name, flags: number): Result =>
    libc.call(
      numbers.renameat2,
      from.directory,
      libc.path(from.name, 0),
      to.directory,
      libc.path(to.name, 1),
      flags,
    );
  /** Network file systems know no flags, and say EINVAL. */
  const renameWith = (from: Name, to: Name, flag: number): Result => {
    const result = rename(from, to, flag);
    return result === -ERRNO.EINVAL ? CANNOT : result;
  };
  const reading = createLinuxReadPrimitives(libc);
  let left: Handle | null = null;
  const settle = (): void => {
    if (left !== null) reading.close(left);
    left = null;
  };
  return {
    ...reading,
    durability,
    closeLater(handle) {
      settle();
      libc.call(numbers.flock, handle, UNLOCK);
      left = handle;
    },
    settle,
    write: (handle, bytes) => libc.transfer(numbers.write, handle, bytes, bytes.length),
    seek: (handle, offset) => libc.callWide(numbers.lseek, handle, offset, SEEK_SET),
    seekNext: (handle, what, offset) =>
      libc.callWide(numbers.lseek, handle, offset, what === "data" ? SEEK_DATA : SEEK_HOLE),
    truncate: (handle, size) => libc.call(numbers.ftruncate, handle, size),
    clone: (from, to) => libc.call(numbers.ioctl, to, FICLONE, from),
    copyRange(from, to, count) {
      const copied = libc.callWide(numbers.copyFileRange, from, 0, to, 0, count, 0);
      return copied < 0 && NOT_IN_KERNEL.has(-copied) ? CANNOT : copied;
    },

    makeDirectoryAt: (directory, name, mode) =>
      libc.call(numbers.mkdirat, directory, libc.path(name), mode),
    linkAt: (from, to) =>
      libc.call(
        numbers.linkat,
        from.directory,
        libc.path(from.name, 0),
        to.directory,
        libc.path(to.name, 1),
        0,
      ),
    symlinkAt: (text, to) =>
      libc.call(
        numbers.symlinkat,
        libc.path(nameText(text), 0),
        to.directory,
        libc.path(to.name, 1),
      ),
    unlinkAt: (directory, name, kind) =>
      libc.call(
        numbers.unlinkat,
        directory,
        libc.path(name),
        kind === "directory" ? AT_REMOVEDIR : 0,
      ),
    renameOver: (from, to) => rename(from, to, 0),
    renameNew: (from, to) => renameWith(from, to, RENAME_NOREPLACE),
    exchange: (from, to) => renameWith(from, to, RENAME_EXCHANGE),

    tryLock: (handle) => libc.call(numbers.flock, handle, LOCK_WITHOUT_WAITING),
    sync: (handle) => libc.call(numbers.fsync, handle),
    syncAll: (directory) => libc.call(numbers.syncfs, directory),

    setMode: (handle, mode) => libc.call(numbers.fchmod, handle, mode),
    setOwner: (handle, { user, group }) =>
      libc.call(numbers.fchown, handle, user ?? UNCHANGED, group),
    copyTimes: (from, to) => copyTimes(libc, from, to),
    copyAttributes: (from, to) => copyAttributes(libc, from, to),
    copyLinkAttributes: (from, to, options) => copyLinkAttributes(libc, from, to, options),
  };
}
