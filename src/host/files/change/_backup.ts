/** Copies of a file beside it: made so that two callers never share one, and put back. */

import { siblingOf } from "../../../core/path_text.ts";
import { ERRNO } from "../../../sandbox/kernel/errno.ts";
import { changed, refusal, requirePermission } from "../../kernel/refusal.ts";
import { backupName, backupNumber, expired, nextNumber } from "../_backup_names.ts";
import { backupFiles, takenNumbers } from "../_backups.ts";
import { openForReading, type TargetEntry, withEntry } from "../_target_entry.ts";
import type { BackUpOptions, LongOptions, Target } from "../file_backend.ts";
import type { FilePrimitives } from "../primitives.ts";
import { giveTo, resemble } from "./_attributes.ts";
import { copyContents } from "./_contents.ts";
import { syncContents, syncNames } from "./_durability.ts";
import type { LastBackups } from "./_last_backups.ts";
import { renameNew } from "./_renaming.ts";
import { replaceFile } from "./_replacement.ts";
import { makeTemporaryFile } from "./_temporary_file.ts";

const PRIVATE_MODE = 0o600;
/** Names that others take between our look and our rename, before we give up. */
const ATTEMPTS = 1_000;

/**
 * As `FileBackend.backUp`. The copy is complete and synced before it has its name. The folder is listed where `last` does
 * not know the newest backup, where others have made one since, and where the policy has no room for all of them.
 */
export function backUp(
  files: FilePrimitives,
  target: Target,
  options: BackUpOptions,
  last: LastBackups,
): string {
  requirePermission("write", target);
  return withEntry(files, target, (entry) => {
    const { parent } = entry;
    const original = openForReading(files, entry);
    try {
      const known = hasLimits(options) ? null : last.numberOf(files, entry);
      const taken = known === null ? takenNumbers(files, entry) : [known];
      const copy = makeTemporaryFile(files, parent, PRIVATE_MODE);
      if (typeof copy === "number") throw refusal(target, copy);
      let made: string | null = null;
      try {
        const { checkpoint } = options;
        copyContents(files, target, original.handle, copy.handle, checkpoint);
        resemble(files, target, copy.handle, original, { owner: true });
        syncContents(files, target, copy.handle);
        made = nameCopy(files, entry, copy.name, nextNumber(taken), options);
      } finally {
        if (made === null) files.unlinkAt(parent, copy.name, "entry");
        files.close(copy.handle);
      }
      last.note(target, backupNumber(entry.name, made) ?? 0);
      letGo(files, entry, taken, made, options);
      syncNames(files, parent);
      return made;
    } finally {
      files.close(original.handle);
    }
  });
}

function hasLimits({ keep, ageMs }: BackUpOptions): boolean {
  return keep !== null || ageMs !== null;
}

/** Gives the copy the name with this number, or the one after all that others have made. */
function nameCopy(
  files: FilePrimitives,
  entry: TargetEntry,
  temporary: string,
  first: number,
  { require }: BackUpOptions,
): string {
  const { target, parent } = entry;
  let number = first;
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const name = backupName(entry.name, number);
    require(siblingOf(target.path, name));
    const result = renameNew(
      files,
      { directory: parent, name: temporary },
      { directory: parent, name },
    );
    if (result === 0) return name;
    if (result !== -ERRNO.EEXIST) throw refusal(target, result);
    number = Math.max(number + 1, nextNumber(takenNumbers(files, entry)));
  }
  throw changed(target);
}

/** Removes the backups that the policy has no room for, as far as it lets the call. */
function letGo(
  files: FilePrimitives,
  entry: TargetEntry,
  taken: readonly number[],
  made: string,
  options: BackUpOptions,
): void {
  if (!hasLimits(options)) return;
  const { keep, ageMs, now, require, spared } = options;
  const all = backupFiles(files, entry, [...taken, backupNumber(entry.name, made) ?? 0]);
  // The contents of a backup are as old as they are: what counts is when it was made.
  const dated = all.map((one) => ({ ...one, made: one.stat.changed }));
  for (const { name } of expired(dated, { keep, ageMs, now })) {
    if (name === spared) continue;
    try {
      require(siblingOf(entry.target.path, name));
    } catch {
      continue;
    }
    files.unlinkAt(entry.parent, name, "entry");
  }
}

/** As `FileBackend.restore`. */
export function restore(
  files: FilePrimitives,
  target: Target,
  backup: Target,
  { checkpoint }: LongOptions,
): void {
  requirePermission("read", backup);
  withEntry(files, backup, (entry) => {
    const original = openForReading(files, entry);
    try {
      replaceFile(files, target, {
        createParents: false,
        expect: "anything",
        private: true,
        fill(file, old) {
          const { handle } = file;
          files.seek(original.handle, 0);
          copyContents(files, target, original.handle, handle, checkpoint);
          if (old !== null) giveTo(files, target, file, old.stat);
          resemble(files, target, handle, original, { owner: old === null });
        },
      });
    } finally {
      files.close(original.handle);
    }
  });
}
