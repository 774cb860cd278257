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

/** How a scan goes: what it visits, and what it reads of it. */
export interface ScanOptions {
  /** The filter of the directory that the scan starts in. */
  readonly filter: (start: ScanDirectory) => ScanFilter;
  /** Null: files are visited without being opened. */
  readonly room: ScanRoom | null;
  /** Bytes of the largest file that is read. */
  readonly limit: number;
  /** Where another thread may look at some of the files in this one's stead: see `Tool.help`. */
  readonly shared?: SharedScan;
}

/** A scan of which some files go to another thread, a run of them at a time: files that follow one another. */
export interface SharedScan {
  /** How many finds are still wanted of a run at this place: goes to the other thread with it. */
  readonly wanted: (place: number) => number;
  /** What the other thread found in the run that was given away at this place. */
  readonly take: (place: number, findings: string) => void;
}

/** What to put the files of runs in, and how they are read: as the scan has it that they are taken from. */
export type HelpOptions = Pick<ScanOptions, "limit"> & { readonly room: ScanRoom };

/** Looks at the files of one run, which `scan` reads, and says what it found there. */
export type RunAnswer = (
  wanted: number,
  scan: (visit: (file: ScannedFile) => void) => void,
) => string;

/** A regular file, valid while it is visited. */
export interface ScannedFile {
  /** As results show it. */
  readonly path: string;
  /** How many bytes lie in the room; null where it was not read: too large, gone, refused, changed into something else. */
  readonly length: number | null;
  /** Rises in the order of paths whenever a run is given away, and after it: what it gives belongs in between. */
  readonly place: number;
}
