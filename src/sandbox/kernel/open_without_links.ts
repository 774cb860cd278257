/** PendingOpen an absolute path so that no symbolic link on the way is ever followed. */

import { ERRNO } from "./errno.ts";
import type { Libc } from "./libc.ts";

/** Flags of `open(2)` that are the same on both architectures (include/uapi/asm-generic/fcntl.h). */
export const OPEN = {
  RDONLY: 0,
  WRONLY: 0o1,
  RDWR: 0o2,
  CREAT: 0o100,
  EXCL: 0o200,
  NOCTTY: 0o400,
  NONBLOCK: 0o4000,
  CLOEXEC: 0o2000000,
  PATH: 0o10000000,
} as const;

/** "Relative to the working directory" (include/uapi/linux/fcntl.h). */
export const AT_FDCWD = -100;

/** RESOLVE_NO_MAGICLINKS | RESOLVE_NO_SYMLINKS (include/uapi/linux/openat2.h). */
const RESOLVE_NO_LINKS = 0x02 | 0x04;
/** sizeof(struct open_how) (include/uapi/linux/openat2.h). */
const OPEN_HOW_SIZE = 24;

/**
 * Opens an absolute path without following links: a descriptor, or an error number with its sign turned.
 * A link in the way is `-ELOOP` (or `-ENOTDIR` from the second way). O_NOFOLLOW and O_CLOEXEC are always
 * set, so O_PATH on a link that is the last part gives the link itself. `openat2(2)` does it in one call;
 * where the kernel or a container's system call filter refuses that, one `openat` a component does.
 */
export function openWithoutLinks(libc: Libc, path: string, flags: number, mode = 0): number {
  const all = flags | OPEN.CLOEXEC | libc.numbers.O_NOFOLLOW;
  const opened = openHow(libc, path, all, mode);
  if (opened !== -ERRNO.ENOSYS && opened !== -ERRNO.EPERM) return opened;
  return openByComponents(libc, path, all, mode);
}

/**
 * Whether there is no link on the way of an absolute path nor at its end, as far as there is anything of it; false also
 * where that cannot be told in one call. The path has no empty parts, no `.` and no `..`.
 */
export function isWithoutLinks(libc: Libc, path: string): boolean {
  const opened = openHow(libc, path, OPEN.PATH | OPEN.CLOEXEC, 0);
  if (opened >= 0) libc.call(libc.numbers.close, opened);
  // A link would have been refused before what is missing behind it, and at the end, too, where it is the last part.
  return opened >= 0 || opened === -ERRNO.ENOENT;
}

function openHow(libc: Libc, path: string, flags: number, mode: number): number {
  const { numbers, struct, structAddress } = libc;
  struct.setInt32(0, flags, true);
  struct.setInt32(4, 0, true);
  struct.setInt32(8, mode, true);
  struct.setInt32(12, 0, true);
  struct.setInt32(16, RESOLVE_NO_LINKS, true);
  struct.setInt32(20, 0, true);
  return libc.call(numbers.openat2, AT_FDCWD, libc.path(path), structAddress, OPEN_HOW_SIZE);
}

function openByComponents(libc: Libc, path: string, flags: number, mode: number): number {
  const { numbers } = libc;
  const passage = OPEN.PATH | OPEN.CLOEXEC | numbers.O_DIRECTORY | numbers.O_NOFOLLOW;
  const components = path.split("/").filter((component) => component !== "");
  const last = components.pop();
  let directory = libc.call(numbers.openat, AT_FDCWD, libc.path("/"), passage);
  for (const component of components) {
    if (directory < 0) return directory;
    const next = libc.call(numbers.openat, directory, libc.path(component), passage);
    libc.call(numbers.close, directory);
    directory = next;
  }
  if (directory < 0) return directory;
  const opened = libc.call(numbers.openat, directory, libc.path(last ?? "."), flags, mode);
  libc.call(numbers.close, directory);
  return opened;
}
