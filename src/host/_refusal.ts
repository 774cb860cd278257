/** What an error number of the kernel means to the caller of a file operation. */

import type { ErrorCode } from "../core/errors.ts";
import { ToolError } from "../core/errors.ts";
import { ERRNO, errnoName } from "../sandbox/errno.ts";
import type { Target } from "./file_backend.ts";

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
  if (errno === ERRNO.ELOOP || errno === ERRNO.ENOTDIR) return changed(target);
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

export function notAFile(target: Target, what: string): ToolError {
  return new ToolError("NOT_A_FILE", `"${target.shown}" is ${what}, not a regular file`);
}

export function tooLarge(target: Target, size: number | null, limit: number): ToolError {
  const has = size === null ? `more than ${limit} bytes` : `${size} bytes`;
  return new ToolError(
    "FILE_TOO_LARGE",
    `"${target.shown}" has ${has}; at most ${limit} are read at once`,
    { details: { ...(size === null ? {} : { size }), limit } },
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
 * much, and of which nothing is kept (the runtime remembers every path that it was queried about).
 */
export function requireReadable(target: Target): void {
  try {
    Deno.lstatSync(target.path);
  } catch (error) {
    // Where nothing is there, or may not be looked at by the kernel, opening says so.
    if (error instanceof Deno.errors.NotCapable) requirePermission("read", target);
  }
}
