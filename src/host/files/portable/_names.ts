/** Making and freeing names through `Deno.*`. */

import type { CanonicalPath } from "../../../core/capability.ts";
import { ToolError } from "../../../core/errors.ts";
import type { Target } from "../file_backend.ts";
import { attempt, lstat, nameOf, parentOf } from "./_paths.ts";
import { changed } from "../../kernel/refusal.ts";

/**
 * Makes the missing directories, if what they are to be made in is where it was judged to be: those that were made,
 * each in the one before.
 */
export function requireParent(target: Target, create: boolean): readonly string[] {
  const missing: string[] = [];
  let path = parentOf(target.path);
  let info = lstat({ ...target, path: path as CanonicalPath });
  while (info === null && path !== "/") {
    missing.unshift(path);
    path = parentOf(path);
    info = lstat({ ...target, path: path as CanonicalPath });
  }
  if (info?.isDirectory !== true) throw changed(target);
  if (missing.length > 0 && !create) {
    throw new ToolError(
      "FILE_NOT_FOUND",
      `the directory of "${target.shown}" does not exist; make it, or let the call create parents`,
    );
  }
  for (const directory of missing) {
    attempt(target, () => Deno.mkdirSync(directory, { recursive: true }));
  }
  return missing;
}

/** Takes directories back that were made for nothing, as far as they are empty. */
export function removeMade(made: readonly string[]): void {
  for (const path of made.toReversed()) removeQuietly(path);
}

export function removeQuietly(path: string): void {
  try {
    Deno.removeSync(path);
  } catch {
    // It was never made, has another name now, or is not empty.
  }
}

/** Renames a file to a name that must be free; false where it is not. A second name first, which never replaces one. */
export function renameNew(target: Target, from: string, to: string): boolean {
  try {
    Deno.linkSync(from, to);
  } catch (error) {
    if (error instanceof Deno.errors.AlreadyExists) return false;
    // File systems without links, and links that this thread may not make: then the look has to do.
    if (lstat({ ...target, path: to as CanonicalPath }) !== null) return false;
    attempt(target, () => Deno.renameSync(from, to));
    return true;
  }
  attempt(target, () => Deno.removeSync(from));
  return true;
}

/** What lies beside a path. */
export function beside(target: Target, name: string): Target {
  const path = `${parentOf(target.path)}/${name}`.replace("//", "/") as CanonicalPath;
  return { path, shown: nameOf(path) };
}
