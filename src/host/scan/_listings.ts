/** Directory listings with their judgements, kept while the directories do not change. */

import { parentOf } from "../../core/path_text.ts";
import type { CanonicalPath } from "../../core/capability.ts";
import { type Libc, openLibc } from "../../sandbox/kernel/libc.ts";
import { OPEN, openWithoutLinks } from "../../sandbox/kernel/open_without_links.ts";
import { readEntries } from "../kernel/directory_entries.ts";
import { changeStateOf, statAt, statOf } from "../kernel/stat.ts";

/** An entry of a directory, and what the policy makes of it. */
export interface ListedEntry {
  readonly path: CanonicalPath;
  readonly type: "file" | "directory" | "symlink";
  /** Its inode: a rule of the kernel is about that, and a file that was replaced under its name has another. */
  readonly inode: number;
  readonly verdict: { readonly read: boolean; readonly write: boolean };
}

/** Listings that are kept from one round to the next. */
export interface Listings {
  /** Starts a round that may look at so many entries. */
  begin(entries: number): void;
  readonly list: (directory: CanonicalPath) => readonly ListedEntry[] | "unreadable" | "too many";
  /** Of an entry that the round has come by; 0 for all others. */
  inodeOf(path: CanonicalPath): number;
  /** Forgets the directories that the round did not come by. */
  end(): void;
  /** Whether all directories that the last round came by are as they were then. Always false without system calls. */
  isCurrent(): boolean;
}

type Judge = (path: CanonicalPath, kind: "file" | "directory") => ListedEntry["verdict"];

/**
 * A directory may change once more within the same tick of its file system's clock, unseen by its times:
 * two seconds are the coarsest there is (FAT; git has the same care, Documentation/technical/racy-git).
 */
const RACY_MS = 2_000;

/** For names: what is read is taken before the next is. */
const NAMES = new Uint8Array(64 * 1024);

interface Kept {
  readonly state: string;
  readonly entries: readonly ListedEntry[];
  /** The times were old enough when it was listed. */
  readonly settled: boolean;
}

/** `libc`: system calls, which are several times as quick; null where there is only the runtime. */
export function createListings(judge: Judge, libc: Libc | null = null): Listings {
  const read = createLister(libc);
  let kept = new Map<CanonicalPath, Kept>();
  let round = new Map<CanonicalPath, Kept>();
  let left = 0;
  /** Made for the few listings of which single entries get rules. */
  const byPath = new WeakMap<readonly ListedEntry[], ReadonlyMap<CanonicalPath, number>>();

  const list: Listings["list"] = (directory) => {
    const listed = round.get(directory);
    if (listed !== undefined) return listed.entries;
    if (left <= 0) return "too many";
    const now = Date.now();
    const before = kept.get(directory);
    const found = read(directory, before?.settled === true ? before.state : null);
    if (found === null) return "unreadable";
    const current = before !== undefined && found.entries === null ? before : {
      state: found.state,
      entries: judged(directory, found.entries ?? [], judge),
      settled: now - found.changed > RACY_MS,
    };
    left -= current.entries.length + 1;
    round.set(directory, current);
    return current.entries;
  };
  return {
    list,
    begin(entries) {
      left = entries;
      round = new Map();
    },
    inodeOf(path) {
      const listed = round.get(parentOf(path));
      if (listed === undefined) return 0;
      const inodes = byPath.get(listed.entries) ??
        new Map(listed.entries.map((entry) => [entry.path, entry.inode]));
      byPath.set(listed.entries, inodes);
      return inodes.get(path) ?? 0;
    },
    end() {
      kept = round;
      round = new Map();
    },
    isCurrent() {
      if (libc === null || kept.size === 0) return false;
      for (const [directory, { state, settled }] of kept) {
        if (!settled || changeStateOf(libc, directory)?.state !== state) return false;
      }
      return true;
    },
  };
}

type Entry = Pick<ListedEntry, "type" | "inode"> & { readonly name: string };

/** A directory as it was found. */
interface Listing {
  /** Which directory it is, and its times. */
  readonly state: string;
  /** The later of its times, in ms since 1970. */
  readonly changed: number;
  /** Null where the state is still `before`. */
  readonly entries: readonly Entry[] | null;
}

/** Lists a directory, whose state was `before`; null where it is none, or may not be read. */
type ListDirectory = (directory: CanonicalPath, before: string | null) => Listing | null;

/**
 * Lists by the runtime. That does not list a directory in which a sealed build denies something, though it lets one look
 * at the rest of what lies in it: such a directory is listed by system calls.
 */
function createLister(opened: Libc | null): ListDirectory {
  if (opened !== null) return (directory, before) => listByCalls(opened, directory, before);
  let libc: Libc | null = null;
  return (directory, before) => {
    try {
      return listByRuntime(directory, before);
    } catch (error) {
      if (!(error instanceof Deno.errors.NotCapable)) return null;
      libc ??= openLibc();
      return libc === null ? null : listByKernel(libc, directory);
    }
  };
}

/** The state is read before the names: what changes in between is seen the next time. */
function listByCalls(
  libc: Libc,
  directory: CanonicalPath,
  before: string | null,
): Listing | null {
  const now = changeStateOf(libc, directory);
  if (now === null) return null;
  if (now.state === before) return { ...now, entries: null };
  // The runtime is not asked by system calls: a sealed build lists what its permissions name.
  if (Deno.permissions.querySync({ name: "read", path: directory }).state !== "granted") {
    return null;
  }
  const descriptor = openWithoutLinks(libc, directory, OPEN.RDONLY | libc.numbers.O_DIRECTORY);
  if (descriptor < 0) return null;
  try {
    const entries = readEntries(libc, descriptor, NAMES);
    if (typeof entries === "number") return null;
    return {
      ...now,
      entries: entries.filter((entry) => !entry.escaped).map((entry): Entry => {
        const type = entry.type ?? typeAt(libc, descriptor, entry.name);
        const listed = type === "directory" || type === "symlink" ? type : "file";
        return { name: entry.name, type: listed, inode: entry.inode };
      }),
    };
  } finally {
    libc.call(libc.numbers.close, descriptor);
  }
}

/** Where a file system does not tell the types of what it lists. */
function typeAt(libc: Libc, directory: number, name: string): string {
  const stat = statAt(libc, directory, name);
  return typeof stat === "number" ? "other" : stat.type;
}

const listByRuntime: ListDirectory = (directory, before) => {
  const info = Deno.lstatSync(directory);
  if (!info.isDirectory) return null;
  const modified = info.mtime?.getTime() ?? Date.now();
  // The second cannot be set by programs.
  const touched = info.ctime?.getTime() ?? Date.now();
  const changed = Math.max(modified, touched);
  const state = `${info.dev}:${info.ino}:${modified}:${touched}`;
  if (state === before) return { state, changed, entries: null };
  const entries = [...Deno.readDirSync(directory)].map((entry): Entry => ({
    name: entry.name,
    type: entry.isDirectory ? "directory" : entry.isSymlink ? "symlink" : "file",
    inode: inodeOf(`${directory === "/" ? "" : directory}/${entry.name}`),
  }));
  return { state, changed, entries };
};

/** 0 where it has vanished, or may not be looked at. */
function inodeOf(path: string): number {
  try {
    return Deno.lstatSync(path).ino ?? 0;
  } catch {
    return 0;
  }
}

/** Counts as changed just now, so that it is not remembered: sealed builds with such a denial are few. */
function listByKernel(libc: Libc, directory: CanonicalPath): Listing | null {
  const { state } = Deno.permissions.querySync({ name: "read", path: directory });
  if (state !== "granted") return null;
  const descriptor = openWithoutLinks(libc, directory, OPEN.RDONLY | libc.numbers.O_DIRECTORY);
  if (descriptor < 0) return null;
  try {
    const stat = statOf(libc, descriptor);
    const entries = readEntries(libc, descriptor, new Uint8Array(32 * 1024));
    if (typeof stat === "number" || typeof entries === "number") return null;
    return {
      state: `${stat.device}:${stat.inode}`,
      changed: Date.now(),
      entries: entries.filter((entry) => !entry.escaped).map(({ name, type }) => ({
        name,
        type: type === "directory" || type === "symlink" ? type : "file",
        inode: inodeAt(libc, descriptor, name),
      })),
    };
  } finally {
    libc.call(libc.numbers.close, descriptor);
  }
}

function inodeAt(libc: Libc, directory: number, name: string): number {
  const stat = statAt(libc, directory, name);
  return typeof stat === "number" ? 0 : stat.inode;
}

function judged(
  directory: CanonicalPath,
  entries: readonly Entry[],
  judge: Judge,
): readonly ListedEntry[] {
  const prefix = directory === "/" ? "/" : `${directory}/`;
  return entries.map(({ name, type, inode }) => {
    const path = `${prefix}${name}` as CanonicalPath;
    return { path, type, inode, verdict: judge(path, type === "directory" ? "directory" : "file") };
  }).sort((a, b) => a.path < b.path ? -1 : 1);
}
