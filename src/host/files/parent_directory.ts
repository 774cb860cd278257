/** The directory that a path lies in, opened without following links, and made where it is wanted. */

import { baseName, parentOf } from "../../core/path_text.ts";
import type { CanonicalPath } from "../../core/capability.ts";
import { ToolError } from "../../core/errors.ts";
import { ERRNO } from "../../sandbox/kernel/errno.ts";
import { refusal } from "../kernel/refusal.ts";
import type { Target } from "./file_backend.ts";
import type { FilePrimitives, Handle, ReadPrimitives, Result } from "./primitives.ts";

/** Before the umask (mkdir(1)). */
export const NEW_DIRECTORY_MODE = 0o777;

/** The directory of a target, open, and what was made for it. */
export interface ParentDirectory {
  readonly parent: Handle;
  /** Directories that were made for it, each in the one before. */
  readonly made: readonly CanonicalPath[];
}

/** The primitives that this takes. */
export type ParentPrimitives = Pick<
  FilePrimitives,
  "openPath" | "openAt" | "makeDirectoryAt" | "unlinkAt" | "sync" | "close"
>;

/** The last part of a path; `.` of `/`. */
export function nameIn(path: string): string {
  return baseName(path) || ".";
}

/** A handle of the directory of `target`. Throws FILE_NOT_FOUND where it is missing, NATIVE_DENIED, RESOURCE_LIMIT. */
export function openParent(files: Pick<ReadPrimitives, "openPath">, target: Target): Handle {
  const parent = openDirectory(files, parentOf(target.path));
  if (parent === -ERRNO.ENOENT) throw noParent(target);
  if (parent < 0) throw refusal(target, parent);
  return parent;
}

function noParent({ shown }: Target): ToolError {
  return new ToolError(
    "FILE_NOT_FOUND",
    `the directory of "${shown}" does not exist; make it, or let the call create parents`,
  );
}

/** As {@linkcode openParent}; with `create` missing directories are made one by one, each in its parent's handle. */
export function openNewParent(
  files: ParentPrimitives,
  target: Target,
  create: boolean,
): ParentDirectory {
  const missing: string[] = [];
  let path = parentOf(target.path);
  for (;;) {
    const parent = openDirectory(files, path);
    if (parent >= 0) {
      return missing.length === 0
        ? { parent, made: [] }
        : makeBelow(files, target, { parent, path }, missing);
    }
    if (parent !== -ERRNO.ENOENT || path === "/") throw refusal(target, parent);
    if (!create) throw noParent(target);
    missing.unshift(nameIn(path));
    path = parentOf(path);
  }
}

/** Readable where it may be, so that it can be synced; a directory that may only be gone through will do. */
function openDirectory(
  files: Pick<ReadPrimitives, "openPath">,
  path: CanonicalPath,
): Handle | Result {
  const parent = files.openPath(path, "directory");
  return parent === -ERRNO.EACCES ? files.openPath(path, "passage") : parent;
}

/** Goes down from a directory, whose handle is closed on the way, through directories that it makes. */
function makeBelow(
  files: ParentPrimitives,
  target: Target,
  start: { readonly parent: Handle; readonly path: CanonicalPath },
  names: readonly string[],
): ParentDirectory {
  const made: CanonicalPath[] = [];
  let { parent, path } = start;
  for (const name of names) {
    path = `${path === "/" ? "" : path}/${name}` as CanonicalPath;
    const result = files.makeDirectoryAt(parent, name, NEW_DIRECTORY_MODE);
    // Somebody else may have made it just now: then what it is shows when it is opened.
    const below = result < 0 && result !== -ERRNO.EEXIST
      ? result
      : files.openAt(parent, name, "directory");
    if (result === 0) {
      made.push(path);
      files.sync(parent);
    }
    files.close(parent);
    if (below < 0) {
      removeMade(files, made);
      throw refusal(target, below);
    }
    parent = below;
  }
  return { parent, made };
}

/** Takes directories back that were made for nothing, the last first, as far as they are empty. */
export function removeMade(files: ParentPrimitives, made: readonly CanonicalPath[]): void {
  for (const path of made.toReversed()) {
    const parent = openDirectory(files, parentOf(path));
    if (parent < 0) return;
    const removed = files.unlinkAt(parent, nameIn(path), "directory");
    files.close(parent);
    if (removed < 0) return;
  }
}
