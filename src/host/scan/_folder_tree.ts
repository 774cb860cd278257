/**
 * The folders of which the kernel's rules are drawn, kept from one drawing to the next: by a watch where there is one,
 * by the times of each folder where there is none.
 */

import type { CanonicalPath } from "../../core/capability.ts";
import type { Rulebook } from "../../policy/rulebook.ts";
import type { ChangeState } from "../kernel/stat.ts";
import { isWithin } from "../../sandbox/within.ts";
import { type Contents, Folder, type Standing } from "./_folder.ts";
import { ACCESSES, type ByAccess, FolderJudge, judgeOf } from "./_folder_judge.ts";
import type {
  FolderEvent,
  FolderListing,
  FolderReader,
  FolderWatch,
  NamedEntry,
} from "./folder_reader.ts";

/**
 * A folder may change once more within the same tick of its file system's clock, unseen by its times: two seconds are
 * the coarsest there is (FAT; git has the same care, Documentation/technical/racy-git).
 */
const RACY_MS = 2_000;

/** What a folder counts for beside its entries: it is kept, and they are not. */
const FOLDER_COST = 16;

/** How often what changed is read again before what still changes is closed for this time. */
const ROUNDS = 8;
/** How often the watch may lose sight of everything while the tree is brought up to date. */
const LOSSES = 2;

type TreeRules = Pick<Rulebook, "scope" | "judgePath" | "judgeBelow">;

/** Folders below roots. Reads no more than `most` entries of them, where a folder counts as several. */
export class FolderTree {
  readonly #rulebook: TreeRules;
  readonly #reader: FolderReader;
  readonly #most: number;
  readonly #closed: ByAccess<readonly CanonicalPath[]>;
  readonly #open: readonly CanonicalPath[];
  #roots = new Map<CanonicalPath, Folder>();
  #held = 0;
  /** Folders without contents, which are tried again each time. */
  readonly #without = new Set<Folder>();
  /** "untried" until the second time: who asks once has no use for it. */
  #watch: FolderWatch | null | "untried" = "untried";
  readonly #watched = new Map<number, Set<Folder>>();
  #version = 0;

  constructor(rulebook: TreeRules, reader: FolderReader, most: number) {
    this.#rulebook = rulebook;
    this.#reader = reader;
    this.#most = most;
    const { scope } = rulebook;
    this.#closed = { read: scope.denyRead, write: [...scope.denyRead, ...scope.denyWrite] };
    this.#open = [...scope.read, ...scope.write];
  }

  /** Another number whenever something may be other than it was. */
  get version(): number {
    return this.#version;
  }

  /** Whether changes are told of. */
  get isWatched(): boolean {
    return this.#watch !== null && this.#watch !== "untried";
  }

  /** The folder of a root, after `refresh`. */
  root(path: CanonicalPath): Folder | null {
    return this.#roots.get(path) ?? null;
  }

  /** Gives back the descriptors of the watch; the tree goes on without. */
  close(): void {
    this.#stopWatching();
  }

  /** Brings all folders below these to what they are now. */
  refresh(roots: readonly CanonicalPath[]): void {
    this.#reader.begin(roots);
    if (!this.#isOf(roots)) return this.#build(roots);
    if (this.#watch === "untried") {
      this.#watch = this.#reader.watch();
      if (this.#watch !== null) this.#build(roots);
    }
    this.#retry();
    if (this.#watch === null) this.#readChanged();
    else this.#follow(roots);
  }

  /** Whether the tree is of these, and the folders at their paths are the same. */
  #isOf(roots: readonly CanonicalPath[]): boolean {
    return roots.length === this.#roots.size && roots.every((root) => {
      const folder = this.#roots.get(root);
      if (folder === undefined) return false;
      if (!folder.isParted) return true;
      const found = this.#reader.stateOf(root);
      const known = folder.listed?.state;
      return known === undefined || found !== null && isSameFolder(known, found);
    });
  }

  #build(roots: readonly CanonicalPath[]): void {
    this.#version++;
    for (const folder of this.#roots.values()) this.#drop(folder);
    this.#roots = new Map(roots.map((path) => {
      const judge = judgeOf(this.#rulebook, path);
      return [path, this.#make(path, null, 0, judge, this.#allowedRoot(path))];
    }));
    this.#readAll([...this.#roots.values()]);
  }

  #allowedRoot(path: CanonicalPath): ByAccess<boolean> {
    const mayRead = this.#rulebook.judgePath("read", path, "directory").effect === "allow";
    const mayWrite = this.#rulebook.judgePath("write", path, "directory").effect === "allow";
    return { read: mayRead, write: mayRead && mayWrite };
  }

  #make(
    path: CanonicalPath,
    parent: Folder | null,
    inode: number,
    judge: FolderJudge,
    allowed: ByAccess<boolean>,
  ): Folder {
    const standing = (access: "read" | "write"): Standing => {
      if (this.#closed[access].some((closed) => isWithin(closed, path))) return "nothing";
      if (!this.#open.some((open) => isWithin(open, path) || isWithin(path, open))) {
        return "nothing";
      }
      return allowed[access] && !judge.mayDeny[access] ? "whole" : "parted";
    };
    const stands = { read: standing("read"), write: standing("write") };
    return new Folder({ path, parent, inode, judge, allowed, standing: stands });
  }

  /** Reads these and all below that must be known. */
  #readAll(folders: readonly Folder[]): void {
    const pending = folders.filter((folder) => folder.isParted);
    for (let folder = pending.pop(); folder !== undefined; folder = pending.pop()) {
      for (const below of this.#readOne(folder)) if (below.isParted) pending.push(below);
    }
  }

  /** Reads one anew, and gives the folders in it that were not known. */
  #readOne(folder: Folder): readonly Folder[] {
    const before = folder.listed;
    this.#without.delete(folder);
    const left = this.#most - this.#held + (before?.count ?? 0);
    if (left <= 0) return this.#lose(folder, "too many");
    const now = Date.now();
    const watch = this.#watch === "untried" ? null : this.#watch;
    const { path, judge } = folder;
    const listing = this.#reader.read(path, judge.filter, left, watch);
    if (listing === null) return this.#lose(folder, "unreadable");
    if (listing === "too many") return this.#lose(folder, "too many");
    if (watch !== null && listing.watched === null) this.#stopWatching();
    this.#watchAs(folder, this.#watch === null ? null : listing.watched);
    const { contents, fresh } = this.#contentsOf(folder, before, listing, now);
    this.#held += contents.count - (before?.count ?? 0);
    folder.set(contents);
    this.#version++;
    return fresh;
  }

  /** Its folders are known no longer. */
  #lose(folder: Folder, why: "unreadable" | "too many" | "restless"): readonly Folder[] {
    for (const below of folder.listed?.folders.values() ?? []) this.#drop(below);
    this.#held -= folder.listed?.count ?? 0;
    this.#watchAs(folder, null);
    this.#without.add(folder);
    if (folder.contents !== why) this.#version++;
    folder.set(why);
    return [];
  }

  #contentsOf(
    folder: Folder,
    before: Contents | null,
    { state, named, others, watched }: FolderListing,
    now: number,
  ): { readonly contents: Contents; readonly fresh: readonly Folder[] } {
    const { judge } = folder;
    const own = others === 0 ? { read: true, write: true } : { ...judge.usualFile };
    const folders = new Map<string, Folder>();
    const fresh: Folder[] = [];
    const names = new Set<string>();
    for (const entry of named) {
      const { name, inode, type, suspected } = entry;
      names.add(name);
      const kind = type === "directory" ? "directory" : "file";
      const allowed = judge.allowed(name, kind, suspected);
      if (kind === "file") {
        own.read &&= allowed.read;
        own.write &&= allowed.write;
        continue;
      }
      const known = before?.folders.get(name);
      if (known !== undefined && isKept(known, inode, watched !== null)) {
        folders.set(name, known);
        continue;
      }
      const path = pathOf(folder.path, name);
      const below = this.#make(path, folder, inode, judge.into(name, suspected), allowed);
      folders.set(name, below);
      fresh.push(below);
    }
    for (const [name, known] of before?.folders ?? []) {
      if (folders.get(name) !== known) this.#drop(known);
    }
    for (const access of ACCESSES) {
      // A denied name that is not there yet must not be made: `.git` with hooks of a program's own.
      if (this.#closed[access].some((path) => isMissingIn(folder.path, path, names))) {
        own[access] = false;
      }
    }
    const settled = now - Math.max(state.modified, state.changed) > RACY_MS;
    const count = named.length + others + FOLDER_COST;
    return { contents: { state, settled, folders, own, count }, fresh };
  }

  #drop(folder: Folder): void {
    folder.leave();
    const dropped = [folder];
    for (let one = dropped.pop(); one !== undefined; one = dropped.pop()) {
      one.dropped = true;
      this.#without.delete(one);
      this.#watchAs(one, null);
      const { listed } = one;
      if (listed === null) continue;
      this.#held -= listed.count;
      for (const below of listed.folders.values()) dropped.push(below);
    }
  }

  #retry(): void {
    for (const folder of [...this.#without]) {
      if (!folder.dropped) this.#readAll([folder]);
    }
  }

  /** Reads what its times do not tell to be as it was, from the roots down. */
  #readChanged(): void {
    const pending = [...this.#roots.values()];
    for (let folder = pending.pop(); folder !== undefined; folder = pending.pop()) {
      const { listed } = folder;
      if (listed === null) continue;
      const found = listed.settled ? this.#reader.stateOf(folder.path) : null;
      const unchanged = found !== null && isUnchanged(listed.state, found);
      const fresh = new Set(unchanged ? [] : this.#readOne(folder));
      this.#readAll([...fresh]);
      for (const below of folder.listed?.folders.values() ?? []) {
        if (!fresh.has(below)) pending.push(below);
      }
    }
  }

  /** Reads what the watch tells to have changed, until nothing changes while it reads. */
  #follow(roots: readonly CanonicalPath[]): void {
    let losses = 0;
    for (let round = 0; this.isWatched; round++) {
      const stale = this.#changed();
      if (stale === null) {
        this.#stopWatching();
        if (++losses <= LOSSES) this.#watch = this.#reader.watch();
        this.#build(roots);
        continue;
      }
      if (stale.length === 0) return;
      for (const folder of stale) {
        if (folder.dropped) continue;
        if (round >= ROUNDS) this.#lose(folder, "restless");
        else this.#readAll([folder]);
      }
      if (round >= ROUNDS) return;
    }
  }

  /** Null where it cannot be known; else those that must be read anew, the outer ones first. */
  #changed(): readonly Folder[] | null {
    const events = this.#watch === null || this.#watch === "untried" ? null : this.#watch.take();
    if (events === null) return null;
    const stale = new Set<Folder>();
    for (const event of events) {
      for (const folder of this.#watched.get(event.watched) ?? []) {
        if (changesOnlyNames(folder, event)) {
          if (folder.entries !== null) this.#version++;
          folder.entries = null;
        } else stale.add(folder);
      }
      if (event.kind === "end") this.#forget(event.watched);
    }
    return [...stale].sort((a, b) => a.path.length - b.path.length);
  }

  #watchAs(folder: Folder, watched: number | null): void {
    const before = folder.watched;
    if (before === watched) return;
    folder.watched = watched;
    if (watched !== null) {
      const folders = this.#watched.get(watched);
      if (folders === undefined) this.#watched.set(watched, new Set([folder]));
      else folders.add(folder);
    }
    if (before === null) return;
    // One folder may stand at two places: mounted twice, or where it was and where it was moved to.
    const others = this.#watched.get(before);
    others?.delete(folder);
    if (others?.size !== 0) return;
    this.#watched.delete(before);
    if (this.#watch !== "untried") this.#watch?.remove(before);
  }

  /** The kernel has ended this watch by itself. */
  #forget(watched: number): void {
    for (const folder of this.#watched.get(watched) ?? []) folder.watched = null;
    this.#watched.delete(watched);
  }

  #stopWatching(): void {
    if (this.#watch !== "untried") this.#watch?.close();
    this.#watch = null;
    for (const watched of [...this.#watched.keys()]) this.#forget(watched);
  }
}

/** The same folder still, whose own changes are told of. */
function isKept(folder: Folder, inode: number, watching: boolean): boolean {
  return folder.inode === inode && inode !== 0 &&
    (!watching || folder.watched !== null || folder.listed === null);
}

function isSameFolder(a: ChangeState, b: ChangeState): boolean {
  return a.device === b.device && a.inode === b.inode;
}

function isUnchanged(a: ChangeState, b: ChangeState): boolean {
  return isSameFolder(a, b) && a.modified === b.modified && a.changed === b.changed;
}

/** Whether a name came or went that can neither open nor close anything. */
function changesOnlyNames({ judge }: Folder, { kind, name }: FolderEvent): boolean {
  if (kind !== "entry" || judge.filter === null) return false;
  if (!judge.usualFile.read || !judge.usualFile.write) return false;
  return name.every((byte) => byte < 0x80) && !judge.filter.suspects(name, 0, name.length);
}

/** A path in a folder. */
export function pathOf(folder: CanonicalPath, name: NamedEntry["name"]): CanonicalPath {
  return `${folder === "/" ? "" : folder}/${name}` as CanonicalPath;
}

/** Whether `path` lies below `folder`, and the first part of the way there is not among its names. */
function isMissingIn(
  folder: CanonicalPath,
  path: CanonicalPath,
  names: ReadonlySet<string>,
): boolean {
  if (path === folder || !isWithin(folder, path)) return false;
  const start = folder === "/" ? 1 : folder.length + 1;
  const end = path.indexOf("/", start);
  return !names.has(end === -1 ? path.slice(start) : path.slice(start, end));
}
