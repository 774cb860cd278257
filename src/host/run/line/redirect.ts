/** PendingOpen what a line redirects to and from: the file that was judged, or none. */

import type { CanonicalPath } from "../../../core/capability.ts";
import { ERRNO } from "../../../sandbox/kernel/errno.ts";
import type { Libc } from "../../../sandbox/kernel/libc.ts";
import { OPEN, openWithoutLinks } from "../../../sandbox/kernel/open_without_links.ts";
import { DEVICES } from "../../../sandbox/system_paths.ts";
import { close } from "../../kernel/pipes.ts";
import { statOf } from "../../kernel/stat.ts";

/** What a redirection does with its file. */
export type FileKind = "read" | "write" | "append" | "read-write";

/** A file that a line redirects to or from. */
export interface WantedFile {
  readonly kind: FileKind;
  readonly path: CanonicalPath;
  /** What the mode of a new one begins without, in place of this process's own (umask(2)). */
  readonly mask?: number;
}

/** O_TRUNC, O_APPEND (include/uapi/asm-generic/fcntl.h) */
const O_TRUNC = 0o1000;
const O_APPEND = 0o2000;
const FLAGS: Readonly<Record<FileKind, number>> = {
  read: OPEN.RDONLY,
  write: OPEN.WRONLY | OPEN.CREAT | O_TRUNC,
  append: OPEN.WRONLY | OPEN.CREAT | O_APPEND,
  "read-write": OPEN.RDWR | OPEN.CREAT,
};
/** What new files get, less the umask (POSIX, 2.7.2: as by `creat`). */
const NEW_MODE = 0o666;
/** F_SETFL (include/uapi/asm-generic/fcntl.h) */
const F_SETFL = 4;
/** Of a file that others make and remove meanwhile. */
const MOST_TRIES = 8;

/** What shells say (strerror(3)). */
const MESSAGES: ReadonlyMap<number, string> = new Map([
  [ERRNO.ENOENT, "No such file or directory"],
  [ERRNO.EACCES, "Permission denied"],
  [ERRNO.EPERM, "Operation not permitted"],
  [ERRNO.EISDIR, "Is a directory"],
  [ERRNO.ENOTDIR, "Not a directory"],
  [ERRNO.ELOOP, "The path changed while it was being judged"],
  [ERRNO.EROFS, "Read-only file system"],
  [ERRNO.ENOSPC, "No space left on device"],
  [ERRNO.EDQUOT, "Disk quota exceeded"],
  [ERRNO.EMFILE, "Too many open files"],
  [ERRNO.ENFILE, "Too many open files in system"],
  [ERRNO.ENXIO, "Not a regular file"],
]);

/** What a shell says of an error number. */
export function messageOf(errno: number): string {
  return MESSAGES.get(errno) ?? `error ${errno}`;
}

/**
 * A descriptor of the file at a canonical path, or an error number with its sign turned. Links are not followed: one
 * that took the judged path's place is ELOOP. Only regular files and the few harmless devices are opened (ENXIO):
 * a FIFO would hold up the thread that opens it.
 */
export function openFile(libc: Libc, file: WantedFile): number {
  const { kind, path } = file;
  const device = DEVICES.some((one) => one.path === path);
  const right = kind === "read" ? "read" : "write";
  if (!device && Deno.permissions.querySync({ name: right, path }).state !== "granted") {
    return -ERRNO.EACCES;
  }
  const descriptor = openOrMake(libc, file);
  if (descriptor < 0) return descriptor;
  const stat = statOf(libc, descriptor);
  const type = typeof stat === "number" ? "other" : stat.type;
  if (!device && type !== "file") {
    close(libc, descriptor);
    return type === "directory" && kind !== "read" ? -ERRNO.EISDIR : -ERRNO.ENXIO;
  }
  // Programs do not expect to be told that they would have to wait.
  libc.call(libc.numbers.fcntl, descriptor, F_SETFL, kind === "append" ? O_APPEND : 0);
  return descriptor;
}

function openOrMake(libc: Libc, { kind, path, mask }: WantedFile): number {
  const flags = FLAGS[kind] | OPEN.NOCTTY | OPEN.NONBLOCK;
  if ((flags & OPEN.CREAT) === 0) return openWithoutLinks(libc, path, flags, 0);
  if (mask === undefined) return openWithoutLinks(libc, path, flags, NEW_MODE);
  const mode = NEW_MODE & ~mask;
  // This process's own mask may take more off: what was made is told from what was there.
  for (let tries = 0; tries < MOST_TRIES; tries++) {
    const there = openWithoutLinks(libc, path, flags & ~OPEN.CREAT, 0);
    if (there !== -ERRNO.ENOENT) return there;
    const made = openWithoutLinks(libc, path, flags | OPEN.EXCL, mode);
    if (made >= 0) libc.call(libc.numbers.fchmod, made, mode);
    if (made !== -ERRNO.EEXIST) return made;
  }
  return -ERRNO.ELOOP;
}

/** As `openFile`; what this thread may not open is asked for from another. */
export async function openFileAnywhere(
  libc: Libc,
  file: WantedFile,
  elsewhere: (file: WantedFile) => Promise<number>,
): Promise<number> {
  const opened = openFile(libc, file);
  return opened === -ERRNO.EACCES ? await elsewhere(file) : opened;
}
