/**
 * All primitives over `Deno.*`, for platforms without the system calls of `linux/`, and where FFI is refused. What is
 * opened is compared with what was looked at, so a link that is swapped in is noticed before anything is read; but
 * between the look and the use of a name there is a moment that only directories that are open can close. Owners,
 * modes and times of files are kept; extended attributes, and all attributes of links, are not; names that are no
 * UTF-8 cannot be reached.
 */

import type { Durability } from "../../../core/files.ts";
import { ERRNO } from "../../../sandbox/kernel/errno.ts";
import { isSameFile } from "../../kernel/stat.ts";
import {
  CANNOT,
  type FilePrimitives,
  type Handle,
  type Name,
  type Opening,
  type Result,
} from "../primitives.ts";
import { lookAt, OpenFiles, statFrom, typeFrom } from "./_open_files.ts";
import { attempt, done } from "./_results.ts";

/** What "read", "write" and "update" open a file for. */
const ACCESS: Readonly<Record<Exclude<Opening, "directory" | "create">, Deno.OpenOptions>> = {
  read: { read: true },
  write: { write: true },
  update: { read: true, write: true },
};

/** Windows has no modes and owners of this kind, and syncs no directories. */
const IS_UNIX = Deno.build.os !== "windows";

/** Handles are numbers of its own. */
export function createPortablePrimitives(durability: Durability = "full"): FilePrimitives {
  const open = new OpenFiles();

  /** Runs `use` with the path of a name in an open directory. */
  const at = <T>(directory: Handle, name: string, use: (path: string) => T): T | Result => {
    const path = open.pathOf(directory, name);
    return typeof path === "number" ? path : attempt(() => use(path));
  };
  const change = (directory: Handle, name: string, use: (path: string) => void): Result =>
    at(directory, name, (path) => {
      use(path);
      return 0;
    });
  const changeBoth = (from: Name, to: Name, use: (from: string, to: string) => void): Result => {
    const source = open.pathOf(from.directory, from.name);
    return typeof source === "number"
      ? source
      : change(to.directory, to.name, (path) => use(source, path));
  };
  /** Runs `use` with the file of a handle. */
  const inFile = (handle: Handle, use: (file: Deno.FsFile) => number): Result => {
    const { file } = open.entry(handle);
    return file === null ? -ERRNO.EISDIR : attempt(() => use(file));
  };
  /** Runs `use` with the path of what is open, where it still is what it was. */
  const byPath = (handle: Handle, use: (path: string) => void): Result => {
    const { path, stat } = open.entry(handle);
    const now = lookAt(path);
    if (typeof now === "number" || !isSameFile(now, stat)) return -ERRNO.ESTALE;
    return now.type === "symlink" ? -ERRNO.ELOOP : done(() => use(path));
  };

  return {
    durability,
    openPath: (path, how) => open.openPath(path, how),
    openAt(directory, name, how, mode = 0) {
      if (how === "create") return open.create(directory, name, mode);
      const path = open.pathOf(directory, name);
      if (typeof path === "number") return path;
      return how === "directory" ? open.openPath(path, how) : open.openFile(path, ACCESS[how]);
    },
    close: (handle) => open.close(handle),
    closeLater: (handle) => open.close(handle),
    settle: () => {},
    statOf(handle) {
      const { path, stat, file } = open.entry(handle);
      if (file !== null) return attempt(() => statFrom(file.statSync()));
      const now = lookAt(path);
      return typeof now === "object" && isSameFile(now, stat) ? now : stat;
    },
    statAt: (directory, name) => at(directory, name, (path) => statFrom(Deno.lstatSync(path))),
    sizeAt(directory, name) {
      const stat = at(directory, name, (path) => statFrom(Deno.lstatSync(path)));
      return typeof stat === "number" ? null : stat;
    },
    list: (directory, prefix = "") =>
      at(
        directory,
        ".",
        (path) =>
          [...Deno.readDirSync(path)].filter(({ name }) => name.startsWith(prefix))
            .map((entry) => ({
              name: entry.name,
              type: typeFrom(entry),
              inode: 0,
              escaped: false,
            }))
            .sort((a, b) => a.name < b.name ? -1 : a.name > b.name ? 1 : 0),
      ),
    readLinkAt(directory, name) {
      const read = (path: string) => new TextEncoder().encode(Deno.readLinkSync(path));
      return name === ""
        ? attempt(() => read(open.entry(directory).path))
        : at(directory, name, read);
    },
    read: (handle, buffer, count) =>
      inFile(handle, (file) => file.readSync(buffer.subarray(0, count)) ?? 0),

    write: (handle, bytes) => inFile(handle, (file) => file.writeSync(bytes)),
    seek: (handle, offset) => inFile(handle, (file) => file.seekSync(offset, Deno.SeekMode.Start)),
    seekNext: () => CANNOT,
    truncate: (handle, size) =>
      inFile(handle, (file) => {
        file.truncateSync(size);
        return 0;
      }),
    clone: () => CANNOT,
    copyRange: () => CANNOT,

    makeDirectoryAt: (directory, name, mode) =>
      change(directory, name, (path) => Deno.mkdirSync(path, { mode })),
    linkAt: (from, to) => changeBoth(from, to, Deno.linkSync),
    symlinkAt: (text, to) =>
      change(
        to.directory,
        to.name,
        (path) => Deno.symlinkSync(new TextDecoder().decode(text), path),
      ),
    unlinkAt(directory, name, kind) {
      const type = at(directory, name, (path) => typeFrom(Deno.lstatSync(path)));
      if (typeof type === "number") return type;
      // The runtime removes either.
      if (kind === "entry" && type === "directory") return -ERRNO.EISDIR;
      if (kind === "directory" && type !== "directory") return -ERRNO.ENOTDIR;
      return change(directory, name, (path) => Deno.removeSync(path));
    },
    renameOver: (from, to) => changeBoth(from, to, Deno.renameSync),
    renameNew: () => CANNOT,
    exchange: () => CANNOT,

    tryLock(handle) {
      try {
        return inFile(handle, (file) => file.tryLockSync(true) ? 0 : -ERRNO.EAGAIN);
      } catch {
        return CANNOT;
      }
    },
    sync(handle) {
      const { file } = open.entry(handle);
      if (file !== null) return done(() => file.syncSync());
      if (!IS_UNIX) return CANNOT;
      return byPath(handle, (path) => {
        using directory = Deno.openSync(path);
        directory.syncSync();
      });
    },
    syncAll: null,

    setMode: (handle, mode) =>
      IS_UNIX ? byPath(handle, (path) => Deno.chmodSync(path, mode)) : CANNOT,
    setOwner: (handle, { user, group }) =>
      IS_UNIX ? byPath(handle, (path) => Deno.chownSync(path, user, group)) : CANNOT,
    copyTimes(from, to) {
      const stat = this.statOf(from);
      if (typeof stat === "number") return stat;
      const { accessed, modified } = stat;
      const times = [new Date(accessed), new Date(modified)] as const;
      const { file } = open.entry(to);
      return file === null
        ? byPath(to, (path) => Deno.utimeSync(path, ...times))
        : done(() => file.utimeSync(...times));
    },
    copyAttributes: () => CANNOT,
    copyLinkAttributes: () => CANNOT,
  };
}
