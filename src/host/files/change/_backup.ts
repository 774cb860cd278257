/** Backups of a file beside it: made so that two callers never share one, and put back. */

import { siblingOf } from "../../../core/path_text.ts";
import { ERRNO } from "../../../sandbox/kernel/errno.ts";
import { changed, refusal, requirePermission, stale } from "../../kernel/refusal.ts";
import { isSameFile } from "../../kernel/stat.ts";
import { backupName, backupNumber, expired, nextNumber } from "../_backup_names.ts";
import { backupFiles, takenNumbers } from "../_backups.ts";
import { type OpenFile, openForReading, type TargetEntry, withEntry } from "../_target_entry.ts";
import type { BackUpOptions, KeepOptions, LongOptions, Target } from "../file_backend.ts";
import type { FilePrimitives, Name, Result } from "../primitives.ts";
import { giveTo, resemble, takeAfter } from "./_attributes.ts";
import { copyContents, writeAll } from "./_contents.ts";
import { syncContents, syncNames } from "./_durability.ts";
import type { LastBackups } from "./_last_backups.ts";
import { renameNew } from "./_renaming.ts";
import { replaceFile } from "./_replacement.ts";
import { makeTemporaryFile } from "./_temporary_file.ts";

const PRIVATE_MODE = 0o600;
/** set-user-ID and set-group-ID: no second file has them. */
const SPECIAL_MODE_BITS = 0o6000;
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
    const original = openForReading(files, entry);
    try {
      const taken = knownNumbers(files, entry, options, last);
      const made = copyBeside(files, entry, original, { ...options, first: nextNumber(taken) });
      last.note(target, backupNumber(entry.name, made) ?? 0);
      letGo(files, entry, taken, made, options);
      syncNames(files, entry.parent);
      return made;
    } finally {
      files.close(original.handle);
    }
  });
}

/**
 * As `FileBackend.writeKeeping`. What is replaced needs no copy: it gets its backup's name beside its own, which the new
 * file then takes. Where another name leads to it, or the file system knows no second names, it is copied.
 */
export function writeKeeping(
  files: FilePrimitives,
  target: Target,
  bytes: Uint8Array,
  { expect, ...options }: KeepOptions,
  last: LastBackups,
): string {
  let [taken, made]: [readonly number[], string | null] = [[], null];
  replaceFile(files, target, {
    createParents: false,
    expect,
    fill(file, old) {
      writeAll(files, target, file.handle, bytes);
      if (old !== null) takeAfter(files, target, file, old);
    },
    keep(entry, old) {
      taken = knownNumbers(files, entry, options, last);
      const asked = { ...options, first: nextNumber(taken) };
      const name =
        linkBeside(files, entry, old, { ...asked, isSynced: last.isSynced(target, old.stat) }) ??
          copyBeside(files, entry, atStart(files, target, old), asked);
      made = name;
      return () => files.unlinkAt(entry.parent, name, "entry");
    },
    done(entry, { handle }) {
      if (made === null) return;
      const now = files.statOf(handle);
      last.note(target, backupNumber(entry.name, made) ?? 0, typeof now === "object" ? now : null);
      letGo(files, entry, taken, made, options);
    },
  });
  // With an expectation there was a file, or nothing was replaced.
  if (made === null) throw changed(target);
  return made;
}

function hasLimits({ keep, ageMs }: BackUpOptions): boolean {
  return keep !== null || ageMs !== null;
}

/** Numbers of backups, the highest among them. */
function knownNumbers(
  files: FilePrimitives,
  entry: TargetEntry,
  options: BackUpOptions,
  last: LastBackups,
): readonly number[] {
  const known = hasLimits(options) ? null : last.numberOf(files, entry);
  return known === null ? takenNumbers(files, entry) : [known];
}

/** Of what gets the first free name from this number on. */
interface NewBackup extends BackUpOptions {
  readonly first: number;
}

/** A copy with the next name, synced. */
function copyBeside(
  files: FilePrimitives,
  entry: TargetEntry,
  original: OpenFile,
  options: NewBackup,
): string {
  const { target, parent } = entry;
  const copy = makeTemporaryFile(files, parent, PRIVATE_MODE);
  if (typeof copy === "number") throw refusal(target, copy);
  let made: string | null = null;
  try {
    copyContents(files, target, original.handle, copy.handle, options.checkpoint);
    resemble(files, target, copy.handle, original, { owner: true });
    syncContents(files, target, copy.handle);
    const from = { directory: parent, name: copy.name };
    const named = nameBackup(files, entry, options, (to) => renameNew(files, from, to));
    if (typeof named === "number") throw refusal(target, named);
    made = named;
    return made;
  } finally {
    if (made === null) files.unlinkAt(parent, copy.name, "entry");
    files.close(copy.handle);
  }
}

/** The file itself with a second name, synced; null where it is to be copied. */
function linkBeside(
  files: FilePrimitives,
  entry: TargetEntry,
  { handle, stat }: OpenFile,
  options: NewBackup & { readonly isSynced: boolean },
): string | null {
  const { target, parent } = entry;
  if (stat.links !== 1 || (stat.mode & SPECIAL_MODE_BITS) !== 0) return null;
  if (!options.isSynced) syncContents(files, target, handle);
  const from = { directory: parent, name: entry.name };
  const named = nameBackup(files, entry, options, (to) => files.linkAt(from, to));
  if (typeof named === "number") return null;
  const linked = files.statAt(parent, named);
  if (typeof linked === "object" && isSameFile(linked, stat)) return named;
  // Somebody has put another file there meanwhile: that one is not what is replaced.
  files.unlinkAt(parent, named, "entry");
  throw stale(target, "has changed");
}

/** From its start: it was read to be compared. */
function atStart(files: FilePrimitives, target: Target, file: OpenFile): OpenFile {
  const result = files.seek(file.handle, 0);
  if (result < 0) throw refusal(target, result);
  return file;
}

/** Gives what is made into a backup the first free name, or the one after all that others have made; or why it cannot. */
function nameBackup(
  files: FilePrimitives,
  entry: TargetEntry,
  { first, require }: NewBackup,
  give: (to: Name) => Result,
): string | Result {
  const { target, parent } = entry;
  let number = first;
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const name = backupName(entry.name, number);
    require(siblingOf(target.path, name));
    const result = give({ directory: parent, name });
    if (result >= 0) return name;
    if (result !== -ERRNO.EEXIST) return result;
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
