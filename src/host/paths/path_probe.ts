/** Looking at the paths that a request names: by the runtime on the main thread, by system calls on one that is held. */

import { isAbsolute, join } from "@std/path";
import type { CanonicalPath } from "../../core/capability.ts";
import { ERRNO } from "../../sandbox/kernel/errno.ts";
import type { Libc } from "../../sandbox/kernel/libc.ts";
import { OPEN, openWithoutLinks } from "../../sandbox/kernel/open_without_links.ts";
import { canonicalize, resolvePath } from "./canonicalize.ts";
import { entryType } from "./entry_type.ts";
import { createKernelEyes } from "../run/program_search.ts";

export interface Sight {
  /** Where a path leads, as {@linkcode canonicalize}. */
  canonicalize(base: CanonicalPath, path: string): CanonicalPath;
  /** Whether something is there. What cannot be looked at counts as there: it is judged, not passed over. */
  exists(directory: CanonicalPath, path: string): boolean;
  /** What cannot be looked at counts as a file: more rules are about those. */
  isDirectory(path: CanonicalPath): boolean;
}

export const RUNTIME_SIGHT: Sight = {
  canonicalize,
  exists(directory, path) {
    if (path.includes("\0")) return false;
    try {
      Deno.lstatSync(isAbsolute(path) ? path : join(directory, path));
      return true;
    } catch (error) {
      if (error instanceof Deno.errors.NotFound || error instanceof Deno.errors.NotADirectory) {
        return false;
      }
      // A name that no file system takes (ENAMETOOLONG) has no class of its own.
      return !(error instanceof Error && error.message.includes("os error 36"));
    }
  },
  isDirectory: (path) => entryType(path) === "directory",
};

const NOTHING_THERE: ReadonlySet<number> = new Set([
  ERRNO.ENOENT,
  ERRNO.ENOTDIR,
  ERRNO.ENAMETOOLONG,
]);

/** Descriptors that only name a path (O_PATH) are opened whatever the kernel's rules say of reading it. */
export function createKernelSight(libc: Libc): Sight {
  const { look } = createKernelEyes(libc);
  const open = (path: string): number => {
    const descriptor = openWithoutLinks(libc, path, OPEN.PATH);
    if (descriptor >= 0) libc.call(libc.numbers.close, descriptor);
    return descriptor;
  };
  return {
    canonicalize: (base, path) => resolvePath(base, path, look),
    exists(directory, path) {
      if (path.includes("\0") || !path.isWellFormed()) return false;
      const whole = isAbsolute(path) ? path : join(directory, path);
      // More than a system call takes (PATH_MAX, linux/limits.h).
      if (new TextEncoder().encode(whole).length > 4095) return false;
      return !NOTHING_THERE.has(-open(whole));
    },
    isDirectory: (path) => look(path, path) === "directory",
  };
}
