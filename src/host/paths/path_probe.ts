/**
 * Looking at paths, never into files: by the runtime, or by system calls where the runtime's read permission ends at the
 * workspace or the thread is held.
 */

import { joinedName } from "../../core/name_text.ts";
import { PATH_MAX } from "../../core/path_text.ts";
import { isAbsolute, join } from "@std/path";
import type { CanonicalPath } from "../../core/capability.ts";
import type { Libc } from "../../sandbox/kernel/libc.ts";
import { isWithoutLinks, OPEN, openWithoutLinks } from "../../sandbox/kernel/open_without_links.ts";
import { linkText, NOTHING_THERE, statOf } from "../kernel/stat.ts";
import { canonicalize, type PathEntry, resolvePath } from "./canonicalize.ts";
import { entryType } from "./entry_type.ts";

/** One way of looking at paths. Nothing here throws but `canonicalize`. */
export interface PathProbe {
  /** Where a path leads, as {@linkcode canonicalize}. */
  canonicalize(base: CanonicalPath, path: string): CanonicalPath;
  /** Whether something is there. What cannot be looked at counts as there: it is judged, not passed over. */
  exists(directory: CanonicalPath, path: string): boolean;
  /** What cannot be looked at counts as a file: more rules are about those. */
  isDirectory(path: CanonicalPath): boolean;
  /** Whether an absolute path without empty parts, `.` and `..` leads where its words do; false where that is not known. */
  isStraight(path: string): boolean;
  /** What is at an absolute path, links not followed. What cannot be looked at counts as missing. */
  entryAt(path: string): PathEntry;
  /** Whether this canonical path is a regular file that somebody may execute. */
  isProgram(path: string): boolean;
}

/** Any of the three bits for executing (chmod(2)). */
const ANY_EXECUTE_BIT = 0o111;

/** By the runtime: needs read permission for what it looks at. */
export const RUNTIME_PROBE: PathProbe = {
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
  isStraight(path) {
    try {
      return Deno.realPathSync(path) === path;
    } catch {
      return false;
    }
  },
  entryAt(path) {
    try {
      const info = Deno.lstatSync(path);
      if (info.isDirectory) return "directory";
      return info.isSymlink ? { link: Deno.readLinkSync(path) } : "other";
    } catch {
      return "missing";
    }
  },
  isProgram(path) {
    try {
      const info = Deno.lstatSync(path);
      return info.isFile && ((info.mode ?? ANY_EXECUTE_BIT) & ANY_EXECUTE_BIT) !== 0;
    } catch {
      return false;
    }
  },
};

/** By system calls. Descriptors that only name a path (O_PATH) are opened whatever the kernel's rules say of reading it. */
export function createKernelProbe(libc: Libc): PathProbe {
  const open = (path: string): number => openWithoutLinks(libc, path, OPEN.PATH);
  const close = (descriptor: number): void => void libc.call(libc.numbers.close, descriptor);
  /** Runs `use` with the path open; `none` where it cannot be opened. */
  const opened = <T>(path: string, none: T, use: (descriptor: number) => T): T => {
    const descriptor = open(path);
    if (descriptor < 0) return none;
    try {
      return use(descriptor);
    } finally {
      close(descriptor);
    }
  };
  const entryAt = (path: string): PathEntry =>
    opened<PathEntry>(path, "missing", (descriptor) => {
      const stat = statOf(libc, descriptor);
      if (typeof stat === "number") return "missing";
      if (stat.type === "symlink") return { link: linkText(libc, descriptor) };
      return stat.type === "directory" ? "directory" : "other";
    });
  const isStraight = (path: string): boolean => isWithoutLinks(libc, path);
  return {
    canonicalize: (base, path) => resolvePath(base, path, entryAt, isStraight),
    isStraight,
    exists(directory, path) {
      if (path.includes("\0") || joinedName(path) !== path) return false;
      const whole = isAbsolute(path) ? path : join(directory, path);
      // More than a system call takes (PATH_MAX, linux/limits.h).
      if (new TextEncoder().encode(whole).length > PATH_MAX) return false;
      const descriptor = open(whole);
      if (descriptor >= 0) close(descriptor);
      return !NOTHING_THERE.has(-descriptor);
    },
    isDirectory: (path) => entryAt(path) === "directory",
    entryAt,
    isProgram: (path) =>
      opened(path, false, (descriptor) => {
        const stat = statOf(libc, descriptor);
        return typeof stat === "object" && stat.type === "file" &&
          (stat.mode & ANY_EXECUTE_BIT) !== 0;
      }),
  };
}
