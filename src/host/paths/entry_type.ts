/** What is at a path, also where the runtime's permissions hide it from a sealed build. */

import type { CanonicalPath } from "../../core/capability.ts";
import { joinedName } from "../../core/name_text.ts";
import { parentOf } from "../../core/path_text.ts";
import { type Libc, openLibc } from "../../sandbox/kernel/libc.ts";
import { OPEN, openWithoutLinks } from "../../sandbox/kernel/open_without_links.ts";
import { statOf } from "../kernel/stat.ts";

/** What rules tell apart. */
export type EntryType = "file" | "directory" | "symlink";

/**
 * Null where there is nothing, or nothing that may be reached; devices, pipes and sockets count as files. The
 * runtime does not let a sealed build look at a directory in which it denies something, nor at those above what it
 * allows: there the kernel is asked, by a `libc` that is open, for threads that may open none.
 */
export function entryType(path: CanonicalPath, libc: Libc | null = null): EntryType | null {
  // The runtime knows no name that is no UTF-8.
  if (!path.isWellFormed()) return joinedName(path) === path ? typeByKernel(path, libc) : null;
  try {
    const info = Deno.lstatSync(path);
    return info.isDirectory ? "directory" : info.isSymlink ? "symlink" : "file";
  } catch (error) {
    return error instanceof Deno.errors.NotCapable ? typeByKernel(path, libc) : null;
  }
}

function typeByKernel(path: CanonicalPath, own: Libc | null): EntryType | null {
  const libc = own ?? openLibc();
  if (libc === null) return null;
  const descriptor = openWithoutLinks(libc, path, OPEN.PATH);
  if (descriptor < 0) return null;
  try {
    const stat = statOf(libc, descriptor);
    if (typeof stat === "number") return null;
    return stat.type === "other" ? "file" : stat.type;
  } finally {
    libc.call(libc.numbers.close, descriptor);
  }
}

/**
 * The kernel's rules name what is there: for what is not yet, the folder in which it would begin; for a file the
 * folder that it lies in, where its replacement is made.
 */
export function deepestFolder(path: CanonicalPath): CanonicalPath {
  let at = path;
  let type = entryType(at);
  for (; type === null && at !== "/"; type = entryType(at)) at = parentOf(at);
  return type === "file" ? parentOf(at) : at;
}
