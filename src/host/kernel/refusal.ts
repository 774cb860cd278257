/** What an error number of the kernel means to the caller of a file operation. */

import { existsSync } from "node:fs";
import type { ErrorCode } from "../../core/errors.ts";
import type { FileType } from "../../core/files.ts";
import { ToolError } from "../../core/errors.ts";
import { ERRNO, errnoName } from "../../sandbox/kernel/errno.ts";
import type { Target, TreeTarget } from "../files/file_backend.ts";

const MEANINGS: ReadonlyMap<number, readonly [ErrorCode, string]> = new Map(
  [
    [ERRNO.ENOENT, ["FILE_NOT_FOUND", "does not exist"]],
    [ERRNO.EISDIR, ["NOT_A_FILE", "is a directory"]],
    [ERRNO.ENXIO, ["NOT_A_FILE", "is no regular file"]],
    [ERRNO.EACCES, [
      "NATIVE_DENIED",
      "was refused by the operating system: file permissions, or the kernel rules Toolgate runs under",
    ]],
    [ERRNO.EPERM, [
      "NATIVE_DENIED",
      "was refused by the operating system (operation not permitted)",
    ]],
    [ERRNO.EROFS, ["NATIVE_DENIED", "lies on a read-only file system"]],
    [ERRNO.ENOSPC, ["RESOURCE_LIMIT", "does not fit: the disk is full"]],
    [ERRNO.EDQUOT, ["RESOURCE_LIMIT", "does not fit: the disk quota is used up"]],
    [ERRNO.EFBIG, ["RESOURCE_LIMIT", "is larger than the file system or the process may write"]],
    [ERRNO.EMFILE, ["RESOURCE_LIMIT", "cannot be opened: this process has too many open files"]],
    [ERRNO.ENFILE, ["RESOURCE_LIMIT", "cannot be opened: the machine has too many open files"]],
    [ERRNO.ENOMEM, ["RESOURCE_LIMIT", "cannot be opened: the machine is out of memory"]],
    [ERRNO.ENAMETOOLONG, ["INVALID_ARGUMENTS", "has too long a name for this file system"]],
  ] as const,
);

/** The error for `-result` of a system call on `target`. */
export function refusal(target: Target, result: number): ToolError {
  const errno = -result;
  // A canonical path has no links, and only directories before its last part.
  if (errno === ERRNO.ELOOP || errno === ERRNO.ENOTDIR || errno === ERRNO.ESTALE) {
    return changed(target);
  }
  const meaning = MEANINGS.get(errno);
  if (meaning === undefined) {
    return new ToolError("EXECUTION_ERROR", `"${target.shown}" failed with ${errnoName(errno)}`);
  }
  return new ToolError(meaning[0], `"${target.shown}" ${meaning[1]}`);
}

/** A link or a file stands where the judged path had a directory, or another file has taken the name. */
export function changed(target: Target): ToolError {
  return new ToolError(
    "NATIVE_DENIED",
    `"${target.shown}": the path changed while it was being judged; try again`,
  );
}

/** `what` happened to the file since the caller read it. */
export function stale(target: Target, what: string): ToolError {
  return new ToolError(
    "STALE_FILE",
    `"${target.shown}" ${what} since it was read; read it again before writing`,
  );
}

/** FILE_EXISTS: the name was to be free. */
export function exists(target: Target): ToolError {
  return new ToolError(
    "FILE_EXISTS",
    `"${target.shown}" exists; allow the call to overwrite, or name another path`,
  );
}

/** What stands at the destination is not to be replaced by anything. */
export function inTheWay(target: Target, type: FileType): ToolError {
  const what = type === "symlink" ? "a symbolic link" : type === "other" ? "no file" : `a ${type}`;
  const advice = type === "directory"
    ? "name the new entry in it"
    : "only a file is ever overwritten, and by a file: remove it first, or name another path";
  return new ToolError("FILE_EXISTS", `"${target.shown}" exists and is ${what}; ${advice}`);
}

/** NOT_A_FILE: `what` is there. */
export function notAFile(target: Target, what: string): ToolError {
  return new ToolError("NOT_A_FILE", `"${target.shown}" is ${what}, not a regular file`);
}

/** FILE_TOO_LARGE. `size` in bytes; null where the file does not say. */
export function tooLarge(target: Target, size: number | null, limit: number): ToolError {
  const has = size === null ? `more than ${limit} bytes` : `${size} bytes`;
  return new ToolError(
    "FILE_TOO_LARGE",
    `"${target.shown}" has ${has}; at most ${limit} are read at once`,
    { details: { ...(size === null ? {} : { size }), limit } },
  );
}

/** The error of a change of a whole tree, some of which the policy protects. */
export function protectedBelow(target: Target, refused: number, verb: string): ToolError {
  const what = refused === 1 ? "1 entry" : `${refused} entries`;
  return new ToolError(
    "PATH_DENIED",
    `"${target.shown}" cannot be ${verb} as a whole: the policy protects ${what} in it; nothing was changed. ` +
      `Name what lies in it one by one`,
    { details: { refused } },
  );
}

/** INVALID_ARGUMENTS: a directory with something in it was to be removed alone. */
export function notEmpty(target: Target): ToolError {
  return new ToolError(
    "INVALID_ARGUMENTS",
    `"${target.shown}" is a directory that is not empty; pass recursive: true to remove all in it`,
  );
}

/** The runtime's own permission set, which FFI would pass by: asked before each path is touched. */
export function requirePermission(name: "read" | "write", target: Target): void {
  if (Deno.permissions.querySync({ name, path: target.path }).state === "granted") return;
  throw new ToolError(
    "NATIVE_DENIED",
    `"${target.shown}": the runtime's permission set of this thread does not let it ${name} there`,
  );
}

/**
 * As {@linkcode requirePermission} for reading a file: by an operation of the runtime's own, which costs half as
 * much, and of which nothing is kept (the runtime remembers every path that it was queried about). It throws for what
 * may not be read alone: what is not there is no error, which would cost ten times as much.
 */
export function requireReadable(target: Target): void {
  try {
    existsSync(target.path);
  } catch (error) {
    // Where nothing is there, or may not be looked at by the kernel, opening says so.
    if (error instanceof Deno.errors.NotCapable) requirePermission("read", target);
  }
}

/**
 * A tree as far as the runtime's permission set lets this thread go: a sealed build may deny parts of what it allows,
 * and system calls would pass that by.
 */
export function withPermission(name: "read" | "write", tree: TreeTarget): TreeTarget {
  const { partial } = Deno.permissions.querySync({ name, path: tree.path });
  if (!partial) return tree;
  return {
    ...tree,
    admit: (directory) => {
      const admits = tree.admit(directory);
      return (path, kind) =>
        Deno.permissions.querySync({ name, path }).state === "granted" &&
        (admits === null || admits(path, kind));
    },
  };
}
