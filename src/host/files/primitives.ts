/**
 * What every change of files is made of: the few operations of a platform, each on a name in a directory that is open.
 * They are written twice, over system calls (`linux/`) and over the runtime (`portable/`); all that is built on them
 * (`read/`, `change/`) is written once.
 */

import type { CanonicalPath } from "../../core/capability.ts";
import type { Durability, FileInfo } from "../../core/files.ts";
import { ERRNO } from "../../sandbox/kernel/errno.ts";
import type { DirectoryEntry } from "../kernel/directory_entries.ts";
import type { Stat } from "../kernel/stat.ts";

/** An open file or directory, by its number: a file descriptor on Linux. Only the primitives that gave it know it. */
export type Handle = number;

/**
 * At least 0, or an error number with its sign turned (`-ERRNO.ENOENT`): what went wrong is a value, because those who
 * call decide whether it matters. Nothing here throws but for names that no system takes (a `TypeError`).
 */
export type Result = number;

/**
 * The answer where this kernel, file system or runtime does not know the operation: another way has to be found, and
 * nothing has happened. ENOSYS is what Linux itself says of unknown system calls.
 */
export const CANNOT: Result = -ERRNO.ENOSYS;

/** A name in an open directory. */
export interface Name {
  readonly directory: Handle;
  readonly name: string;
}

/**
 * How an absolute path is opened, no link on the way or at its end followed (`-ELOOP` or `-ENOTDIR` where one stands):
 * - `entry`: whatever is there, a link itself, to be looked at alone;
 * - `file`: for reading, never held up by a pipe; what it is has to be asked then;
 * - `directory`: to be listed; `passage`: only to be gone through, which asks for less.
 */
export type PathOpening = "entry" | "file" | "directory" | "passage";

/**
 * How a name in a directory is opened; a link is never followed, a pipe never waited for. `create` makes a new file
 * that can be read and written, and is `-EEXIST` where the name is taken.
 */
export type Opening = "directory" | "read" | "write" | "update" | "create";

/** The primitives that change nothing. */
export interface ReadPrimitives {
  openPath(path: CanonicalPath, how: PathOpening): Handle | Result;
  /** `.` and `..` are the directory itself and the one above. `mode` of what is made, before the umask. */
  openAt(directory: Handle, name: string, how: Opening, mode?: number): Handle | Result;
  close(handle: Handle): void;
  /** What is open, whatever its name is by now. */
  statOf(handle: Handle): Stat | Result;
  /** What has the name, links not followed. */
  statAt(directory: Handle, name: string): Stat | Result;
  /** Type and size alone, which is quicker; null where nothing has the name. */
  sizeAt(directory: Handle, name: string): Pick<FileInfo, "type" | "size"> | null;
  /** The names of a directory that was opened for it just now, in the order of their code units. */
  list(directory: Handle, prefix?: string): readonly DirectoryEntry[] | Result;
  /** Where a link points, as it is written; with the name "" the link that is open as an `entry`. */
  readLinkAt(directory: Handle, name: string): Uint8Array | Result;
  /** Bytes read into the buffer, at most `count`, from where the last read or write ended; 0 at the end. */
  read(handle: Handle, buffer: Uint8Array, count: number): Result;
}

/** All primitives. */
export interface FilePrimitives extends ReadPrimitives {
  /**
   * Lets go of its lock now, and closes it once `settle` is called: of a file that has lost its name, whose blocks go with its
   * last handle. Disks that are told of each block take a millisecond for it.
   */
  closeLater(handle: Handle): void;
  /** Closes what was left to be closed later. */
  settle(): void;

  /** Bytes written: as many as there was room for. */
  write(handle: Handle, bytes: Uint8Array): Result;
  /** Where the next read or write begins. */
  seek(handle: Handle, offset: number): Result;
  /** Where data, or a hole, begins at or after an offset; `-ENXIO` where there is none any more. */
  seekNext(handle: Handle, what: "data" | "hole", offset: number): Result;
  /** Makes a file so long; what is added is a hole. */
  truncate(handle: Handle, size: number): Result;
  /** Gives an empty file the blocks of another, which both then share. */
  clone(from: Handle, to: Handle): Result;
  /** Copies at most so many bytes from where one file is to where the other is, outside of this process. */
  copyRange(from: Handle, to: Handle, count: number): Result;

  makeDirectoryAt(directory: Handle, name: string, mode: number): Result;
  /** A second name for a file. `-EEXIST` where it is taken. */
  linkAt(from: Name, to: Name): Result;
  /** A symbolic link with this text. */
  symlinkAt(text: Uint8Array, to: Name): Result;
  /** Removes a name, of an empty directory or of anything else. */
  unlinkAt(directory: Handle, name: string, kind: "entry" | "directory"): Result;
  /** Renames, over what is there if need be; at every moment the new name is old or new. */
  renameOver(from: Name, to: Name): Result;
  /** Renames to a name that must be free: `-EEXIST` where it is not, for certain. */
  renameNew(from: Name, to: Name): Result;
  /** Two names change places at one moment. */
  exchange(from: Name, to: Name): Result;

  /** Takes the file's lock, which ends with the handle or its process: 0, or `-EAGAIN` where another has it. */
  tryLock(handle: Handle): Result;
  /** What changes made of these are to survive. */
  readonly durability: Durability;
  /** Waits until contents and attributes, or the names in a directory, would survive a loss of power. */
  sync(handle: Handle): Result;
  /** As `sync`, of everything in the file system that holds this directory. Null where each has to be synced itself. */
  readonly syncAll: ((directory: Handle) => Result) | null;

  setMode(handle: Handle, mode: number): Result;
  /** By their numbers; null: as it is. `-EPERM` where this user may not give it away. */
  setOwner(handle: Handle, owner: { readonly user: number | null; readonly group: number }): Result;
  /** Times of access and change from one to the other, as exactly as can be. */
  copyTimes(from: Handle, to: Handle): Result;
  /** `user.*` attributes and access lists, as far as the file system takes them. */
  copyAttributes(from: Handle, to: Handle): Result;
  /** Times of a link, and with `owner` its owner and group, which have no handle. */
  copyLinkAttributes(from: Name, to: Name, options: { readonly owner: boolean }): Result;
}
