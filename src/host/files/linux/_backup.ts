/** Copies of a file beside it: made so that two callers never share one, and put back. */

import { ERRNO } from "../../../sandbox/kernel/errno.ts";
import type { Libc } from "../../../sandbox/kernel/libc.ts";
import { giveTo, resemble } from "./_attributes.ts";
import { backupName, backupNumber, expired, nextNumber } from "../_backup_names.ts";
import { copyContents } from "./_contents.ts";
import { withPlace } from "./_entry.ts";
import type { BackUpOptions, LongOptions, Target } from "../file_backend.ts";
import { filesOf, numbersOf } from "./_backups.ts";
import { openForReading, type Place } from "./_old_file.ts";
import { changed, refusal, requirePermission } from "../../kernel/refusal.ts";
import { renameNew } from "../../kernel/rename.ts";
import { replaceFile } from "./_replacement.ts";
import { makeTemporaryFile } from "./_temporary_file.ts";
import type { CanonicalPath } from "../../../core/capability.ts";

const PRIVATE_MODE = 0o600;
/** Names that others take between our look and our rename, before we give up. */
const ATTEMPTS = 1_000;

/** As `FileBackend.backUp`. The copy is complete and synced before it has its name. */
export function backUp(libc: Libc, target: Target, options: BackUpOptions): string {
  requirePermission("write", target);
  return withPlace(libc, target, (place) => {
    const { numbers } = libc;
    const { parent } = place;
    const original = openForReading(libc, place);
    try {
      const taken = numbersOf(libc, place);
      const copy = makeTemporaryFile(libc, parent, PRIVATE_MODE);
      if (typeof copy === "number") throw refusal(target, copy);
      let made: string | null = null;
      try {
        const { checkpoint } = options;
        copyContents(libc, target, original.descriptor, copy.descriptor, checkpoint);
        resemble(libc, target, copy.descriptor, original, { owner: true });
        const synced = libc.call(numbers.fsync, copy.descriptor);
        if (synced < 0) throw refusal(target, synced);
        made = nameCopy(libc, place, copy.name, nextNumber(taken), options);
      } finally {
        if (made === null) libc.call(numbers.unlinkat, parent, libc.path(copy.name), 0);
        libc.call(numbers.close, copy.descriptor);
      }
      letGo(libc, place, taken, made, options);
      libc.call(numbers.fsync, parent);
      return made;
    } finally {
      libc.call(numbers.close, original.descriptor);
    }
  });
}

/** Gives the copy the first free name from `number` on. */
function nameCopy(
  libc: Libc,
  place: Place,
  temporary: string,
  number: number,
  { require }: BackUpOptions,
): string {
  const { target, parent } = place;
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const name = backupName(place.name, number + attempt);
    require(beside(target, name));
    const result = renameNew(libc, parent, temporary, name);
    if (result === 0) return name;
    if (result !== -ERRNO.EEXIST) throw refusal(target, result);
  }
  throw changed(target);
}

/** Removes the backups that the policy has no room for, as far as it lets the call. */
function letGo(
  libc: Libc,
  place: Place,
  taken: readonly number[],
  made: string,
  options: BackUpOptions,
): void {
  const { keep, ageMs, now, require, spared } = options;
  if (keep === null && ageMs === null) return;
  const all = filesOf(libc, place, [...taken, backupNumber(place.name, made) ?? 0]);
  // The contents of a backup are as old as they are: what counts is when it was made.
  const dated = all.map((one) => ({ ...one, made: one.stat.changed }));
  for (const { name } of expired(dated, { keep, ageMs, now })) {
    if (name === spared) continue;
    try {
      require(beside(place.target, name));
    } catch {
      continue;
    }
    libc.call(libc.numbers.unlinkat, place.parent, libc.path(name), 0);
  }
}

function beside({ path }: Target, name: string): CanonicalPath {
  return `${path.slice(0, path.lastIndexOf("/"))}/${name}` as CanonicalPath;
}

/** As `FileBackend.restore`. */
export function restore(
  libc: Libc,
  target: Target,
  backup: Target,
  { checkpoint }: LongOptions,
): void {
  requirePermission("read", backup);
  withPlace(libc, backup, (place) => {
    const original = openForReading(libc, place);
    try {
      replaceFile(libc, target, {
        createParents: false,
        expect: "anything",
        private: true,
        fill(file, old) {
          const { descriptor } = file;
          libc.callWide(libc.numbers.lseek, original.descriptor, 0, 0);
          copyContents(libc, target, original.descriptor, descriptor, checkpoint);
          if (old !== null) giveTo(libc, target, file, old.stat);
          resemble(libc, target, descriptor, original, { owner: old === null });
        },
      });
    } finally {
      libc.call(libc.numbers.close, original.descriptor);
    }
  });
}
