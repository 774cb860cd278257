/** The files that a patch changes, as it has left them so far: nothing is written. */

import type { ReadContext } from "../../../core/tool.ts";
import type { HunkNote } from "./apply.ts";

/** A file at some point of a patch. */
export interface Node {
  /** Null where there is no file. */
  readonly bytes: Uint8Array | null;
  /** Set where the patch says so. */
  readonly executable?: boolean;
  /** The file that was there before the patch and that this one was made from, under another name. */
  readonly source?: { readonly path: string; readonly isMoved: boolean };
  /** It went elsewhere. */
  readonly isGone: boolean;
  readonly added: number;
  readonly removed: number;
  readonly notes: readonly HunkNote[];
}

/** What became of a file in all. */
export interface PlannedFile {
  /** As results show it. */
  readonly path: string;
  /** As the patch first has it. */
  readonly requested: string;
  /** Null where it only goes elsewhere, which is told of there. */
  readonly change: "added" | "modified" | "deleted" | "moved" | null;
  readonly node: Node;
  readonly before: Uint8Array | null;
  /** What it was made from, under whatever name. */
  readonly base: Uint8Array | null;
  readonly executable?: boolean;
  /** What it is moved or copied from, as the patch has it. */
  readonly from?: string;
}

/** The files that a patch names, as far as it has been applied; nothing is written. */
export interface PatchTree {
  /** The name of a file in results: two paths of one file have the same. */
  nameOf(path: string): string;
  /** Whether there was such a file before the patch. */
  existed(path: string): boolean;
  current(path: string): Node;
  /**
   * As `current`, but as it was before this stage of the patch, where it was put in its place in this stage:
   * `git diff` tells of all files as they were before, so that two can change places. With `always` whatever
   * happened to it in this stage.
   */
  before(path: string, stage: number, always: boolean): Node;
  /** `isPlaced`: as a whole, whatever was there. */
  set(path: string, node: Node, stage: number, isPlaced: boolean): void;
  /** All that are now other than they were. */
  changes(): readonly PlannedFile[];
}

/** What is known of one path. */
interface Entry {
  readonly requested: string;
  readonly node: Node;
  readonly stage: number;
  readonly isPlaced: boolean;
  /** At the beginning of that stage. */
  readonly earlier: Node;
}

interface Original {
  readonly bytes: Uint8Array | null;
  readonly mode: number;
}

/** No file there. */
export const NOTHING: Node = { bytes: null, isGone: false, added: 0, removed: 0, notes: [] };

/** A tree over the files as they are. Reading throws as `files.read`. */
export function createPatchTree({ files, limits }: ReadContext): PatchTree {
  const originals = new Map<string, Original>();
  const entries = new Map<string, Entry>();
  const originalOf = (path: string): Original => {
    const key = files.display(path);
    const known = originals.get(key);
    if (known !== undefined) return known;
    const found = files.find(path);
    const original = found === null
      ? { bytes: null, mode: 0 }
      : { bytes: files.read(path, limits.write).bytes.slice(), mode: found.mode };
    originals.set(key, original);
    return original;
  };
  const entryOf = (path: string): Entry => {
    const key = files.display(path);
    const known = entries.get(key);
    if (known !== undefined) return known;
    const entry = unchanged(path, originalOf(path).bytes);
    entries.set(key, entry);
    return entry;
  };

  /** What takes the place of another file keeps that one's mode, save what Git keeps of modes. */
  const executableOf = (
    { bytes, executable, source }: Node,
    old: Original,
  ): boolean | undefined => {
    if (bytes === null) return undefined;
    if (executable !== undefined) return executable;
    if (source === undefined || old.bytes === null) return undefined;
    const isExecutable = (originalOf(source.path).mode & 0o100) !== 0;
    return isExecutable === ((old.mode & 0o100) !== 0) ? undefined : isExecutable;
  };
  const planned = (path: string, { requested, node }: Entry): readonly PlannedFile[] => {
    const old = originalOf(requested);
    const executable = executableOf(node, old);
    const isSame = old.bytes === null || node.bytes === null
      ? old.bytes === node.bytes
      : isEqual(old.bytes, node.bytes);
    if (isSame && executable === undefined) return [];
    return [{
      path,
      requested,
      change: changeOf(node, old),
      node,
      before: old.bytes,
      base: node.source === undefined ? old.bytes : originalOf(node.source.path).bytes,
      ...(executable === undefined ? {} : { executable }),
      ...(node.source === undefined ? {} : { from: node.source.path }),
    }];
  };

  return {
    nameOf: files.display,
    existed: (path) => originalOf(path).bytes !== null,
    current: (path) => entryOf(path).node,
    before(path, stage, always) {
      const entry = entryOf(path);
      return entry.stage === stage && (entry.isPlaced || always) ? entry.earlier : entry.node;
    },
    set(path, node, stage, isPlaced) {
      const entry = entryOf(path);
      const isSameStage = entry.stage === stage;
      entries.set(files.display(path), {
        requested: entry.requested,
        node,
        stage,
        isPlaced: isPlaced || (isSameStage && entry.isPlaced),
        earlier: isSameStage ? entry.earlier : entry.node,
      });
    },
    changes: () => [...entries].flatMap(([path, entry]) => planned(path, entry)),
  };
}

function unchanged(requested: string, bytes: Uint8Array | null): Entry {
  const node = { ...NOTHING, bytes };
  return { requested, node, stage: -1, isPlaced: false, earlier: node };
}

function changeOf({ bytes, isGone, source }: Node, old: Original): PlannedFile["change"] {
  if (bytes === null) return isGone ? null : "deleted";
  if (source?.isMoved === true) return "moved";
  return old.bytes === null ? "added" : "modified";
}

function isEqual(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, index) => byte === b[index]);
}
