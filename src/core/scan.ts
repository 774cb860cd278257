/** Going through a tree and reading its files in one: what searches are made of. */

/** A directory that is being gone through. */
export interface ScanDirectory {
  /** As results show it. */
  readonly path: string;
  /** Whether an entry of that name lies in it. */
  has(name: string): boolean;
  /**
   * The contents of a regular file that lies in it, valid until the next call; null where none does, the call may
   * not read it, or it has more than `limit` bytes.
   */
  read(name: string, limit: number): Uint8Array | null;
}

/** What of one directory is wanted. Asked before anything is opened. */
export interface ScanFilter {
  /** Whether to visit the file of that name. */
  takes(name: string): boolean;
  /** Whether to go into the directory of that name. */
  enters(name: string): boolean;
  /** The filter of a directory that was gone into. */
  below(directory: ScanDirectory): ScanFilter;
}

/** Where the contents of files are put, one after the other. */
export interface ScanRoom {
  readonly bytes: Uint8Array;
  /** Makes `bytes` at least so long, keeping what is in it. Never asked for more than one byte over `ScanOptions.limit`. */
  grow(length: number): void;
}

export interface ScanOptions {
  /** The filter of the directory that the scan starts in. */
  readonly filter: (start: ScanDirectory) => ScanFilter;
  /** Null: files are visited without being opened. */
  readonly room: ScanRoom | null;
  /** Bytes of the largest file that is read. */
  readonly limit: number;
}

/** A regular file, valid while it is visited. */
export interface ScannedFile {
  /** As results show it. */
  readonly path: string;
  /** How many bytes lie in the room; null where it was not read: too large, gone, refused, changed into something else. */
  readonly length: number | null;
}
