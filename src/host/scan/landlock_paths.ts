/**
 * What programs may read and write of a directory tree, as whole subtrees and single files: kernel rules can
 * only allow a directory with all below it, so a directory that holds something denied is allowed part by part.
 */

import { parentOf } from "../../core/path_text.ts";
import { createHash } from "node:crypto";
import type { CanonicalPath } from "../../core/capability.ts";
import type { Access } from "../../policy/model.ts";
import { outermost } from "../../policy/match/path_sets.ts";
import type { Rulebook } from "../../policy/rulebook.ts";
import type { Libc } from "../../sandbox/kernel/libc.ts";
import { isWithin } from "../../sandbox/within.ts";
import { entryType } from "../paths/entry_type.ts";
import { createListings, type ListedEntry, type Listings } from "./_listings.ts";

/** The parts of a `SpawnBoundary` that come from the policy's paths. */
export interface LandlockPaths {
  readonly read: readonly CanonicalPath[];
  readonly write: readonly CanonicalPath[];
  readonly list: readonly CanonicalPath[];
  /** Changes exactly when the lists do. */
  readonly fingerprint: string;
  /** Directories that are refused whole because parting them would take too many rules or too long. */
  readonly refused: readonly CanonicalPath[];
}

/** How far paths are parted into allowed and denied ones before a directory is refused whole. */
export interface LandlockBounds {
  /** Kernel rules in all; each costs a few microseconds at the start of a thread. */
  readonly rules: number;
  /** Directory entries looked at. */
  readonly entries: number;
}

const BOUNDS: LandlockBounds = { rules: 4_096, entries: 5_000_000 };

/** Trees to list, null for all that the scope names, and the system calls of a thread that gave up `ffi`. */
export interface LandlockRoots {
  readonly roots: readonly CanonicalPath[] | null;
  readonly libc: Libc | null;
}

/** Lists the paths as the trees are at each call. */
export interface LandlockPathSource {
  list(): LandlockPaths;
}

/**
 * Lists all that the policy's scope names. Listings are remembered between calls, so that the next costs one
 * `lstat` a directory.
 *
 * What programs get is never more than the policy allows without asking, and write access only where reading is
 * allowed too. It can be less, and that is the price of rules that only allow:
 * - In a parted directory (one that holds, or by a literal rule could come to hold, something write-denied)
 *   the entries that are there can be written, but programs can neither make new ones, nor remove nor rename.
 *   With `.git/**` write-denied that holds for the top of the workspace, not for the directories below.
 * - Beyond the bounds a directory is refused whole, never allowed whole.
 * Names that a glob denies anywhere (`**` + `/.env`) are left out where they are there; a program can make a new
 * one in a directory that holds none yet, and the next listing takes it away.
 */
export function createLandlockPaths(
  rulebook: Pick<Rulebook, "scope" | "judgePath" | "mayDenyBelow">,
  bounds: LandlockBounds = BOUNDS,
  only: LandlockRoots | null = null,
): LandlockPathSource {
  const { scope } = rulebook;
  const roots = outermost(only?.roots ?? [...scope.read, ...scope.write]);
  const listings = createListings((path, kind) => ({
    read: allows(rulebook, "read", path, kind),
    write: allows(rulebook, "write", path, kind),
  }), only?.libc);
  let last: LandlockPaths | null = null;
  const list = (): LandlockPaths => {
    if (last !== null && listings.isCurrent()) return last;
    listings.begin(bounds.entries);
    const read = roots.map((root) => pathsFor("read", rulebook, root, listings.list));
    const write = roots.map((root) => pathsFor("write", rulebook, root, listings.list));
    const refused = [...read, ...write].flatMap((pieces) => pieces.refused);
    const budget = { left: bounds.rules };
    const lists = {
      list: spend(budget, read.flatMap((pieces) => pieces.lists), refused),
      read: spend(budget, read.flatMap((pieces) => pieces.rules), refused),
      write: spend(budget, write.flatMap((pieces) => pieces.rules), refused),
    };
    const fingerprint = fingerprintOf(lists, listings.inodeOf);
    listings.end();
    return last = { ...lists, fingerprint, refused: [...new Set(refused)] };
  };
  return { list };
}

function allows(
  rulebook: Pick<Rulebook, "judgePath">,
  access: Access,
  path: CanonicalPath,
  kind: "file" | "directory",
): boolean {
  return rulebook.judgePath(access, path, kind).effect === "allow";
}

interface Pieces {
  /** Nothing in it is denied, and it may be written to or read itself: one rule does, its parent's or its own. */
  readonly whole: boolean;
  readonly rules: readonly CanonicalPath[];
  /** LandlockPaths directories that may be listed. */
  readonly lists: readonly CanonicalPath[];
  readonly refused: readonly CanonicalPath[];
}

const WHOLE: Pieces = { whole: true, rules: [], lists: [], refused: [] };
const NOTHING: Pieces = { whole: false, rules: [], lists: [], refused: [] };

type List = Listings["list"];

function pathsFor(
  access: Access,
  rulebook: Pick<Rulebook, "scope" | "judgePath" | "mayDenyBelow">,
  root: CanonicalPath,
  list: List,
): Pieces {
  const denied = access === "read"
    ? rulebook.scope.denyRead
    : [...rulebook.scope.denyRead, ...rulebook.scope.denyWrite];
  const mayDeny = (directory: CanonicalPath): boolean =>
    rulebook.mayDenyBelow("read", directory) ||
    access === "write" && rulebook.mayDenyBelow("write", directory);
  const reaches = (directory: CanonicalPath): boolean =>
    [...rulebook.scope.read, ...rulebook.scope.write].some((path) =>
      isWithin(path, directory) || isWithin(directory, path)
    );
  const isAllowed = (entry: ListedEntry): boolean =>
    entry.verdict.read && (access === "read" || entry.verdict.write);

  const visit = (directory: CanonicalPath, allowed: boolean): Pieces => {
    if (denied.some((path) => isWithin(path, directory)) || !reaches(directory)) return NOTHING;
    if (allowed && !mayDeny(directory)) return WHOLE;
    const entries = list(directory);
    if (entries === "unreadable") return NOTHING;
    if (entries === "too many") return { ...NOTHING, refused: [directory] };
    // A denied name that is not there yet must not be made: `.git` with hooks of a program's own.
    let whole = allowed && !denied.some((path) => isMissingChild(directory, path, entries));
    const rules: CanonicalPath[] = [];
    const lists: CanonicalPath[] = access === "read" && allowed ? [directory] : [];
    const refused: CanonicalPath[] = [];
    for (const entry of entries) {
      const entryAllowed = isAllowed(entry);
      if (!entryAllowed) whole = false;
      // A link gives no right to where it leads; that is judged, and ruled, where it lies.
      if (entry.type === "symlink") continue;
      if (entry.type !== "directory") {
        if (entryAllowed) rules.push(entry.path);
        continue;
      }
      const below = visit(entry.path, entryAllowed);
      if (below.whole) {
        rules.push(entry.path);
        continue;
      }
      whole = false;
      append(rules, below.rules);
      append(lists, below.lists);
      append(refused, below.refused);
    }
    return whole ? WHOLE : { whole, rules, lists, refused };
  };

  // A scope may name a file, or what is not there.
  const type = entryType(root);
  if (type === null || type === "symlink") return NOTHING;
  const allowed = allows(rulebook, access, root, type) && allows(rulebook, "read", root, type);
  if (type === "file") return allowed ? { ...NOTHING, rules: [root] } : NOTHING;
  const pieces = visit(root, allowed);
  return pieces.whole ? { ...NOTHING, rules: [root] } : pieces;
}

/** `push(...)` takes its arguments on the stack, which large directories overflow. */
function append<T>(to: T[], from: readonly T[]): void {
  for (const item of from) to.push(item);
}

/** Whether `path` lies below `directory`, and the first part of the way there does not exist. */
function isMissingChild(
  directory: CanonicalPath,
  path: CanonicalPath,
  entries: readonly ListedEntry[],
): boolean {
  if (path === directory || !isWithin(directory, path)) return false;
  const start = directory === "/" ? 1 : directory.length + 1;
  const end = path.indexOf("/", start);
  const child = end === -1 ? path : path.slice(0, end);
  return !entries.some((entry) => entry.path === child);
}

/** Takes rules while the budget lasts; the directories of the rest are refused. */
function spend(
  budget: { left: number },
  rules: readonly CanonicalPath[],
  refused: CanonicalPath[],
): readonly CanonicalPath[] {
  const taken = rules.slice(0, budget.left);
  budget.left -= taken.length;
  for (const path of rules.slice(taken.length)) {
    refused.push(parentOf(path));
  }
  return taken;
}

/** A rule is about a file, not its name: one that was replaced makes another listing. */
function fingerprintOf(
  lists: Pick<LandlockPaths, "read" | "write" | "list">,
  inodeOf: (path: CanonicalPath) => number,
): string {
  const hash = createHash("sha256");
  for (const [name, paths] of Object.entries(lists)) {
    hash.update(`${name}\0${paths.map((path) => `${path}\0${inodeOf(path)}`).join("\0")}\0\0`);
  }
  return hash.digest("hex");
}
