/** Walking a directory tree by descriptors: each directory is opened from its parent's, never by its path. */

import type { CanonicalPath } from "../../../core/capability.ts";
import { ToolError } from "../../../core/errors.ts";
import type { FileType, WalkEntry } from "../../../core/files.ts";
import { ERRNO } from "../../../sandbox/kernel/errno.ts";
import type { Libc } from "../../../sandbox/kernel/libc.ts";
import { OPEN, openWithoutLinks } from "../../../sandbox/kernel/open_without_links.ts";
import type { Admits, Target, WalkOptions } from "../../files/file_backend.ts";
import { refusal, requirePermission } from "../../kernel/refusal.ts";
import { sizeAt } from "../../kernel/stat.ts";

const BUFFER_BYTES = 32 * 1024;

/** DT_REG, DT_DIR, DT_LNK, DT_UNKNOWN (dirent.h). */
const TYPES: Readonly<Record<number, FileType>> = { 8: "file", 4: "directory", 10: "symlink" };
const UNKNOWN_TYPE = 0;

const LATIN1 = new TextDecoder("latin1");
const NO_BYTES = new Uint8Array(0);

export interface DirectoryEntry {
  readonly name: string;
  /** Null where the file system does not say. */
  readonly type: FileType | null;
  /** The name is no UTF-8: it is shown with escapes, and no path leads to it. */
  readonly escaped: boolean;
  /** The bytes of such a name; null of all others. */
  readonly raw: Uint8Array | null;
}

/** An open directory whose entries are being given out. */
interface Frame {
  readonly descriptor: number;
  readonly path: CanonicalPath;
  readonly depth: number;
  readonly entries: readonly DirectoryEntry[];
  readonly admits: Admits | null;
  next: number;
}

/**
 * Entries in the order of their names' code units, each directory before what lies in it. Links are given,
 * never followed. Entries whose names are no UTF-8 have type "other" and escapes (`\xff`) in their names: no
 * request can name them. A directory that vanished, turned into something else or may not be read is given
 * without its entries. Throws for the first directory alone: FILE_NOT_FOUND, NOT_A_DIRECTORY, NATIVE_DENIED.
 */
export function* walkDirectory(
  libc: Libc,
  target: Target,
  options: WalkOptions,
): Generator<WalkEntry, void, void> {
  const { numbers } = libc;
  const opening = OPEN.RDONLY | OPEN.NONBLOCK | OPEN.CLOEXEC | numbers.O_DIRECTORY;
  const buffer = new Uint8Array(BUFFER_BYTES);
  const stack: Frame[] = [];
  const push = (descriptor: number, path: CanonicalPath, depth: number): number => {
    if (descriptor < 0) return descriptor;
    const entries = readEntries(libc, descriptor, buffer);
    if (typeof entries === "number") {
      libc.call(numbers.close, descriptor);
      return entries;
    }
    stack.push({ descriptor, path, depth, entries, admits: options.admit(path), next: 0 });
    return 0;
  };

  requirePermission("read", target);
  const opened = push(openWithoutLinks(libc, target.path, opening), target.path, 1);
  if (opened === -ERRNO.ENOTDIR) {
    throw new ToolError("NOT_A_DIRECTORY", `"${target.shown}" is not a directory`);
  }
  if (opened < 0) throw refusal(target, opened);
  try {
    for (let frame = stack.at(-1); frame !== undefined; frame = stack.at(-1)) {
      const entry = frame.entries[frame.next++];
      if (entry === undefined) {
        stack.pop();
        libc.call(numbers.close, frame.descriptor);
        continue;
      }
      const path = `${frame.path === "/" ? "" : frame.path}/${entry.name}` as CanonicalPath;
      const described = describe(libc, frame.descriptor, entry, options.sizes);
      if (described === null) continue;
      const kind = described.type === "directory" ? "directory" : "file";
      if (frame.admits !== null && !frame.admits(path, kind)) continue;
      const given: WalkEntry = {
        name: entry.name,
        path: options.show(path),
        depth: frame.depth,
        ...described,
      };
      yield given;
      if (described.type !== "directory" || frame.depth >= options.maxDepth) continue;
      if (options.enter !== undefined && !options.enter(given)) continue;
      if (Deno.permissions.querySync({ name: "read", path }).state !== "granted") continue;
      const flags = opening | numbers.O_NOFOLLOW;
      push(
        libc.call(numbers.openat, frame.descriptor, libc.path(entry.name), flags),
        path,
        frame.depth + 1,
      );
    }
  } finally {
    for (const { descriptor } of stack) libc.call(numbers.close, descriptor);
  }
}

/** Type and size; null where the entry has vanished. */
function describe(
  libc: Libc,
  directory: number,
  entry: DirectoryEntry,
  sizes: boolean,
): Pick<WalkEntry, "type" | "size"> | null {
  if (entry.escaped) return { type: "other", size: 0 };
  if (entry.type !== null && (!sizes || entry.type === "directory")) {
    return { type: entry.type, size: 0 };
  }
  const found = sizeAt(libc, directory, entry.name);
  if (found === null) return null;
  return sizes && found.type !== "directory" ? found : { type: found.type, size: 0 };
}

/**
 * All entries, sorted, or those whose names begin with `prefix`, which spares the others; or an error number with
 * its sign turned.
 */
export function readEntries(
  libc: Libc,
  descriptor: number,
  buffer: Uint8Array,
  prefix = "",
): readonly DirectoryEntry[] | number {
  const beginning = prefix === "" ? NO_BYTES : new TextEncoder().encode(prefix);
  const entries: DirectoryEntry[] = [];
  for (;;) {
    const count = libc.transfer(libc.numbers.getdents64, descriptor, buffer, buffer.length);
    if (count === -ERRNO.EINTR) continue;
    if (count < 0) return count;
    if (count === 0) break;
    parseEntries(buffer, count, beginning, entries);
  }
  return entries.sort((a, b) => a.name < b.name ? -1 : a.name > b.name ? 1 : 0);
}

/**
 * struct linux_dirent64 (getdents(2)): inode and offset of 8 bytes each, then the record's length (2), the
 * type (1), and the name with its NUL. Decoding the whole buffer once and slicing is far cheaper than
 * decoding each name; names beyond ASCII are decoded on their own.
 */
function parseEntries(
  buffer: Uint8Array,
  count: number,
  prefix: Uint8Array,
  entries: DirectoryEntry[],
): void {
  const text = LATIN1.decode(buffer.subarray(0, count));
  const view = new DataView(buffer.buffer, buffer.byteOffset, count);
  for (let offset = 0; offset < count;) {
    const start = offset + 19;
    if (!beginsWith(buffer, start, prefix)) {
      offset += view.getUint16(offset + 16, true);
      continue;
    }
    let end = start;
    let ascii = true;
    for (let byte = buffer[end]; byte !== 0 && byte !== undefined; byte = buffer[++end]) {
      if (byte >= 0x80) ascii = false;
    }
    const type = view.getUint8(offset + 18);
    offset += view.getUint16(offset + 16, true);
    const name = ascii ? text.slice(start, end) : decodeName(buffer.subarray(start, end));
    if (name === "." || name === "..") continue;
    const known = type === UNKNOWN_TYPE ? null : TYPES[type] ?? "other";
    entries.push(
      name === null
        ? {
          name: escapeName(buffer.subarray(start, end)),
          type: "other",
          escaped: true,
          raw: buffer.slice(start, end),
        }
        : { name, type: known, escaped: false, raw: null },
    );
  }
}

function beginsWith(buffer: Uint8Array, start: number, prefix: Uint8Array): boolean {
  for (let index = 0; index < prefix.length; index++) {
    if (buffer[start + index] !== prefix[index]) return false;
  }
  return true;
}

function decodeName(bytes: Uint8Array): string | null {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return null;
  }
}

/** Every byte beyond ASCII as `\xff`. */
function escapeName(bytes: Uint8Array): string {
  let name = "";
  for (const byte of bytes) {
    name += byte < 0x80 ? String.fromCharCode(byte) : `\\x${byte.toString(16)}`;
  }
  return name;
}
