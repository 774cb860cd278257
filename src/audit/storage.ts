/** Where a log's lines are kept: the few operations that writing one safely takes. */

/** One open file of a log. Errors are exceptions of whoever implements it; none is swallowed. */
export interface LogFile {
  /** Waits for the exclusive lock that all writers of the file take. */
  lock(): void;
  unlock(): void;
  /** Bytes. */
  size(): number;
  /** Whether a name still leads to it. */
  isNamed(): boolean;
  read(offset: number, count: number): Uint8Array;
  /** At the end, all of it. */
  append(bytes: Uint8Array): void;
  /** Until its contents are on the disk. */
  sync(): void;
  close(): void;
}

/** The folder of a log, as the log needs it. All of it throws what the system says. */
export interface LogStorage {
  /** Opens or creates the log's current file, its folder with it. Never through a link. */
  open(): LogFile;
  /** A file that is there: a rotated one by its number, or the current one; null where there is none. */
  openExisting(number: number | "current"): LogFile | null;
  /** Numbers of rotated files, rising. */
  rotated(): readonly number[];
  /** Gives the current file the name of that number, which must be free. */
  rotate(number: number): void;
}
