/**
 * What programs may read and write of a directory tree, as whole subtrees and single files: kernel rules can
 * only allow a directory with all below it, so a directory that holds something denied is allowed part by part.
 */

import { createHash } from "node:crypto";
import type { CanonicalPath } from "../../core/capability.ts";
import { outermost } from "../../policy/match/path_sets.ts";
import type { Access } from "../../policy/model.ts";
import type { Rulebook } from "../../policy/rulebook.ts";
import { type Libc, openLibc } from "../../sandbox/kernel/libc.ts";
import { type EntryType, entryType } from "../paths/entry_type.ts";
import type { Folder } from "./_folder.ts";
import { ACCESSES } from "./_folder_judge.ts";
import { FolderTree, pathOf } from "./_folder_tree.ts";
import type { FolderReader, NamedEntry } from "./folder_reader.ts";
import { createFolderReader } from "./linux/folder_reader.ts";
import { createPortableFolderReader } from "./portable/folder_reader.ts";

/** The parts of a `SpawnBoundary` that come from the policy's paths. */
export interface LandlockPaths {
  readonly read: readonly CanonicalPath[];
  readonly write: readonly CanonicalPath[];
  readonly list: readonly CanonicalPath[];
  /** Changes exactly when the lists do. */
  readonly fingerprint: string;
  /**
   * Directories that are parted and whose own files have no rule, or nothing in which has one, because that would take
   * too many rules or too long, or because they changed all the while they were read.
   */
  readonly refused: readonly CanonicalPath[];
}

/** How far paths are parted into allowed and denied ones before a directory is refused whole. */
export interface LandlockBounds {
  /** Kernel rules in all; each costs a few microseconds at the start of a thread. */
  readonly rules: number;
  /** Directory entries looked at; a directory counts as 16 more, for it is kept in memory (some 300 bytes). */
  readonly entries: number;
}

/** A million entries in the folders that such trees have take a second to read, and some 30 MB. */
const BOUNDS: LandlockBounds = { rules: 4_096, entries: 5_000_000 };

/** Trees to list, null for all that the scope names, and the system calls of a thread that gave up `ffi`. */
export interface LandlockRoots {
  readonly roots: readonly CanonicalPath[] | null;
  readonly libc: Libc | null;
  /** For which access; for both unless given. */
  readonly access?: Access;
}

/** Lists the paths as the trees are at each call. */
export interface LandlockPathSource {
  list(): LandlockPaths;
  /** Gives back what watches the trees: two descriptors, from the second listing on. Listing goes on without. */
  close(): void;
}

/**
 * Lists all that the policy's scope names. Folders are remembered between calls: the second call begins to watch them,
 * and those that follow read what changed alone. Where they cannot be watched (see `FolderReader.watch`), the next
 * costs one look at each directory.
 *
 * What programs get is never more than the policy allows without asking, and write access only where reading is
 * allowed too. It can be less, and that is the price of rules that only allow:
 * - In a parted directory (one that holds, or by a literal rule could come to hold, something write-denied)
 *   the entries that are there can be written, but programs can neither make new ones, nor remove nor rename.
 *   With `.git/**` write-denied that holds for the top of the workspace, not for the directories below.
 * - Beyond the bounds a directory is refused whole, never allowed whole.
 * - Paths beyond 4,095 bytes are closed: what they lie in is parted.
 * Names that a glob denies anywhere (`**` + `/.env`) are left out where they are there; a program can make a new
 * one in a directory that holds none yet, and the next listing takes it away.
 */
export function createLandlockPaths(
  rulebook: Pick<Rulebook, "scope" | "judgePath" | "judgeBelow">,
  bounds: LandlockBounds = BOUNDS,
  only: LandlockRoots | null = null,
): LandlockPathSource {
  const { scope } = rulebook;
  const roots = outermost(only?.roots ?? [...scope.read, ...scope.write]);
  let opened: Opened | null = null;
  let last: { readonly version: string; readonly paths: LandlockPaths } | null = null;
  return {
    list() {
      const { libc, reader, tree } = opened ??= open(rulebook, bounds, only?.libc ?? openLibc());
      // A scope may name a file, or what is not there.
      const types = roots.map((root) => ({ root, type: entryType(root, libc) }));
      const named = (wanted: EntryType) =>
        types.flatMap(({ root, type }) => type === wanted ? root : []);
      const files = named("file");
      tree.refresh(named("directory"));
      const version = [tree.version, ...files].join("\0");
      if (last?.version === version) return last.paths;
      const drawing = new Drawing(rulebook, reader, bounds.rules);
      for (const access of only?.access === undefined ? ACCESSES : [only.access]) {
        for (const { root, type } of types) {
          if (type === "file") drawing.addFile(access, root);
          const folder = type === "directory" ? tree.root(root) : null;
          if (folder !== null) drawing.addFolder(access, folder);
        }
      }
      last = { version, paths: drawing.paths() };
      return last.paths;
    },
    close: () => opened?.tree.close(),
  };
}

/** What it takes to go through trees, made when the first is: not all that could start programs does. */
interface Opened {
  readonly libc: Libc | null;
  readonly reader: FolderReader;
  readonly tree: FolderTree;
}

function open(
  rulebook: Pick<Rulebook, "scope" | "judgePath" | "judgeBelow">,
  { entries }: LandlockBounds,
  libc: Libc | null,
): Opened {
  const reader = libc === null ? createPortableFolderReader() : createFolderReader(libc);
  return { libc, reader, tree: new FolderTree(rulebook, reader, entries) };
}

/** A path with the file that was there: a rule of the kernel is about that, not about the name. */
interface Rule {
  readonly path: CanonicalPath;
  readonly inode: number;
}

/** Draws rules from folders, as long as there may be more. */
class Drawing {
  readonly #rulebook: Pick<Rulebook, "judgePath">;
  readonly #reader: FolderReader;
  #left: number;
  readonly #rules: Readonly<Record<Access | "list", Rule[]>> = { read: [], write: [], list: [] };
  readonly #refused = new Set<CanonicalPath>();

  constructor(rulebook: Pick<Rulebook, "judgePath">, reader: FolderReader, rules: number) {
    this.#rulebook = rulebook;
    this.#reader = reader;
    this.#left = rules;
  }

  addFile(access: Access, path: CanonicalPath): void {
    const may = (wanted: Access): boolean =>
      this.#rulebook.judgePath(wanted, path, "file").effect === "allow";
    if (may("read") && may(access)) this.#add(access, [{ path, inode: 0 }]);
  }

  addFolder(access: Access, root: Folder): void {
    if (root.isWhole(access)) return void this.#add(access, [ruleOf(root)]);
    const pending = [root];
    for (let folder = pending.pop(); folder !== undefined; folder = pending.pop()) {
      if (folder.standing[access] === "nothing") continue;
      const { contents } = folder;
      if (typeof contents === "string") {
        if (contents !== "unreadable") this.#refused.add(folder.path);
        continue;
      }
      const entries = this.#entriesOf(folder);
      // Its directories come first: one rule for each opens more than one for a file.
      const below = entries === null
        ? [...contents.folders.values()]
        : entries.flatMap((entry) => foldersAt(contents.folders, entry));
      const whole = below.filter((one) => one.isWhole(access)).map(ruleOf);
      const listed = access === "read" && folder.allowed.read ? [ruleOf(folder)] : [];
      const files = entries === null ? null : filesOf(access, folder, entries);
      const drawn = this.#add("list", listed) && this.#add(access, whole) && files !== null &&
        this.#add(access, files);
      if (!drawn) this.#refused.add(folder.path);
      for (const one of below.toReversed()) if (!one.isWhole(access)) pending.push(one);
    }
  }

  /** All of them, or none where there may not be so many. */
  #add(list: Access | "list", rules: readonly Rule[]): boolean {
    if (rules.length > this.#left) return false;
    this.#left -= rules.length;
    for (const rule of rules) this.#rules[list].push(rule);
    return true;
  }

  /** By name; null where they are more than there may be rules, or cannot be read any more. */
  #entriesOf(folder: Folder): readonly NamedEntry[] | null {
    if (folder.entries !== null) return folder.entries;
    const listing = this.#reader.read(folder.path, null, this.#left, null);
    if (listing === null || listing === "too many") return null;
    const entries = listing.named.toSorted((a, b) => a.name < b.name ? -1 : 1);
    return folder.entries = entries;
  }

  paths(): LandlockPaths {
    const pathsOf = (list: Access | "list") => this.#rules[list].map(({ path }) => path);
    return {
      read: pathsOf("read"),
      write: pathsOf("write"),
      list: pathsOf("list"),
      fingerprint: fingerprintOf(this.#rules),
      refused: [...this.#refused],
    };
  }
}

function ruleOf({ path, inode }: Folder): Rule {
  return { path, inode };
}

/** The folder that was read under this name, where it is still the same. */
function foldersAt(
  folders: ReadonlyMap<string, Folder>,
  { name, type, inode }: NamedEntry,
): readonly Folder[] {
  const folder = type === "directory" ? folders.get(name) : undefined;
  return folder === undefined || folder.inode !== inode ? [] : [folder];
}

/** A link gives no right to where it leads; that is judged, and ruled, where it lies. */
function filesOf(access: Access, folder: Folder, entries: readonly NamedEntry[]): readonly Rule[] {
  return entries.flatMap(({ name, type, inode }) =>
    type === "file" && folder.judge.allowed(name, "file", true)[access]
      ? [{ path: pathOf(folder.path, name), inode }]
      : []
  );
}

/** A rule is about a file, not its name: one that was replaced makes another listing. */
function fingerprintOf(lists: Readonly<Record<Access | "list", readonly Rule[]>>): string {
  const hash = createHash("sha256");
  for (const [name, rules] of Object.entries(lists)) {
    hash.update(`${name}\0${rules.map(({ path, inode }) => `${path}\0${inode}`).join("\0")}\0\0`);
  }
  return hash.digest("hex");
}
