/** Going through a directory tree to change it: every entry is seen, whatever its name and whoever may see it. */

import type { CanonicalPath } from "../../../core/capability.ts";
import type { FileType } from "../../../core/files.ts";
import { ERRNO } from "../../../sandbox/kernel/errno.ts";
import type { Libc } from "../../../sandbox/kernel/libc.ts";
import { DescriptorStack, openDirectoryAt } from "../../kernel/descriptor_stack.ts";
import type { Admit, Admits, EntryKind } from "../file_backend.ts";
import { AT_REMOVEDIR } from "./parent_directory.ts";
import { type EntryName, statAt } from "../../kernel/stat.ts";
import { type DirectoryEntry, readEntries } from "../../scan/linux/walk.ts";

const BUFFER_BYTES = 32 * 1024;
/** Entries between two looks at whether the call is to end. */
const STRIDE = 64;
/**
 * So deep it is asked anew what to judge by, which mostly saves judging; asking takes the longer the deeper it is,
 * and beyond this depth is not worth it.
 */
const ASKED_DEPTH = 64;
/** Where paths do not matter. */
const ROOT = "/" as CanonicalPath;

export interface TreeEntry {
  /** For system calls on the directory that it is given with. */
  readonly name: EntryName;
  readonly type: FileType;
  /** Whether the policy lets the call touch it. */
  readonly admitted: boolean;
}

/** What is done on the way. Results below 0 are error numbers with their signs turned, which end it. */
export interface Visitor {
  /** Of what is no directory. */
  leaf(directory: number, entry: TreeEntry): number;
  /** Before a directory is gone into, which is not done for `false`. */
  enter(directory: number, entry: TreeEntry): boolean | number;
  /** When it is open: `own` is its own descriptor. */
  entered?(own: number, entry: TreeEntry): number;
  /** Once all in it was seen: `own` is its own descriptor. */
  leaving?(own: number, entry: TreeEntry): number;
  /** After that, where it lies. */
  left?(directory: number, entry: TreeEntry): number;
  /**
   * A directory that cannot be opened or read though it was to be entered. Without it that ends the walk, unless the
   * directory is gone.
   */
  closed?(directory: number, entry: TreeEntry, error: number): number;
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
 * the tree is, few descriptors are open, and nothing is called recursively. 0, or the error that ended it.
 */
export function traverse(
  libc: Libc,
  start: { readonly descriptor: number; readonly path: CanonicalPath; readonly admit: Admit },
  visitor: Visitor,
  checkpoint: () => void,
): number {
  const stack = new DescriptorStack(libc);
  const frames: Frame[] = [];
  const buffer = new Uint8Array(BUFFER_BYTES);
  const push = (
    descriptor: number,
    entry: TreeEntry | null,
    path: CanonicalPath | null,
  ): number => {
    if (descriptor < 0) return descriptor;
    const pushed = stack.push(descriptor);
    if (pushed < 0) return pushed;
    const entries = readEntries(libc, descriptor, buffer);
    if (typeof entries === "number") return stack.pop() || entries;
    const above = frames.at(-1)?.admits ?? null;
    const isDeep = frames.length > ASKED_DEPTH && above !== null;
    const admits = path === null ? null : isDeep ? above : start.admit(path);
    frames.push({ entry, path: admits === null ? null : path, admits, entries, next: 0 });
    return 0;
  };
  try {
    let result = push(start.descriptor, null, start.path);
    for (let seen = 0; result >= 0; seen++) {
      if (seen % STRIDE === 0) checkpoint();
      const frame = frames.at(-1);
      if (frame === undefined) break;
      const found = frame.entries[frame.next++];
      if (found === undefined) {
        result = leave(stack, frames, visitor);
        continue;
      }
      const type = typeOf(libc, stack.top, found);
      if (type === null) continue;
      const path = frame.path === null ? null : pathOf(frame.path, found);
      const kind: EntryKind = type === "directory" ? "directory" : "file";
      const admitted = path === null || frame.admits === null || frame.admits(path, kind);
      const entry: TreeEntry = { name: found.raw ?? found.name, type, admitted };
      if (type !== "directory") {
        result = visitor.leaf(stack.top, entry);
        continue;
      }
      const entering = visitor.enter(stack.top, entry);
      if (typeof entering === "number") result = entering;
      if (entering !== true) continue;
      result = push(openDirectoryAt(libc, stack.top, entry.name), entry, path);
      if (result >= 0) result = visitor.entered?.(stack.top, entry) ?? 0;
      else if (visitor.closed !== undefined) result = visitor.closed(stack.top, entry, result);
      else if (result === -ERRNO.ENOENT) result = 0;
    }
    return result;
  } finally {
    stack.clear();
  }
}

function leave(stack: DescriptorStack, frames: Frame[], visitor: Visitor): number {
  const entry = frames.pop()?.entry ?? null;
  let result = 0;
  if (entry !== null) result = visitor.leaving?.(stack.top, entry) ?? 0;
  const popped = stack.pop();
  if (result < 0 || popped < 0) return result < 0 ? result : popped;
  return entry === null ? 0 : visitor.left?.(stack.top, entry) ?? 0;
}

/** Null where it has vanished. */
function typeOf(libc: Libc, directory: number, entry: DirectoryEntry): FileType | null {
  if (entry.raw === null && entry.type !== null) return entry.type;
  const stat = statAt(libc, directory, entry.raw ?? entry.name);
  return typeof stat === "number" ? null : stat.type;
}

/** What is no text is judged as what it looks like: each broken byte is one unknown character. */
function pathOf(directory: CanonicalPath, { name, raw }: DirectoryEntry): CanonicalPath {
  const shown = raw === null ? name : new TextDecoder().decode(raw);
  return `${directory === "/" ? "" : directory}/${shown}` as CanonicalPath;
}

/** Owner's rights, without which a directory of ours cannot be emptied. */
const OWNER_MODE = 0o700;

/** Removes all of a tree, unasked: what this process made itself. 0, or the error that ended it. */
export function removeTree(libc: Libc, directory: number, name: EntryName): number {
  const { unlinkat, fchmod } = libc.numbers;
  const remove = (at: number, entry: EntryName, flags: number): number => {
    const result = libc.call(unlinkat, at, libc.path(entry), flags);
    return result === -ERRNO.ENOENT ? 0 : result;
  };
  const descriptor = openDirectoryAt(libc, directory, name);
  if (descriptor === -ERRNO.ENOENT) return 0;
  if (descriptor < 0) return remove(directory, name, 0);
  libc.call(fchmod, descriptor, OWNER_MODE);
  const result = traverse(libc, { descriptor, path: ROOT, admit: () => null }, {
    leaf: (at, entry) => remove(at, entry.name, 0),
    enter: () => true,
    entered: (own) => libc.call(fchmod, own, OWNER_MODE),
    left: (at, entry) => remove(at, entry.name, AT_REMOVEDIR),
  }, () => {});
  return result < 0 ? result : remove(directory, name, AT_REMOVEDIR);
}
