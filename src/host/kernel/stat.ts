/** `statx(2)` into the types of the tool interface. */

import { nameText } from "../../core/name_text.ts";
import type { FileInfo, FileType } from "../../core/files.ts";
import { ERRNO } from "../../sandbox/kernel/errno.ts";
import type { Libc } from "../../sandbox/kernel/libc.ts";

/** include/uapi/linux/fcntl.h */
const AT_FDCWD = -100;
const AT_SYMLINK_NOFOLLOW = 0x100;
const AT_EMPTY_PATH = 0x1000;
/** STATX_BASIC_STATS | STATX_BTIME; STATX_TYPE | STATX_SIZE; STATX_BTIME (include/uapi/linux/stat.h). */
const WANTED = 0xfff;
const WANTED_SIZE = 0x201;
/** STATX_TYPE | STATX_MTIME | STATX_CTIME | STATX_INO */
const WANTED_CHANGE = 0x1 | 0x40 | 0x80 | 0x100;
/** STATX_NLINK */
const WANTED_LINKS = 0x4;
/** STATX_INO */
const WANTED_INODE = 0x100;
/** S_IFDIR */
const DIRECTORY = 0o040000;
const HAS_BIRTH = 0x800;
/** S_IFMT and the types that have names here (the same header). */
const TYPE_BITS = 0o170000;
const TYPES: Readonly<Record<number, FileType>> = {
  0o100000: "file",
  0o040000: "directory",
  0o120000: "symlink",
};

/** S_IFSOCK (the same header) */
const SOCKET = 0o140000;

/** What one descriptor or name refers to; `device` and `inode` tell files apart while they are open. */
export interface Stat extends FileInfo {
  /** When its contents or attributes were last changed, in ms with their fraction; programs cannot set it. */
  readonly changed: number;
  readonly device: number;
  readonly inode: number;
  /** Names that it has: of a file with one, no other leads to what is done to it. */
  readonly links: number;
  readonly user: number;
  readonly group: number;
  /** One of the kinds that are `other` for tools. */
  readonly socket: boolean;
}

/** What a descriptor refers to; or an error number with its sign turned. */
export function statOf(libc: Libc, descriptor: number): Stat | number {
  return statx(libc, descriptor, "", AT_EMPTY_PATH);
}

/** What a name in a directory refers to, links not followed; or an error number with its sign turned. */
export function statAt(libc: Libc, directory: number, name: string): Stat | number {
  return statx(libc, directory, name, AT_SYMLINK_NOFOLLOW);
}

/** Type and size of a name in a directory, all that a listing of many needs; null where it is gone. */
export function sizeAt(
  libc: Libc,
  directory: number,
  name: string,
): Pick<FileInfo, "type" | "size"> | null {
  if (callStatx(libc, directory, name, AT_SYMLINK_NOFOLLOW, WANTED_SIZE) < 0) return null;
  const mode = libc.struct.getUint16(28, true);
  return { type: TYPES[mode & TYPE_BITS] ?? "other", size: unsigned64(libc.struct, 40) };
}

/** What tells a directory that was changed from one that was not: which one it is, and its times. */
export interface ChangeState {
  readonly device: number;
  readonly inode: number;
  /** In ms since 1970, with their fraction. Programs can set it. */
  readonly modified: number;
  /** As `modified`; programs cannot set it. */
  readonly changed: number;
}

/** Of a directory by its absolute path, a link not followed; null where there is none. Quick for many. */
export function changeStateOf(libc: Libc, path: string): ChangeState | null {
  return changeState(libc, callStatx(libc, AT_FDCWD, path, AT_SYMLINK_NOFOLLOW, WANTED_CHANGE));
}

/** As `changeStateOf`, of a directory that is open. */
export function openChangeState(libc: Libc, descriptor: number): ChangeState | null {
  return changeState(libc, callStatx(libc, descriptor, "", AT_EMPTY_PATH, WANTED_CHANGE));
}

/** The error numbers that say there is nothing. */
export const NOTHING_THERE: ReadonlySet<number> = new Set([
  ERRNO.ENOENT,
  ERRNO.ENOTDIR,
  ERRNO.ENAMETOOLONG,
]);

/** Whether something is at an absolute path, a link at its end not followed; null where it cannot be looked at. */
export function isThere(libc: Libc, path: string): boolean | null {
  const seen = callStatx(libc, AT_FDCWD, path, AT_SYMLINK_NOFOLLOW, WANTED_INODE);
  if (seen >= 0) return true;
  return NOTHING_THERE.has(-seen) ? false : null;
}

/** Which file an absolute path leads to, links followed; null where it leads to none. Quick for many. */
export function identityOf(libc: Libc, path: string): string | null {
  return identity(libc, callStatx(libc, AT_FDCWD, path, 0, WANTED_INODE));
}

/** As `identityOf`, of what is open. */
export function openIdentity(libc: Libc, descriptor: number): string | null {
  return identity(libc, callStatx(libc, descriptor, "", AT_EMPTY_PATH, WANTED_INODE));
}

/** Whether a folder that is open has been removed: then nothing is in it, and nothing can be made there any more. */
export function isRemoved(libc: Libc, descriptor: number): boolean {
  const seen = callStatx(libc, descriptor, "", AT_EMPTY_PATH, WANTED_LINKS);
  return seen >= 0 && libc.struct.getUint32(16, true) === 0;
}

function identity({ struct }: Libc, result: number): string | null {
  if (result < 0) return null;
  const word = (offset: number): number => struct.getUint32(offset, true);
  return `${word(136)}:${word(140)} ${unsigned64(struct, 32)}`;
}

function changeState({ struct }: Libc, result: number): ChangeState | null {
  if (result < 0 || (struct.getUint16(28, true) & TYPE_BITS) !== DIRECTORY) return null;
  const word = (offset: number): number => struct.getUint32(offset, true);
  return {
    device: word(136) * 2 ** 32 + word(140),
    inode: unsigned64(struct, 32),
    modified: seconds(struct, 112) * 1000 + word(120) / 1e6,
    changed: seconds(struct, 96) * 1000 + word(104) / 1e6,
  };
}

/** Whether both are the same file. */
export function isSameFile(
  a: Pick<Stat, "device" | "inode">,
  b: Pick<Stat, "device" | "inode">,
): boolean {
  return a.inode === b.inode && a.device === b.device;
}

/** Whether both are the same file, and nothing was done to it in between. */
export function isUnchanged(a: Stat, b: Stat): boolean {
  return isSameFile(a, b) && a.size === b.size && a.changed === b.changed;
}

function callStatx(
  libc: Libc,
  descriptor: number,
  name: string,
  flags: number,
  wanted: number,
): number {
  const path = libc.path(name);
  return libc.call(libc.numbers.statx, descriptor, path, flags, wanted, libc.structAddress);
}

/** struct statx (include/uapi/linux/stat.h), by its offsets. */
function statx(libc: Libc, descriptor: number, name: string, flags: number): Stat | number {
  const { struct } = libc;
  const result = callStatx(libc, descriptor, name, flags, WANTED);
  if (result < 0) return result;
  const mode = struct.getUint16(28, true);
  return {
    type: TYPES[mode & TYPE_BITS] ?? "other",
    size: unsigned64(struct, 40),
    mode: mode & 0o7777,
    modified: milliseconds(struct, 112),
    accessed: milliseconds(struct, 64),
    created: (struct.getUint32(0, true) & HAS_BIRTH) !== 0 ? milliseconds(struct, 80) : null,
    changed: seconds(struct, 96) * 1000 + struct.getUint32(104, true) / 1e6,
    device: struct.getUint32(136, true) * 2 ** 32 + struct.getUint32(140, true),
    inode: unsigned64(struct, 32),
    links: struct.getUint32(16, true),
    user: struct.getUint32(20, true),
    group: struct.getUint32(24, true),
    socket: (mode & TYPE_BITS) === SOCKET,
  };
}

function unsigned64(view: DataView, offset: number): number {
  return view.getUint32(offset, true) + view.getUint32(offset + 4, true) * 2 ** 32;
}

/** struct statx_timestamp: seconds since 1970 (signed), then nanoseconds. */
function milliseconds(view: DataView, offset: number): number {
  return seconds(view, offset) * 1000 + Math.floor(view.getUint32(offset + 8, true) / 1e6);
}

function seconds(view: DataView, offset: number): number {
  return view.getUint32(offset, true) + view.getInt32(offset + 4, true) * 2 ** 32;
}

/** The part that tools see. */
export function infoOf(stat: Stat, target?: string): FileInfo {
  const { type, size, mode, modified, accessed, created } = stat;
  return {
    type,
    size,
    mode,
    modified,
    accessed,
    created,
    ...(target === undefined ? {} : { target }),
  };
}

/** Where the link that a descriptor (O_PATH) itself is points: readlinkat(2) with an empty path. */
export function linkText(libc: Libc, descriptor: number): string {
  const { numbers, structAddress, structBytes } = libc;
  const length = libc.call(numbers.readlinkat, descriptor, libc.path(""), structAddress, 4096);
  return nameText(structBytes.subarray(0, Math.max(length, 0)));
}
