/** What the file handles need of a platform: operations on canonical paths that nobody can divert. */

import type { CanonicalPath } from "../../core/capability.ts";
import type {
  Backup,
  Expectation,
  FileContent,
  FileInfo,
  Files,
  TreeCount,
  WalkEntry,
} from "../../core/files.ts";
import type { HelpOptions, RunAnswer, ScannedFile, ScanOptions } from "../../core/scan.ts";
import type { BackupLimits } from "../../policy/model.ts";
import type { ScanGiver, ScanTaker } from "../scan/scan_sharing.ts";

/** A path that was judged, and the words for it in messages. */
export interface Target {
  readonly path: CanonicalPath;
  readonly shown: string;
}

/** What the policy makes of an entry: rules on extensions are for all that is no directory. */
export type EntryKind = "file" | "directory";

/** Whether an entry may be touched. Links and all else that is no directory count as files. */
export type Admits = (entry: CanonicalPath, kind: EntryKind) => boolean;

/** What to judge the entries of a directory by; null where nothing below it, however deep, can be refused. */
export type Admit = (directory: CanonicalPath) => Admits | null;

/** A target that is taken with all below it, whatever is there. */
export interface TreeTarget extends Target {
  /** Throws PATH_DENIED or EXTENSION_DENIED where the policy refuses what is found at the path itself. */
  readonly require: (kind: EntryKind) => void;
  readonly admit: Admit;
}

/** How far a walk goes, and what it gives: see `ReadFiles.walk`. */
export interface WalkOptions {
  readonly maxDepth: number;
  readonly sizes: boolean;
  readonly enter?: (entry: WalkEntry) => boolean;
  readonly admit: Admit;
  /** An entry's path as results show it. */
  show(path: CanonicalPath): string;
}

/** What to judge the entries of a directory by, for those who come to it from the one above. */
export interface EntryAdmits {
  admits(name: string, kind: EntryKind): boolean;
  /** For the directory of that name; null where nothing below it can be refused. */
  into(name: string): EntryAdmits | null;
}

/** How the entries of a tree are taken. */
export interface EntryOptions {
  readonly judge: EntryAdmits | null;
  /** An entry's path as results show it. */
  show(path: CanonicalPath): string;
}

/** Runs what may not come to an end by itself, see `ReadContext.timed`. No `finally` within counts on being reached. */
export type Timed = <T>(work: () => T) => T;

/** Of a scan of a tree, its entries judged: see `ReadFiles.scan`. */
export interface ScanTreeOptions extends ScanOptions, EntryOptions {
  readonly timed: Timed;
  /** Where a helper may take files over; null where none can come. */
  readonly scanShare: ScanGiver | null;
}

/** Of help with another thread's scan: see `ReadFiles.help`. */
export interface HelpTreeOptions extends HelpOptions, EntryOptions {
  readonly scanShare: ScanTaker;
  readonly timed: Timed;
  /** Throws where the help is to end. */
  readonly checkpoint: () => void;
}

/** What has to be there for a write, and whether directories are made for it. */
export interface WriteOptions {
  readonly createParents: boolean;
  readonly expect: Expectation;
}

/** Of operations that may take long: `checkpoint` throws where the call is to end. */
export interface LongOptions {
  readonly checkpoint: () => void;
}

/** As of a write; what is there is added to, whatever it is. */
export interface AppendOptions extends LongOptions {
  readonly createParents: boolean;
}

/** `FileChange` with its paths judged. */
export type Change =
  | (WriteOptions & {
    readonly kind: "write";
    readonly target: Target;
    readonly bytes: Uint8Array;
    readonly like?: Target;
    readonly executable?: boolean;
  })
  | { readonly kind: "remove"; readonly target: Target; readonly expect: Expectation };

/** A backup by the last part of its path. */
export interface BackupEntry extends Pick<Backup, "size" | "modified"> {
  readonly name: string;
}

/** Of making a backup: which names may be used, and which older ones go. `now` in ms since 1970. */
export interface BackUpOptions extends LongOptions, BackupLimits {
  /** Throws where the policy does not let the call write to a backup of this name. */
  readonly require: (backup: CanonicalPath) => void;
  readonly now: number;
  /** The last part of the path of one that stays, whatever the limits. */
  readonly spared?: string;
}

/** Of a write that keeps what it replaces. */
export interface KeepOptions extends BackUpOptions {
  readonly expect: Extract<Expectation, { readonly sha256: string }>;
}

/** Of copying and moving. `overwrite`: a file may be replaced by a file, and nothing else by anything. */
export interface TransferOptions extends LongOptions {
  readonly overwrite: boolean;
}

/**
 * Errors are `ToolError`s with the codes that `ReadFiles` and `Files` name. Every operation asks the runtime's
 * permission set about the path before it touches it: NATIVE_DENIED where that says no.
 */
export interface FileBackend {
  read(target: Target, limit: number): FileContent;
  readStart(target: Target, count: number): FileContent;
  find(target: Target): FileInfo | null;
  walk(target: Target, options: WalkOptions): Iterable<WalkEntry>;
  /** Where there is a quicker way than a walk and a read for each file. */
  scan?(target: Target, options: ScanTreeOptions, visit: (file: ScannedFile) => void): void;
  /** Where scans give files away. */
  help?(target: Target, options: HelpTreeOptions, answer: RunAnswer): void;
  countTree(tree: TreeTarget, options: LongOptions): TreeCount;
  /** Oldest first, whatever their names are judged to be. */
  backups(target: Target): readonly BackupEntry[];

  write(target: Target, bytes: Uint8Array, options: WriteOptions): ReturnType<Files["write"]>;
  append(target: Target, bytes: Uint8Array, options: AppendOptions): ReturnType<Files["append"]>;
  /** No two of the same path. */
  apply(changes: readonly Change[], options: LongOptions): void;
  /** The last part of the path of the backup that was made. */
  backUp(target: Target, options: BackUpOptions): string;
  /** As `write` and `backUp` of what is replaced, at once. */
  writeKeeping(target: Target, bytes: Uint8Array, options: KeepOptions): string;
  /** `backup`: a file beside the target. */
  restore(target: Target, backup: Target, options: LongOptions): void;
  remove(
    tree: TreeTarget,
    options: LongOptions & { readonly recursive: boolean },
  ): ReturnType<Files["remove"]>;
  /** `to` lies neither in `from` nor the other way round. */
  copy(from: TreeTarget, to: TreeTarget, options: TransferOptions): ReturnType<Files["copy"]>;
  /** As `copy`. */
  move(from: TreeTarget, to: TreeTarget, options: TransferOptions): void;
  createDirectory(
    target: Target,
    options: { readonly parents: boolean },
  ): ReturnType<Files["createDirectory"]>;
  /** Gives back what a change has no more use for, and its caller does not wait for: to be called once that is answered. */
  settle(): void;
}
