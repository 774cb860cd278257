/**
 * Handles over the runtime, which opens files but no directories: a directory is the path at which it was found, and
 * what it was then. Before each use it is looked at again, so that a link, or another directory, that has its name by
 * now is noticed.
 */

import { parentOf } from "../../../core/path_text.ts";
import type { CanonicalPath } from "../../../core/capability.ts";
import type { FileType } from "../../../core/files.ts";
import { ERRNO } from "../../../sandbox/kernel/errno.ts";
import { isSameFile, type Stat } from "../../kernel/stat.ts";
import type { Handle, PathOpening, Result } from "../primitives.ts";
import { attempt } from "./_results.ts";

/** Other writers replace files while they are opened; so often they are looked at anew. */
const LOOKS = 100;

/** What a handle stands for. */
export interface OpenEntry {
  /** Where it was when it was opened. */
  readonly path: CanonicalPath;
  /** As it was then. */
  readonly stat: Stat;
  /** Null of all that is no regular file, and of what is only looked at. */
  readonly file: Deno.FsFile | null;
}

/** The open files of one set of primitives, by their handles. */
export class OpenFiles {
  readonly #open = new Map<Handle, OpenEntry>();
  #last = 0;

  /** Throws a `TypeError` for a handle that was closed, or that others gave. */
  entry(handle: Handle): OpenEntry {
    const entry = this.#open.get(handle);
    if (entry === undefined) throw new TypeError("no such handle is open");
    return entry;
  }

  close(handle: Handle): void {
    this.#open.get(handle)?.file?.close();
    this.#open.delete(handle);
  }

  openPath(path: CanonicalPath, how: PathOpening): Handle | Result {
    if (how === "file") return this.openFile(path, { read: true });
    const stat = lookAt(path);
    if (typeof stat === "number") return stat;
    if (how !== "entry" && stat.type !== "directory") {
      return stat.type === "symlink" ? -ERRNO.ELOOP : -ERRNO.ENOTDIR;
    }
    return this.#add({ path, stat, file: null });
  }

  /** The file that was looked at. What is no regular file is never opened for reading, only shown for what it is. */
  openFile(path: CanonicalPath, options: Deno.OpenOptions): Handle | Result {
    for (let look = 0; look < LOOKS; look++) {
      const before = lookAt(path);
      if (typeof before === "number") return before;
      if (before.type === "symlink") return -ERRNO.ELOOP;
      if (before.type !== "file") {
        if (options.write !== true) return this.#add({ path, stat: before, file: null });
        return before.type === "directory" ? -ERRNO.EISDIR : -ERRNO.ENXIO;
      }
      const handle = this.#opened(path, options, before);
      if (handle !== null) return handle;
    }
    return -ERRNO.ESTALE;
  }

  /** A new file, to be read and written; whether it still has its name, when others clear up, is not asked. */
  create(directory: Handle, name: string, mode: number): Handle | Result {
    const path = this.pathOf(directory, name);
    if (typeof path === "number") return path;
    const options = { read: true, write: true, createNew: true, mode };
    const file = attempt(() => Deno.openSync(path, options));
    if (typeof file === "number") return file;
    const stat = attempt(() => statFrom(file.statSync()));
    // It was made elsewhere where the directory is another one now.
    const again = this.pathOf(directory, name);
    if (typeof stat === "object" && again === path) return this.#add({ path, stat, file });
    file.close();
    return typeof stat === "number" ? stat : -ERRNO.ESTALE;
  }

  /** Null where another file was opened than the one that was seen there. */
  #opened(path: CanonicalPath, options: Deno.OpenOptions, before: Stat): Handle | Result | null {
    const file = attempt(() => Deno.openSync(path, options));
    if (typeof file === "number") return file;
    const stat = attempt(() => statFrom(file.statSync()));
    if (typeof stat === "object" && isSameFile(stat, before)) {
      return this.#add({ path, stat, file });
    }
    file.close();
    return typeof stat === "number" ? stat : null;
  }

  #add(entry: OpenEntry): Handle {
    this.#open.set(++this.#last, entry);
    return this.#last;
  }

  /** The path of a name in an open directory, which is where it was; `-ESTALE` where it is not. */
  pathOf(directory: Handle, name: string): CanonicalPath | Result {
    const entry = this.entry(directory);
    const now = lookAt(entry.path);
    if (typeof now === "number" || !isSameFile(now, entry.stat)) return -ERRNO.ESTALE;
    if (name === ".") return entry.path;
    if (name === "..") return parentOf(entry.path);
    // Names that are no UTF-8 come from nowhere here: the runtime lists none.
    return `${entry.path === "/" ? "" : entry.path}/${name}` as CanonicalPath;
  }
}

/** Looks that must agree: who swaps a link in and out would have to do it between each two of them. */
const AGREEING_LOOKS = 4;

/**
 * What is at a canonical path. A link on the way is `-ELOOP`: then it is canonical no longer. The runtime has no look
 * that follows no link: what is there, and where the path leads, are asked in turns, and each time the same must come.
 * Where other writers replace the file meanwhile, it is asked all anew.
 */
export function lookAt(path: CanonicalPath): Stat | Result {
  return attempt(() => {
    for (let look = 0; look < LOOKS; look++) {
      const stat = statFrom(Deno.lstatSync(path));
      // Of a link only its directory can be asked: the runtime resolves the rest away.
      const known = stat.type === "symlink" ? parentOf(path) : path;
      const again = lookAgain(path, known, stat);
      if (again !== null) return again;
    }
    return -ERRNO.ESTALE;
  });
}

/** The same once more and again; null where it is another file by now. */
function lookAgain(path: CanonicalPath, known: CanonicalPath, stat: Stat): Stat | Result | null {
  for (let looks = 1; looks < AGREEING_LOOKS; looks++) {
    if (Deno.realPathSync(known) !== known) return -ERRNO.ELOOP;
    if (!isSameFile(statFrom(Deno.lstatSync(path)), stat)) return null;
  }
  return Deno.realPathSync(known) === known ? stat : -ERRNO.ELOOP;
}

/** Systems without owners, modes or inodes have 0 for them. */
export function statFrom(info: Deno.FileInfo): Stat {
  return {
    type: typeFrom(info),
    size: info.size,
    mode: (info.mode ?? 0) & 0o7777,
    modified: info.mtime?.getTime() ?? 0,
    accessed: info.atime?.getTime() ?? 0,
    created: info.birthtime?.getTime() ?? null,
    changed: info.ctime?.getTime() ?? 0,
    device: info.dev,
    inode: info.ino ?? 0,
    links: info.nlink ?? 0,
    user: info.uid ?? 0,
    group: info.gid ?? 0,
    socket: info.isSocket === true,
  };
}

/** Of a file, or of an entry as a listing tells of it. */
export function typeFrom(
  info: Pick<Deno.FileInfo, "isFile" | "isDirectory" | "isSymlink">,
): FileType {
  if (info.isFile) return "file";
  if (info.isDirectory) return "directory";
  return info.isSymlink ? "symlink" : "other";
}
