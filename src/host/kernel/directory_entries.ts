/** The entries of a directory, by `getdents64(2)`. */

import type { FileType } from "../../core/files.ts";
import { nameText } from "../../core/name_text.ts";
import { ERRNO } from "../../sandbox/kernel/errno.ts";
import type { Libc } from "../../sandbox/kernel/libc.ts";

/** DT_REG, DT_DIR, DT_LNK, DT_UNKNOWN (dirent.h). */
const TYPES: Readonly<Record<number, FileType>> = { 8: "file", 4: "directory", 10: "symlink" };
const UNKNOWN_TYPE = 0;

const DOT = 0x2e;

const LATIN1 = new TextDecoder("latin1");
const NO_BYTES = new Uint8Array(0);

/** One entry of a directory, as its listing tells of it. */
export interface DirectoryEntry {
  /** As `nameText` has it. */
  readonly name: string;
  /** Null where the file system does not say. */
  readonly type: FileType | null;
  /** As the listing tells it, which at a mount point is that of the directory below; 0 where it does not. */
  readonly inode: number;
  /** The name is no UTF-8: no request can name it. */
  readonly escaped: boolean;
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

/** One entry as the kernel wrote it, good until the visit of it ends. */
export interface RawEntry {
  /** Holds the name from `start` to `end`. */
  readonly bytes: Uint8Array;
  readonly start: number;
  readonly end: number;
  /** All bytes of the name are. */
  readonly ascii: boolean;
  /** Null where the file system does not say. */
  readonly type: FileType | null;
  /** Of what the entry leads to, but for mounts: there of what they lie over. File systems may leave it out: 0. */
  readonly inode: number;
  /** As `nameText` has it. */
  name(): string;
}

/**
 * Visits the entries but `.` and `..` in the order of the file system, without making anything of those that the
 * visitor passes over, until it returns false. 0, or an error number with its sign turned.
 */
export function visitEntries(
  libc: Libc,
  descriptor: number,
  buffer: Uint8Array,
  visit: (entry: RawEntry) => boolean,
): number {
  const entry = new EntryCursor(buffer);
  for (;;) {
    const count = libc.transfer(libc.numbers.getdents64, descriptor, buffer, buffer.length);
    if (count === -ERRNO.EINTR) continue;
    if (count <= 0) return count;
    for (let offset = 0; offset < count;) {
      offset = entry.moveTo(offset);
      if (!entry.isDots() && !visit(entry)) return 0;
    }
  }
}

/** Moves over the records of one buffer; see `parseEntries` for what these are. */
class EntryCursor implements RawEntry {
  readonly bytes: Uint8Array;
  #record = 0;
  start = 0;
  end = 0;
  ascii = true;

  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
  }

  /** Where the next record begins. */
  moveTo(record: number): number {
    const { bytes } = this;
    const start = record + 19;
    let end = start;
    let all = 0;
    // The bytes behind the NUL are what was there before.
    for (let byte = bytes[end]!; byte !== 0; byte = bytes[++end]!) all |= byte;
    this.#record = record;
    this.start = start;
    this.end = end;
    this.ascii = all < 0x80;
    return record + (bytes[record + 16]! | bytes[record + 17]! << 8);
  }

  isDots(): boolean {
    const { bytes, start, end } = this;
    return bytes[start] === DOT &&
      (end === start + 1 || end === start + 2 && bytes[start + 1] === DOT);
  }

  get type(): FileType | null {
    const type = this.bytes[this.#record + 18]!;
    return type === UNKNOWN_TYPE ? null : TYPES[type] ?? "other";
  }

  get inode(): number {
    let inode = 0;
    for (let at = 7; at >= 0; at--) inode = inode * 256 + this.bytes[this.#record + at]!;
    return inode;
  }

  name(): string {
    const bytes = this.bytes.subarray(this.start, this.end);
    return this.ascii ? LATIN1.decode(bytes) : nameText(bytes);
  }
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
    const inode = view.getUint32(offset, true) + view.getUint32(offset + 4, true) * 2 ** 32;
    offset += view.getUint16(offset + 16, true);
    const name = ascii ? text.slice(start, end) : nameText(buffer.subarray(start, end));
    if (name === "." || name === "..") continue;
    const known = type === UNKNOWN_TYPE ? null : TYPES[type] ?? "other";
    entries.push({ name, type: known, inode, escaped: !ascii && !name.isWellFormed() });
  }
}

function beginsWith(buffer: Uint8Array, start: number, prefix: Uint8Array): boolean {
  for (let index = 0; index < prefix.length; index++) {
    if (buffer[start + index] !== prefix[index]) return false;
  }
  return true;
}
