/**
 * The file handles over `Deno.*`, for platforms without the system calls of `files_linux.ts`, and where
 * FFI is refused. What is opened is compared with what was looked at, so a link that is swapped in is noticed
 * before anything is read; but between the look and the rename of a write there is a moment that only
 * descriptors can close. Owners and extended attributes are kept as far as `Deno.chown` goes.
 */

import { createHash } from "node:crypto";
import type { CanonicalPath } from "../core/capability.ts";
import { ToolError } from "../core/errors.ts";
import type { FileInfo, WalkEntry } from "../core/tool.ts";
import type { FileBackend, Target, WalkOptions, WriteOptions } from "./file_backend.ts";
import { changed, notAFile, requirePermission, tooLarge } from "./_refusal.ts";

export function createPortableFiles(): FileBackend {
  return {
    read(target, limit) {
      return withFile(target, (file, info) => {
        if (info.size > limit) throw tooLarge(target, info.size, limit);
        const bytes = readUpTo(file, limit + 1);
        if (bytes.length > limit) throw tooLarge(target, null, limit);
        return { bytes, info: infoOf(info) };
      });
    },
    readStart(target, count) {
      return withFile(target, (file, info) => ({
        bytes: readUpTo(file, count),
        info: infoOf(info),
      }));
    },
    find(target) {
      requirePermission("read", target);
      const info = lstat(target);
      if (info === null) return null;
      return info.isSymlink
        ? { ...infoOf(info), target: attempt(target, () => Deno.readLinkSync(target.path)) }
        : infoOf(info);
    },
    walk: (target, options) => walk(target, options),
    write,
  };
}

function attempt<T>(target: Target, action: () => T): T {
  try {
    return action();
  } catch (error) {
    throw meaningOf(target, error);
  }
}

function meaningOf(target: Target, error: unknown): unknown {
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
  const code = error instanceof Error && "code" in error ? error.code : null;
  if (code === "ENOSPC" || code === "EDQUOT") {
    return new ToolError("RESOURCE_LIMIT", `"${target.shown}" does not fit: the disk is full`);
  }
  if (code === "EROFS") {
    return new ToolError("NATIVE_DENIED", `"${target.shown}" lies on a read-only file system`);
  }
  return error;
}

/** Null where there is nothing. A link on the way means that the canonical path has changed. */
function lstat(target: Target): Deno.FileInfo | null {
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

function parentOf(path: string): string {
  return path.slice(0, path.lastIndexOf("/")) || "/";
}

function isSame(a: Deno.FileInfo, b: Deno.FileInfo): boolean {
  return a.dev === b.dev && a.ino === b.ino && a.isFile === b.isFile;
}

function withFile<T>(target: Target, use: (file: Deno.FsFile, info: Deno.FileInfo) => T): T {
  requirePermission("read", target);
  const before = lstat(target);
  if (before === null) {
    throw new ToolError("FILE_NOT_FOUND", `"${target.shown}" does not exist`);
  }
  requireFile(target, before);
  const file = attempt(target, () => Deno.openSync(target.path, { read: true }));
  try {
    const info = file.statSync();
    if (!isSame(before, info)) throw changed(target);
    return use(file, info);
  } finally {
    file.close();
  }
}

function requireFile(target: Target, info: Deno.FileInfo): void {
  if (info.isSymlink) throw changed(target);
  if (!info.isFile) throw notAFile(target, info.isDirectory ? "a directory" : "a pipe or device");
}

function readUpTo(file: Deno.FsFile, most: number): Uint8Array {
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

function infoOf(info: Deno.FileInfo): FileInfo {
  return {
    type: typeOf(info),
    size: info.size,
    mode: (info.mode ?? 0) & 0o7777,
    modified: info.mtime?.getTime() ?? 0,
    accessed: info.atime?.getTime() ?? 0,
    created: info.birthtime?.getTime() ?? null,
  };
}

function typeOf(info: Pick<Deno.FileInfo, "isFile" | "isDirectory" | "isSymlink">) {
  if (info.isFile) return "file";
  if (info.isDirectory) return "directory";
  return info.isSymlink ? "symlink" : "other";
}

function* walk(target: Target, options: WalkOptions, depth = 1): Generator<WalkEntry> {
  requirePermission("read", target);
  const info = lstat(target);
  if (info === null) throw new ToolError("FILE_NOT_FOUND", `"${target.shown}" does not exist`);
  if (!info.isDirectory) {
    throw new ToolError("NOT_A_DIRECTORY", `"${target.shown}" is not a directory`);
  }
  const entries = attempt(target, () => [...Deno.readDirSync(target.path)]);
  entries.sort((a, b) => a.name < b.name ? -1 : a.name > b.name ? 1 : 0);
  const admits = options.admit(target.path);
  for (const entry of entries) {
    const path = `${target.path === "/" ? "" : target.path}/${entry.name}` as CanonicalPath;
    if (admits !== null && !admits(path, entry.isDirectory ? "directory" : "file")) continue;
    const shown = options.show(path);
    const type = typeOf(entry);
    const size = options.sizes && type !== "directory" ? lstat({ path, shown })?.size : 0;
    if (size === undefined) continue;
    const given: WalkEntry = { name: entry.name, path: shown, depth, type, size };
    yield given;
    if (type !== "directory" || depth >= options.maxDepth) continue;
    if (options.enter !== undefined && !options.enter(given)) continue;
    try {
      yield* walk({ path, shown }, options, depth + 1);
    } catch (error) {
      // Vanished, replaced or unreadable: given without its entries.
      if (!(error instanceof ToolError)) throw error;
    }
  }
}

function write(
  target: Target,
  bytes: Uint8Array,
  options: WriteOptions,
): { readonly created: boolean } {
  requirePermission("write", target);
  const parent = parentOf(target.path);
  requireParent(target, options.createParents);
  const old = lstat(target);
  if (old !== null) requireFile(target, old);
  if (options.expectedSha256 !== undefined) requireContents(target, old, options.expectedSha256);
  const random = crypto.getRandomValues(new BigUint64Array(1))[0] ?? 0n;
  const temporary = `${parent}/.toolgate-${random.toString(16)}.tmp`;
  try {
    attempt(target, () => {
      // What may not be written may not be replaced either.
      if (old !== null) Deno.openSync(target.path, { write: true }).close();
      const mode = old === null ? 0o666 : 0o600;
      const file = Deno.openSync(temporary, { write: true, createNew: true, mode });
      try {
        for (let done = 0; done < bytes.length;) done += file.writeSync(bytes.subarray(done));
        if (old !== null) keepOwnerAndMode(temporary, file.statSync(), old);
        file.syncSync();
      } finally {
        file.close();
      }
      Deno.renameSync(temporary, target.path);
    });
  } catch (error) {
    try {
      Deno.removeSync(temporary);
    } catch {
      // It was never made, or has its new name.
    }
    throw error;
  }
  return { created: old === null };
}

/** Makes the missing directories, if what they are to be made in is where it was judged to be. */
function requireParent(target: Target, create: boolean): void {
  const parent = parentOf(target.path);
  let path = parent;
  let info = lstat({ ...target, path: path as CanonicalPath });
  while (info === null && path !== "/") {
    path = parentOf(path);
    info = lstat({ ...target, path: path as CanonicalPath });
  }
  if (info?.isDirectory !== true) throw changed(target);
  if (path === parent) return;
  if (!create) {
    throw new ToolError(
      "FILE_NOT_FOUND",
      `the directory of "${target.shown}" does not exist; make it, or let the call create parents`,
    );
  }
  attempt(target, () => Deno.mkdirSync(parent, { recursive: true }));
}

function keepOwnerAndMode(path: string, own: Deno.FileInfo, old: Deno.FileInfo): void {
  if (Deno.build.os === "windows") return;
  if (own.uid !== old.uid || own.gid !== old.gid) Deno.chownSync(path, old.uid, old.gid);
  if (old.mode !== null) Deno.chmodSync(path, old.mode & 0o1777);
}

function requireContents(target: Target, old: Deno.FileInfo | null, expected: string): void {
  const actual = old === null ? null : withFile(
    target,
    (file) => createHash("sha256").update(readUpTo(file, Number.MAX_SAFE_INTEGER)).digest("hex"),
  );
  if (actual === expected.toLowerCase()) return;
  const what = actual === null ? "was removed" : "has changed";
  throw new ToolError(
    "STALE_FILE",
    `"${target.shown}" ${what} since it was read; read it again before writing`,
  );
}
