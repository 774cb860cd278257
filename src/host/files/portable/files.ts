/**
 * The file handles over `Deno.*`, for platforms without the system calls of `files_linux.ts`, and where
 * FFI is refused. What is opened is compared with what was looked at, so a link that is swapped in is noticed
 * before anything is read; but between the look and the rename of a write there is a moment that only
 * descriptors can close. Owners and times are kept as far as the runtime goes, extended attributes are not, and
 * names that are no UTF-8 cannot be reached.
 */

import type { CanonicalPath } from "../../../core/capability.ts";
import { ToolError } from "../../../core/errors.ts";
import type { WalkEntry } from "../../../core/files.ts";
import type { FileBackend, Target, WalkOptions } from "../file_backend.ts";
import { backUp, listBackups, restore } from "./_backup.ts";
import { applyChanges } from "./_apply.ts";
import { appendFile, writeFile } from "./_replace.ts";
import { copyEntry, moveEntry } from "./_transfer.ts";
import { createDirectory, removeEntry, survey } from "./_trees.ts";
import { attempt, infoOf, lstat, readUpTo, typeOf, withFile } from "./_paths.ts";
import { requirePermission, tooLarge } from "../../kernel/refusal.ts";

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
    survey,
    backups: listBackups,
    write: writeFile,
    append: appendFile,
    apply: applyChanges,
    backUp,
    restore,
    remove: removeEntry,
    copy: copyEntry,
    move: moveEntry,
    createDirectory,
  };
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
