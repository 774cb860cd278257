/** A name in an open directory: what a path comes to, before anything is done there. */

import { changed, notAFile, refusal } from "../kernel/refusal.ts";
import type { Stat } from "../kernel/stat.ts";
import type { EntryKind, Target } from "./file_backend.ts";
import { nameIn, openNewParent, openParent, removeMade } from "./parent_directory.ts";
import type { FilePrimitives, Handle, ReadPrimitives } from "./primitives.ts";

/** A name in an open directory, and the words for it. */
export interface TargetEntry {
  readonly target: Target;
  readonly parent: Handle;
  readonly name: string;
}

/** A file that is open, and what it was then. */
export interface OpenFile {
  readonly handle: Handle;
  readonly stat: Stat;
}

/** Runs `use` with the directory of `target` open. FILE_NOT_FOUND where it is not there. */
export function withEntry<T>(
  files: ReadPrimitives,
  target: Target,
  use: (entry: TargetEntry) => T,
): T {
  const parent = openParent(files, target);
  try {
    return use({ target, parent, name: nameIn(target.path) });
  } finally {
    files.close(parent);
  }
}

/** As {@linkcode withEntry}, the directories made that are missing; they go again where `use` throws. */
export function withNewEntry<T>(
  files: FilePrimitives,
  target: Target,
  create: boolean,
  use: (entry: TargetEntry) => T,
): T {
  const { parent, made } = openNewParent(files, target, create);
  let done = false;
  try {
    const result = use({ target, parent, name: nameIn(target.path) });
    done = true;
    return result;
  } finally {
    files.close(parent);
    if (!done) removeMade(files, made);
  }
}

/** What is there, links for what they are. Throws FILE_NOT_FOUND. */
export function requireEntry(files: ReadPrimitives, { target, parent, name }: TargetEntry): Stat {
  const stat = files.statAt(parent, name);
  if (typeof stat === "number") throw refusal(target, stat);
  return stat;
}

/** What the policy's rules take it for. */
export function kindOf({ type }: Pick<Stat, "type">): EntryKind {
  return type === "directory" ? "directory" : "file";
}

/** A canonical path does not end in a link: where one stands now, something was swapped. */
export function requireFile(target: Target, stat: Pick<Stat, "type">): void {
  if (stat.type === "symlink") throw changed(target);
  if (stat.type === "directory") throw notAFile(target, "a directory");
  if (stat.type !== "file") throw notAFile(target, "a pipe or device");
}

/** A regular file for reading; never held up by a pipe in its place. The caller closes it. */
export function openForReading(
  files: ReadPrimitives,
  { target, parent, name }: TargetEntry,
): OpenFile {
  const before = files.statAt(parent, name);
  if (typeof before === "number") throw refusal(target, before);
  requireFile(target, before);
  const handle = files.openAt(parent, name, "read");
  if (handle < 0) throw refusal(target, handle);
  const stat = files.statOf(handle);
  try {
    if (typeof stat === "number") throw refusal(target, stat);
    requireFile(target, stat);
    return { handle, stat };
  } catch (error) {
    files.close(handle);
    throw error;
  }
}
