/** The directory that a write goes to, opened without following links, and made where it is wanted. */

import { ToolError } from "../core/errors.ts";
import { ERRNO } from "../sandbox/errno.ts";
import type { Libc } from "../sandbox/libc.ts";
import { OPEN, openWithoutLinks } from "../sandbox/open_without_links.ts";
import type { Target } from "./file_backend.ts";
import { refusal } from "./_refusal.ts";

/** Before the umask (mkdir(1)). */
const NEW_DIRECTORY_MODE = 0o777;

/**
 * A descriptor of the directory of `target`. Missing directories are made one by one, each from its parent's
 * descriptor. Throws FILE_NOT_FOUND where it is missing and not to be made, NATIVE_DENIED, RESOURCE_LIMIT.
 */
export function openParent(libc: Libc, target: Target, create: boolean): number {
  const parent = target.path.slice(0, target.path.lastIndexOf("/")) || "/";
  const missing: string[] = [];
  let path = parent;
  for (;;) {
    const descriptor = openDirectory(libc, path);
    if (descriptor >= 0) return makeBelow(libc, target, descriptor, missing);
    if (descriptor !== -ERRNO.ENOENT || path === "/") throw refusal(target, descriptor);
    if (!create) {
      throw new ToolError(
        "FILE_NOT_FOUND",
        `the directory of "${target.shown}" does not exist; make it, or let the call create parents`,
      );
    }
    const cut = path.lastIndexOf("/");
    missing.unshift(path.slice(cut + 1));
    path = path.slice(0, cut) || "/";
  }
}

/** Readable where it may be, so that it can be synced; a directory that may only be written to will do. */
function openDirectory(libc: Libc, path: string): number {
  const { O_DIRECTORY } = libc.numbers;
  const descriptor = openWithoutLinks(libc, path, OPEN.RDONLY | O_DIRECTORY);
  return descriptor === -ERRNO.EACCES
    ? openWithoutLinks(libc, path, OPEN.PATH | O_DIRECTORY)
    : descriptor;
}

/** Goes down from `descriptor`, which is closed on the way, through directories that it makes. */
function makeBelow(
  libc: Libc,
  target: Target,
  descriptor: number,
  names: readonly string[],
): number {
  const { numbers } = libc;
  const flags = OPEN.RDONLY | OPEN.CLOEXEC | numbers.O_DIRECTORY | numbers.O_NOFOLLOW;
  let directory = descriptor;
  for (const name of names) {
    const made = libc.call(numbers.mkdirat, directory, libc.path(name), NEW_DIRECTORY_MODE);
    // Somebody else may have made it just now: then what it is shows when it is opened.
    const below = made < 0 && made !== -ERRNO.EEXIST
      ? made
      : libc.call(numbers.openat, directory, libc.path(name), flags);
    if (made === 0) libc.call(numbers.fsync, directory);
    libc.call(numbers.close, directory);
    if (below < 0) throw refusal(target, below);
    directory = below;
  }
  return directory;
}
