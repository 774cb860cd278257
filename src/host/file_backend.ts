/** What the file handles need of a platform: operations on canonical paths that nobody can divert. */

import type { CanonicalPath } from "../core/capability.ts";
import type { FileContent, FileInfo, WalkEntry } from "../core/tool.ts";

/** A path that was judged, and the words for it in messages. */
export interface Target {
  readonly path: CanonicalPath;
  readonly shown: string;
}

/** Whether an entry may be seen. Links and all else that is no directory count as files. */
export type Admits = (entry: CanonicalPath, kind: "file" | "directory") => boolean;

export interface WalkOptions {
  readonly maxDepth: number;
  readonly sizes: boolean;
  readonly enter?: (entry: WalkEntry) => boolean;
  /** What to judge the entries of a directory by; null where none of them can be refused. */
  admit(directory: CanonicalPath): Admits | null;
  /** An entry's path as results show it. */
  show(path: CanonicalPath): string;
}

export interface WriteOptions {
  readonly createParents: boolean;
  readonly expectedSha256?: string;
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
  write(target: Target, bytes: Uint8Array, options: WriteOptions): { readonly created: boolean };
}
