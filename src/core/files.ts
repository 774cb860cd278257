/** Files as tools see them: the handles that a grant gives, and what they answer. */

import type { HelpOptions, RunAnswer, ScannedFile, ScanOptions } from "./scan.ts";

/**
 * What a change of files survives once it is answered. `full`: a loss of power, for contents and names are on the disk.
 * `atomic`: any end of a process; after a loss of power each name leads to what it led to before or after, whole, for
 * contents are on the disk before a name leads to them, but the last renames may not have happened.
 */
export type Durability = "atomic" | "full";

/** What a path is: of itself, without following a link. `other`: devices, pipes, sockets. */
export type FileType = "file" | "directory" | "symlink" | "other";

/** What `lstat` says of one entry. Times in ms since the epoch. `mode` holds the permission bits only. */
export interface FileInfo {
  readonly type: FileType;
  readonly size: number;
  readonly mode: number;
  readonly modified: number;
  readonly accessed: number;
  /** Birth time, where the file system keeps one. */
  readonly created: number | null;
  /** Where a symbolic link points, as it is written. */
  readonly target?: string;
}

/** One entry of a walk; `path` relative to the workspace, `name` its last part. */
export interface WalkEntry extends Pick<FileInfo, "type" | "size"> {
  readonly name: string;
  readonly path: string;
  /** Depth below the start: its direct children have 1. */
  readonly depth: number;
}

/** A whole file as read: its bytes (valid until the next read) and what the descriptor said. */
export interface FileContent {
  readonly bytes: Uint8Array;
  readonly info: FileInfo;
}

/** Reading handles. Every path is one the tool named in its capabilities, or below a `tree` of them. */
export interface ReadFiles {
  /**
   * Whether the policy plainly allows this of a path below the workspace, by its name alone: nothing is looked at, and
   * it need not be there. False for what is no path below it.
   */
  allows(access: "read" | "write", path: string): boolean;
  /** The path as results show it: relative to the workspace, `.` for itself. */
  display(path: string): string;
  /** A regular file, whole. Throws FILE_NOT_FOUND, NOT_A_FILE, FILE_TOO_LARGE (over `limit` bytes), NATIVE_DENIED. */
  read(path: string, limit: number): FileContent;
  /** At most the first `count` bytes of a regular file, and its info. Errors as `read`, but any size. */
  readStart(path: string, count: number): FileContent;
  /** What is at the path, links not followed. Throws FILE_NOT_FOUND. */
  info(path: string): FileInfo;
  /** As `info`, null where there is nothing. */
  find(path: string): FileInfo | null;
  /**
   * Walks a directory in path order, links never followed, denied entries left out unseen.
   * `enter` says whether to go into a directory. `sizes: false` leaves `size` at 0 and saves a stat each.
   * Throws FILE_NOT_FOUND and NOT_A_DIRECTORY, at the latest with the first entry asked for.
   */
  walk(
    path: string,
    options: {
      readonly maxDepth: number;
      readonly sizes: boolean;
      readonly enter?: (entry: WalkEntry) => boolean;
    },
  ): Iterable<WalkEntry>;
  /**
   * Goes through a directory, in path order, and reads the files that the filter takes: links are never followed,
   * denied entries left out unseen, names that are no UTF-8 passed over. Far quicker than `walk` and `read`, however
   * deep the tree. What `visit` or the filter throws ends it. Throws FILE_NOT_FOUND, NOT_A_DIRECTORY, and
   * NATIVE_DENIED where directories are moved about in a very deep tree meanwhile.
   */
  scan(path: string, options: ScanOptions, visit: (file: ScannedFile) => void): void;
  /**
   * Looks at runs of files for another thread that scans the same path, until it needs no more help: see `Tool.help`.
   * A run whose answer throws, or is too long, is looked at there again.
   */
  help(path: string, options: HelpOptions, answer: RunAnswer): void;
  /** The backups beside a file, oldest first; `read` takes them. Of a path whose capability has `backups`. */
  backups(path: string): readonly Backup[];
  /**
   * What a change of the whole entry would touch, links not followed: itself, and all below it where it is a
   * directory. `access`: what the call would do to each. Throws FILE_NOT_FOUND.
   */
  countTree(path: string, access: "read" | "write"): TreeCount;
}

/** A copy of a file as it was: `x.bak` is the oldest, then `x.bak.1` and up. */
export interface Backup extends Pick<FileInfo, "size" | "modified"> {
  /** As results show it. */
  readonly path: string;
}

/** Counts of a tree. */
export interface TreeCount {
  readonly type: FileType;
  readonly files: number;
  readonly directories: number;
  /** Links, and what is neither file nor directory. */
  readonly others: number;
  /** Of the files. */
  readonly bytes: number;
  /** Entries that the policy does not let the call touch: not counted above. */
  readonly refused: number;
}

/** What must be there when a change is made: STALE_FILE, or FILE_EXISTS for "nothing", where it is not. */
export type Expectation =
  | "anything"
  | "nothing"
  /** A regular file with exactly these contents: hexadecimal digits. */
  | { readonly sha256: string };

/** One change of one file, planned from what was seen, and made only where that still holds. */
export type FileChange =
  | {
    readonly kind: "write";
    readonly path: string;
    readonly bytes: Uint8Array;
    readonly expect: Expectation;
    readonly createParents: boolean;
    /** Whose mode, owner and attributes a new file gets: where it is moved from. */
    readonly like?: string;
    /** Sets the bits for executing wherever those for reading are set, or clears them; else they stay. */
    readonly executable?: boolean;
  }
  | { readonly kind: "remove"; readonly path: string; readonly expect: Expectation };

/**
 * Writing handles. Every change is atomic and synced: the new contents are made beside the old ones and renamed
 * over them, keeping mode, owner and extended attributes. Common errors: NOT_A_FILE, FILE_NOT_FOUND (no parent,
 * and `createParents` false), RESOURCE_LIMIT (disk full), NATIVE_DENIED, PATH_DENIED (something below the path
 * that the policy does not let the call touch; nothing was changed then).
 */
export interface Files extends ReadFiles {
  /** Replaces or creates a regular file. */
  write(
    path: string,
    bytes: Uint8Array,
    options: { readonly createParents: boolean; readonly expect: Expectation },
  ): { readonly created: boolean };
  /**
   * Adds to the end of a regular file, or creates it. Two callers at once both have their say. Big files never
   * pass through memory.
   */
  append(
    path: string,
    bytes: Uint8Array,
    options: { readonly createParents: boolean },
  ): { readonly created: boolean; readonly size: number };
  /** Makes all changes or none: where one cannot be made, those before it are taken back. */
  apply(changes: readonly FileChange[]): void;
  /**
   * Copies a regular file to its next backup name, times and mode kept, and lets the oldest backups go that the
   * policy has no room for, never that at `spared`. The path as results show it. Of a path whose `fs.write`
   * capability has `backups`.
   */
  backUp(path: string, spared?: string): string;
  /**
   * As `write` of a file that is there, which is kept as it was under its next backup name; as with `backUp`. Where nothing
   * is written, no backup is made. The backup's path as results show it.
   */
  writeKeeping(
    path: string,
    bytes: Uint8Array,
    options: { readonly expect: Extract<Expectation, { readonly sha256: string }> },
  ): { readonly backup: string };
  /**
   * Puts a backup (as `backups` shows it) back in the place of its file, with the backup's mode and times. The
   * backup stays. FILE_NOT_FOUND where it is none of the file's.
   */
  restore(path: string, backup: string): void;
  /**
   * Removes an entry: a file, a link itself, an empty directory; with `recursive` all that is below it, if all of it
   * may be written to and none of it is denied to reading. Else INVALID_ARGUMENTS where it is not empty.
   */
  remove(path: string, options: { readonly recursive: boolean }): { readonly entries: number };
  /**
   * Copies a file, or a directory with all in it that may be read (links as links; pipes, sockets and devices
   * are left out). `overwrite` replaces a file by a file, never a directory. FILE_EXISTS without it.
   * The destination appears whole or not at all; its missing parents are made.
   */
  copy(
    from: string,
    to: string,
    options: { readonly overwrite: boolean },
  ): { readonly files: number; readonly bytes: number; readonly leftOut: number };
  /** Moves an entry, across file systems too. `overwrite` as in `copy`. Fails whole where any part is denied. */
  move(from: string, to: string, options: { readonly overwrite: boolean }): void;
  /** Makes a directory, with its parents where `parents`. Nothing happens where it is there. */
  createDirectory(path: string, options: { readonly parents: boolean }): {
    readonly created: boolean;
  };
}
