/** Looking at paths through `Deno.*`, so that a link that is swapped in is noticed before anything is used. */

import type { FileInfo, FileType } from "../../../core/files.ts";
import { ToolError } from "../../../core/errors.ts";
import { ERRNO } from "../../../sandbox/kernel/errno.ts";
import type { EntryKind, Target } from "../file_backend.ts";
import { changed, notAFile, refusal, requirePermission } from "../../kernel/refusal.ts";

/** What the runtime throws, as a `ToolError`. */
export function attempt<T>(target: Target, action: () => T): T {
  try {
    return action();
  } catch (error) {
    throw meaningOf(target, error);
  }
}

export function meaningOf(target: Target, error: unknown): unknown {
  if (error instanceof Deno.errors.NotFound) {
    return new ToolError("FILE_NOT_FOUND", `"${target.shown}" does not exist`);
  }
  if (error instanceof Deno.errors.PermissionDenied || error instanceof Deno.errors.NotCapable) {
    return new ToolError("NATIVE_DENIED", `"${target.shown}" was refused by the operating system`);
  }
  if (error instanceof Deno.errors.IsADirectory) return notAFile(target, "a directory");
  if (error instanceof Deno.errors.NotADirectory || error instanceof Deno.errors.FilesystemLoop) {
    return changed(target);
  }
  const errno = errnoOf(error);
  // A move between file systems is another matter: that goes on.
  return errno === null || errno === ERRNO.EXDEV ? error : refusal(target, -errno);
}

/** The number behind what the runtime threw. Where it has no name for it, its words tell Linux's. */
export function errnoOf(error: unknown): number | null {
  if (!(error instanceof Error)) return null;
  const named = "code" in error ? ERRNO[error.code as keyof typeof ERRNO] : undefined;
  if (named !== undefined) return named;
  const match = Deno.build.os === "linux" ? / \(os error (\d+)\)/.exec(error.message) : null;
  return match === null ? null : Number(match[1]);
}

/** Null where there is nothing. A link on the way means that the canonical path has changed. */
export function lstat(target: Target): Deno.FileInfo | null {
  try {
    const info = Deno.lstatSync(target.path);
    // Of a link only its folder can be asked: the runtime resolves the rest away.
    const path = info.isSymlink ? parentOf(target.path) : target.path;
    if (Deno.realPathSync(path) !== path) throw changed(target);
    return info;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return null;
    throw error instanceof ToolError ? error : meaningOf(target, error);
  }
}

export function parentOf(path: string): string {
  return path.slice(0, path.lastIndexOf("/")) || "/";
}

export function isSame(a: Deno.FileInfo, b: Deno.FileInfo): boolean {
  return a.dev === b.dev && a.ino === b.ino && a.isFile === b.isFile;
}

/** Other writers replace files while they are opened; so often they are looked at anew. */
const LOOKS = 100;

/** The regular file that was looked at, open for reading. */
export function withFile<T>(
  target: Target,
  use: (file: Deno.FsFile, info: Deno.FileInfo) => T,
): T {
  requirePermission("read", target);
  for (let look = 0; look < LOOKS; look++) {
    const before = lstat(target);
    if (before === null) {
      throw new ToolError("FILE_NOT_FOUND", `"${target.shown}" does not exist`);
    }
    requireFile(target, before);
    const file = attempt(target, () => Deno.openSync(target.path, { read: true }));
    try {
      const info = file.statSync();
      if (isSame(before, info)) return use(file, info);
    } finally {
      file.close();
    }
  }
  throw changed(target);
}

export function requireFile(target: Target, info: Deno.FileInfo): void {
  if (info.isSymlink) throw changed(target);
  if (!info.isFile) throw notAFile(target, info.isDirectory ? "a directory" : "a pipe or device");
}

export function readUpTo(file: Deno.FsFile, most: number): Uint8Array {
  let buffer = new Uint8Array(Math.min(most, 64 * 1024));
  let length = 0;
  while (length < most) {
    if (length === buffer.length) {
      const larger = new Uint8Array(Math.min(2 * length, most));
      larger.set(buffer);
      buffer = larger;
    }
    const count = file.readSync(buffer.subarray(length));
    if (count === null || count === 0) break;
    length += count;
  }
  return buffer.subarray(0, length);
}

export function infoOf(info: Deno.FileInfo): FileInfo {
  return {
    type: typeOf(info),
    size: info.size,
    mode: (info.mode ?? 0) & 0o7777,
    modified: info.mtime?.getTime() ?? 0,
    accessed: info.atime?.getTime() ?? 0,
    created: info.birthtime?.getTime() ?? null,
  };
}

export function typeOf(
  info: Pick<Deno.FileInfo, "isFile" | "isDirectory" | "isSymlink">,
): FileType {
  if (info.isFile) return "file";
  if (info.isDirectory) return "directory";
  return info.isSymlink ? "symlink" : "other";
}

export function kindOf({ isDirectory }: Pick<Deno.FileInfo, "isDirectory">): EntryKind {
  return isDirectory ? "directory" : "file";
}

/** The last part of a path. */
export function nameOf(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}
