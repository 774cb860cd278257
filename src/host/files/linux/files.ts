/** The file handles on Linux: what reads, and what changes files with the same care for names that move. */

import type { Libc } from "../../../sandbox/kernel/libc.ts";
import { applyChanges } from "./_apply.ts";
import { backUp, restore } from "./_backup.ts";
import { copyEntry } from "./_copy.ts";
import { createDirectory, removeEntry } from "./_entry.ts";
import type { FileBackend } from "../file_backend.ts";
import { moveEntry } from "./_move.ts";
import { createLinuxReading } from "./reading.ts";
import { appendFile, writeFile } from "./_write.ts";

/** The files of this thread, through its system calls. */
export function createLinuxFiles(libc: Libc): FileBackend {
  return {
    ...createLinuxReading(libc),
    write: (target, bytes, options) => writeFile(libc, target, bytes, options),
    append: (target, bytes, options) => appendFile(libc, target, bytes, options),
    apply: (changes, options) => applyChanges(libc, changes, options),
    backUp: (target, options) => backUp(libc, target, options),
    restore: (target, backup, options) => restore(libc, target, backup, options),
    remove: (tree, options) => removeEntry(libc, tree, options),
    copy: (from, to, options) => copyEntry(libc, from, to, { ...options, whole: false }),
    move: (from, to, options) => moveEntry(libc, from, to, options),
    createDirectory: (target, options) => createDirectory(libc, target, options),
  };
}
