/** What changes files, over the primitives of whatever platform, with the same care everywhere for names that move. */

import type { FileBackend } from "../file_backend.ts";
import type { FilePrimitives } from "../primitives.ts";
import { applyChanges } from "./_apply.ts";
import { backUp, restore, writeKeeping } from "./_backup.ts";
import { copyEntry } from "./_copy.ts";
import { createDirectory } from "./_create_directory.ts";
import { LastBackups } from "./_last_backups.ts";
import { moveEntry } from "./_move.ts";
import { removeEntry } from "./_remove.ts";
import { appendFile, writeFile } from "./_write.ts";

/** The half of `FileBackend` that changes something. */
export type Changing = Pick<
  FileBackend,
  | "write"
  | "append"
  | "apply"
  | "backUp"
  | "writeKeeping"
  | "restore"
  | "remove"
  | "copy"
  | "move"
  | "createDirectory"
  | "settle"
>;

/** All changes, made of these primitives. */
export function createChanging(files: FilePrimitives): Changing {
  const last = new LastBackups();
  return {
    write: (target, bytes, options) => writeFile(files, target, bytes, options),
    append: (target, bytes, options) => appendFile(files, target, bytes, options),
    apply: (changes, options) => applyChanges(files, changes, options),
    backUp: (target, options) => backUp(files, target, options, last),
    writeKeeping: (target, bytes, options) => writeKeeping(files, target, bytes, options, last),
    restore: (target, backup, options) => restore(files, target, backup, options),
    remove: (tree, options) => removeEntry(files, tree, options),
    copy: (from, to, options) => copyEntry(files, from, to, { ...options, whole: false }),
    move: (from, to, options) => moveEntry(files, from, to, options),
    createDirectory: (target, options) => createDirectory(files, target, options),
    settle: () => files.settle(),
  };
}
