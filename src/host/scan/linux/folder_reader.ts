/** Reading folders by `getdents64(2)`: names stay bytes where no rule could speak of them. */

import type { CanonicalPath } from "../../../core/capability.ts";
import type { NameFilter } from "../../../policy/match/name_filter.ts";
import type { Libc } from "../../../sandbox/kernel/libc.ts";
import { OPEN, openWithoutLinks } from "../../../sandbox/kernel/open_without_links.ts";
import { isWithin } from "../../../sandbox/within.ts";
import { type RawEntry, visitEntries } from "../../kernel/directory_entries.ts";
import { changeStateOf, openChangeState, statAt } from "../../kernel/stat.ts";
import type { FolderListing, FolderReader, FolderWatch, NamedEntry } from "../folder_reader.ts";
import { mayReadBelow } from "./_scan_permission.ts";
import { openFolderWatch } from "./_folder_watch.ts";

/** As glibc's readdir reads (sysdeps/unix/sysv/linux/opendir.c): most folders in one call. */
const BUFFER_BYTES = 32 * 1024;
/** What file systems say that have no number to tell: libfuse's FUSE_UNKNOWN_INO (lib/fuse.c), and none at all. */
const UNKNOWN_INODES: ReadonlySet<number> = new Set([0, 0xffff_ffff]);

/** One descriptor is open at a time, whatever the depth. */
export function createFolderReader(libc: Libc): FolderReader {
  const buffer = new Uint8Array(BUFFER_BYTES);
  const flags = OPEN.RDONLY | OPEN.NONBLOCK | libc.numbers.O_DIRECTORY;
  /** Roots below which the runtime's permission set refuses nothing. */
  let free: readonly CanonicalPath[] = [];
  const mayRead = (path: CanonicalPath): boolean =>
    free.some((root) => isWithin(root, path)) ||
    Deno.permissions.querySync({ name: "read", path }).state === "granted";
  return {
    begin(roots) {
      free = roots.filter(mayReadBelow);
    },
    watch: () => openFolderWatch(libc),
    stateOf(path) {
      if (!mayRead(path)) return null;
      return passable(() => changeStateOf(libc, path));
    },
    read(path, filter, most, watch) {
      if (!mayRead(path)) return null;
      const descriptor = passable(() => openWithoutLinks(libc, path, flags));
      if (descriptor === null || descriptor < 0) return null;
      try {
        return readOpen(libc, descriptor, buffer, { filter, most, watch });
      } finally {
        libc.call(libc.numbers.close, descriptor);
      }
    },
  };
}

/** Null for a path that no system call can take: one that is too long. */
function passable<T>(call: () => T): T | null {
  try {
    return call();
  } catch (error) {
    if (error instanceof TypeError) return null;
    throw error;
  }
}

function readOpen(
  libc: Libc,
  descriptor: number,
  buffer: Uint8Array,
  { filter, most, watch }: {
    readonly filter: NameFilter | null;
    readonly most: number;
    readonly watch: FolderWatch | null;
  },
): FolderListing | "too many" | null {
  const state = openChangeState(libc, descriptor);
  if (state === null) return null;
  // The watch begins first, so that what is made while the folder is read is told of or read.
  const watched = watch?.add(descriptor, state.device) ?? null;
  const named: NamedEntry[] = [];
  let others = 0;
  const visit = (entry: RawEntry): boolean => {
    const { bytes, start, end, ascii } = entry;
    const suspected = !ascii || filter === null || filter.suspects(bytes, start, end);
    let { type } = entry;
    if (!suspected && type !== null && type !== "directory") {
      others++;
      return true;
    }
    const name = entry.name();
    let inode = entry.inode;
    if (type === null || UNKNOWN_INODES.has(inode)) {
      const found = statAt(libc, descriptor, name);
      if (typeof found === "number") inode = 0;
      else inode = found.inode;
      type ??= typeof found === "number" ? "file" : found.type;
    }
    named.push({
      name,
      type: type === "directory" || type === "symlink" ? type : "file",
      inode,
      suspected,
    });
    return named.length <= most;
  };
  const result = visitEntries(libc, descriptor, buffer, visit);
  if (named.length > most || result < 0) {
    if (watched !== null) watch?.remove(watched);
    return result < 0 ? null : "too many";
  }
  return { state, named, others, watched };
}
