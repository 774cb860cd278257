/**
 * What reaches the disk before a change is answered: the one place where files and directories are synced. Both always
 * are: after a loss of power the name leads to the old contents or to the new ones, whole, and once the call has
 * answered to the new ones. What would promise less (a rename that may be lost) is to be decided here.
 */

import { refusal } from "../../kernel/refusal.ts";
import type { Target } from "../file_backend.ts";
import type { FilePrimitives, Handle } from "../primitives.ts";

/** Before a file gets its name: its contents and attributes. Throws where they did not reach the disk. */
export function syncContents(files: FilePrimitives, target: Target, file: Handle): void {
  const synced = files.sync(file);
  if (synced < 0) throw refusal(target, synced);
}

/** After names were changed: the names. Some file systems cannot sync directories (EINVAL): theirs is the last word. */
export function syncNames(files: FilePrimitives, directory: Handle): void {
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
