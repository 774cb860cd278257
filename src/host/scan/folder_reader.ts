/** Reading folders for the kernel's rules: what must have a name, and how many others there are. */

import type { CanonicalPath } from "../../core/capability.ts";
import type { ChangeState } from "../kernel/stat.ts";
import type { NameFilter } from "../../policy/match/name_filter.ts";

/** An entry whose name matters. */
export interface NamedEntry {
  /** As `nameText` has it. */
  readonly name: string;
  /** Devices, pipes and sockets are files. */
  readonly type: "file" | "directory" | "symlink";
  /** 0 where it has vanished or may not be looked at. */
  readonly inode: number;
  /** The filter wants it judged; all others fare as usual. */
  readonly suspected: boolean;
}

/** What lies in a folder, in the order of the file system. */
export interface FolderListing {
  /** As it was before its entries were read. */
  readonly state: ChangeState;
  /** All folders, and of the other entries those that the filter suspects. */
  readonly named: readonly NamedEntry[];
  /** How many entries are not among `named`. */
  readonly others: number;
  /** What the watch calls the folder, which began before its entries were read; null where it has none. */
  readonly watched: number | null;
}

/** What happened in watched folders. */
export interface FolderEvent {
  readonly watched: number;
  /**
   * `folder` and `entry`: one of that name came or went; `end`: the folder itself is gone, and so is its watch.
   * `name` is as the kernel has it.
   */
  readonly kind: "folder" | "entry" | "end";
  readonly name: Uint8Array;
}

/** Watches folders, each but not what lies below. */
export interface FolderWatch {
  /** Begins with what an open descriptor is. Null where it cannot: no folder is to be trusted to the watch then. */
  add(descriptor: number, device: number): number | null;
  remove(watched: number): void;
  /** What happened since it was last asked; null where something may have happened that nobody told of. */
  take(): readonly FolderEvent[] | null;
  close(): void;
}

/** Reads folders of this machine. */
export interface FolderReader {
  /** Starts a round; what the runtime's permission set lets read is asked once a round for each root. */
  begin(roots: readonly CanonicalPath[]): void;
  /**
   * Null where it is none, or may not be read; "too many" where more than `most` entries are to be named. Without a
   * filter all are. Links are not followed, neither the last name nor those before it.
   */
  read(
    path: CanonicalPath,
    filter: NameFilter | null,
    most: number,
    watch: FolderWatch | null,
  ): FolderListing | "too many" | null;
  /** Null where nothing is there, or nothing that may be looked at. */
  stateOf(path: CanonicalPath): ChangeState | null;
  /** Null where folders cannot be watched here. */
  watch(): FolderWatch | null;
}
