/** Going through a directory tree to change it: every entry is seen, whatever its name and whoever may see it. */

import type { CanonicalPath } from "../../core/capability.ts";
import type { FileType } from "../../core/files.ts";
import { ERRNO } from "../../sandbox/kernel/errno.ts";
import type { DirectoryEntry } from "../kernel/directory_entries.ts";
import { DirectoryStack } from "./directory_stack.ts";
import type { Admit, Admits, EntryKind } from "./file_backend.ts";
import type { FilePrimitives, Handle, ReadPrimitives, Result } from "./primitives.ts";

/** Entries between two looks at whether the call is to end. */
const STRIDE = 64;
/**
 * So deep it is asked anew what to judge by, which mostly saves judging; asking takes the longer the deeper it is,
 * and beyond this depth is not worth it.
 */
const ASKED_DEPTH = 64;
/** Where paths do not matter. */
const ROOT = "/" as CanonicalPath;

/** An entry that a walk through a tree comes by. */
export interface TreeEntry {
  /** In the directory that it is given with. */
  readonly name: string;
  readonly type: FileType;
  /** Whether the policy lets the call touch it. */
  readonly admitted: boolean;
}

/** What is done on the way. Results below 0 are error numbers with their signs turned, which end it. */
export interface Visitor {
  /** Of what is no directory. */
  leaf(directory: Handle, entry: TreeEntry): Result;
  /** Before a directory is gone into, which is not done for `false`. */
  enter(directory: Handle, entry: TreeEntry): boolean | Result;
  /** When it is open: `own` is its own handle. */
  entered?(own: Handle, entry: TreeEntry): Result;
  /** Once all in it was seen: `own` is its own handle. */
  leaving?(own: Handle, entry: TreeEntry): Result;
  /** After that, where it lies. */
  left?(directory: Handle, entry: TreeEntry): Result;
  /**
   * A directory that cannot be opened or read though it was to be entered. Without it that ends the walk, unless the
   * directory is gone.
   */
  closed?(directory: Handle, entry: TreeEntry, error: Result): Result;
}

interface Frame {
  /** Null of the start. */
  readonly entry: TreeEntry | null;
  /** Null where nothing below can be refused: then nobody needs to know it. */
  readonly path: CanonicalPath | null;
  readonly admits: Admits | null;
  readonly entries: readonly DirectoryEntry[];
  next: number;
}

/**
 * Visits all below an open directory, which is closed at the end, depth first, links never followed. However deep
 * the tree is, few handles are open, and nothing is called recursively. 0, or the error that ended it.
 */
export function traverse(
  files: ReadPrimitives,
  start: { readonly directory: Handle; readonly path: CanonicalPath; readonly admit: Admit },
  visitor: Visitor,
  checkpoint: () => void,
): Result {
  const stack = new DirectoryStack(files);
  const frames: Frame[] = [];
  const push = (
    directory: Handle | Result,
    entry: TreeEntry | null,
    path: CanonicalPath | null,
  ): Result => {
    if (directory < 0) return directory;
    const pushed = stack.push(directory);
    if (pushed < 0) return pushed;
    const entries = files.list(directory);
    if (typeof entries === "number") return stack.pop() || entries;
    const above = frames.at(-1)?.admits ?? null;
    const isDeep = frames.length > ASKED_DEPTH && above !== null;
    const admits = path === null ? null : isDeep ? above : start.admit(path);
    frames.push({ entry, path: admits === null ? null : path, admits, entries, next: 0 });
    return 0;
  };
  try {
    let result = push(start.directory, null, start.path);
    for (let seen = 0; result >= 0; seen++) {
      if (seen % STRIDE === 0) checkpoint();
      const frame = frames.at(-1);
      if (frame === undefined) break;
      const found = frame.entries[frame.next++];
      if (found === undefined) {
        result = leave(stack, frames, visitor);
        continue;
      }
      const type = typeOf(files, stack.top, found);
      if (type === null) continue;
      const path = frame.path === null ? null : pathOf(frame.path, found);
      const kind: EntryKind = type === "directory" ? "directory" : "file";
      const admitted = path === null || frame.admits === null || frame.admits(path, kind);
      const entry: TreeEntry = { name: found.name, type, admitted };
      if (type !== "directory") {
        result = visitor.leaf(stack.top, entry);
        continue;
      }
      const entering = visitor.enter(stack.top, entry);
      if (typeof entering === "number") result = entering;
      if (entering !== true) continue;
      result = push(files.openAt(stack.top, entry.name, "directory"), entry, path);
      if (result >= 0) result = visitor.entered?.(stack.top, entry) ?? 0;
      else if (visitor.closed !== undefined) result = visitor.closed(stack.top, entry, result);
      else if (result === -ERRNO.ENOENT) result = 0;
    }
    return result;
  } finally {
    stack.clear();
  }
}

function leave(stack: DirectoryStack, frames: Frame[], visitor: Visitor): Result {
  const entry = frames.pop()?.entry ?? null;
  let result = 0;
  if (entry !== null) result = visitor.leaving?.(stack.top, entry) ?? 0;
  const popped = stack.pop();
  if (result < 0 || popped < 0) return result < 0 ? result : popped;
  return entry === null ? 0 : visitor.left?.(stack.top, entry) ?? 0;
}

/** Null where it has vanished. */
function typeOf(files: ReadPrimitives, directory: Handle, entry: DirectoryEntry): FileType | null {
  if (entry.type !== null) return entry.type;
  const stat = files.statAt(directory, entry.name);
  return typeof stat === "number" ? null : stat.type;
}

function pathOf(directory: CanonicalPath, { name }: DirectoryEntry): CanonicalPath {
  return `${directory === "/" ? "" : directory}/${name}` as CanonicalPath;
}

/** Owner's rights, without which a directory of ours cannot be emptied. */
const OWNER_MODE = 0o700;

/** Removes all of a tree, unasked: what this process made itself. 0, or the error that ended it. */
export function removeTree(files: FilePrimitives, parent: Handle, name: string): Result {
  const remove = (directory: Handle, entry: string, kind: "entry" | "directory"): Result => {
    const result = files.unlinkAt(directory, entry, kind);
    return result === -ERRNO.ENOENT ? 0 : result;
  };
  const directory = files.openAt(parent, name, "directory");
  if (directory === -ERRNO.ENOENT) return 0;
  if (directory < 0) return remove(parent, name, "entry");
  files.setMode(directory, OWNER_MODE);
  const result = traverse(files, { directory, path: ROOT, admit: () => null }, {
    leaf: (at, entry) => remove(at, entry.name, "entry"),
    enter: () => true,
    entered: (own) => files.setMode(own, OWNER_MODE),
    left: (at, entry) => remove(at, entry.name, "directory"),
  }, () => {});
  return result < 0 ? result : remove(parent, name, "directory");
}
