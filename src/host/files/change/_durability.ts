/**
 * What reaches the disk before a change is answered: the one place where files and directories are synced. Contents
 * always are, before a name leads to them: after a loss of power it leads to the old ones or to the new ones, whole.
 * Names are where the policy's `durability` is `full`: once the call has answered it is the new ones.
 */

import { refusal } from "../../kernel/refusal.ts";
import type { Target } from "../file_backend.ts";
import type { FilePrimitives, Handle } from "../primitives.ts";

/** Before a file gets its name: its contents and attributes. Throws where they did not reach the disk. */
export function syncContents(files: FilePrimitives, target: Target, file: Handle): void {
  const synced = files.sync(file);
  if (synced < 0) throw refusal(target, synced);
}

/** After names were changed: the names, if they are to survive a loss of power for certain. */
export function syncNames(files: FilePrimitives, directory: Handle): void {
  if (files.durability === "full") settleNames(files, directory);
}

/**
 * After names were changed, before what they were made from is removed: the names, whatever the policy says. With the
 * power the new ones could be lost and the removal not, where file systems differ. Some cannot sync directories (EINVAL):
 * theirs is the last word.
 */
export function settleNames(files: FilePrimitives, directory: Handle): void {
  files.sync(directory);
}

/**
 * Before a copied tree gets its name, each file and directory in it: nothing where all are synced at once afterwards,
 * for one by one would take minutes where there are many.
 */
export function syncCopied(files: FilePrimitives, target: Target, handle: Handle): void {
  if (files.syncAll === null) syncContents(files, target, handle);
}

/** After {@linkcode syncCopied} of all of them. */
export function syncAllCopied(files: FilePrimitives, target: Target, directory: Handle): void {
  const synced = files.syncAll?.(directory) ?? 0;
  if (synced < 0) throw refusal(target, synced);
}
