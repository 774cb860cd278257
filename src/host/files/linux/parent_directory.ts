/** The directory that a write goes to, opened without following links, and made where it is wanted. */

import { ToolError } from "../../../core/errors.ts";
import { ERRNO } from "../../../sandbox/kernel/errno.ts";
import type { Libc } from "../../../sandbox/kernel/libc.ts";
import { OPEN, openWithoutLinks } from "../../../sandbox/kernel/open_without_links.ts";
import type { Target } from "../file_backend.ts";
import { refusal } from "../../kernel/refusal.ts";

/** Before the umask (mkdir(1)). */
export const NEW_DIRECTORY_MODE = 0o777;
/** include/uapi/linux/fcntl.h */
export const AT_REMOVEDIR = 0x200;

export interface ParentDirectory {
  readonly descriptor: number;
  /** Directories that were made for it, each in the one before. */
  readonly made: readonly string[];
}

/**
 * A descriptor of the directory of `target`. Missing directories are made one by one, each from its parent's
 * descriptor. Throws FILE_NOT_FOUND where it is missing and not to be made, NATIVE_DENIED, RESOURCE_LIMIT.
 */
export function openParent(libc: Libc, target: Target, create: boolean): ParentDirectory {
  const missing: string[] = [];
  let path = parentOf(target.path);
  for (;;) {
    const descriptor = openDirectory(libc, path);
    if (descriptor >= 0) {
      return missing.length === 0
        ? { descriptor, made: [] }
        : makeBelow(libc, target, { descriptor, path }, missing);
    }
    if (descriptor !== -ERRNO.ENOENT || path === "/") throw refusal(target, descriptor);
    if (!create) {
      throw new ToolError(
        "FILE_NOT_FOUND",
        `the directory of "${target.shown}" does not exist; make it, or let the call create parents`,
      );
    }
    missing.unshift(path.slice(path.lastIndexOf("/") + 1));
    path = parentOf(path);
  }
}

/** A canonical path has no trailing slash and no dots. */
export function parentOf(path: string): string {
  return path.slice(0, path.lastIndexOf("/")) || "/";
}

/** Readable where it may be, so that it can be synced; a directory that may only be written to will do. */
function openDirectory(libc: Libc, path: string): number {
  const { O_DIRECTORY } = libc.numbers;
  const descriptor = openWithoutLinks(libc, path, OPEN.RDONLY | O_DIRECTORY);
  return descriptor === -ERRNO.EACCES
    ? openWithoutLinks(libc, path, OPEN.PATH | O_DIRECTORY)
    : descriptor;
}

/** Goes down from a directory, whose descriptor is closed on the way, through directories that it makes. */
function makeBelow(
  libc: Libc,
  target: Target,
  start: { readonly descriptor: number; readonly path: string },
  names: readonly string[],
): ParentDirectory {
  const { numbers } = libc;
  const flags = OPEN.RDONLY | OPEN.CLOEXEC | numbers.O_DIRECTORY | numbers.O_NOFOLLOW;
  const made: string[] = [];
  let { descriptor, path } = start;
  for (const name of names) {
    path = `${path === "/" ? "" : path}/${name}`;
    const result = libc.call(numbers.mkdirat, descriptor, libc.path(name), NEW_DIRECTORY_MODE);
    // Somebody else may have made it just now: then what it is shows when it is opened.
    const below = result < 0 && result !== -ERRNO.EEXIST
      ? result
      : libc.call(numbers.openat, descriptor, libc.path(name), flags);
    if (result === 0) {
      made.push(path);
      libc.call(numbers.fsync, descriptor);
    }
    libc.call(numbers.close, descriptor);
    if (below < 0) {
      removeMade(libc, made);
      throw refusal(target, below);
    }
    descriptor = below;
  }
  return { descriptor, made };
}

/** Takes directories back that were made for nothing, the last first, as far as they are empty. */
export function removeMade(libc: Libc, made: readonly string[]): void {
  for (const path of made.toReversed()) {
    const parent = openDirectory(libc, parentOf(path));
    if (parent < 0) return;
    const name = path.slice(path.lastIndexOf("/") + 1);
    const removed = libc.call(libc.numbers.unlinkat, parent, libc.path(name), AT_REMOVEDIR);
    libc.call(libc.numbers.close, parent);
    if (removed < 0) return;
  }
}
