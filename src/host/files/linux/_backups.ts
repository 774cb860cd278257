/** The copies of a file that lie beside it, as far as looking goes. */

import type { Libc } from "../../../sandbox/kernel/libc.ts";
import { backupName, backupNumber } from "../_backup_names.ts";
import { openDirectoryAt } from "../../kernel/descriptor_stack.ts";
import { withPlace } from "./_entry.ts";
import type { BackupEntry, Target } from "../file_backend.ts";
import type { Place } from "./_old_file.ts";
import { refusal, requirePermission } from "../../kernel/refusal.ts";
import { type Stat, statAt } from "../../kernel/stat.ts";
import { readEntries } from "../../scan/linux/walk.ts";

export interface Found {
  readonly name: string;
  readonly number: number;
  readonly stat: Stat;
}

/** As `FileBackend.backups`. */
export function listBackups(libc: Libc, target: Target): readonly BackupEntry[] {
  requirePermission("read", target);
  return withPlace(
    libc,
    target,
    (place) =>
      filesOf(libc, place, numbersOf(libc, place)).map(({ name, stat: { size, modified } }) => ({
        name,
        size,
        modified,
      })),
  );
}

/** The numbers that are taken, by whatever has the name, in rising order. */
export function numbersOf(libc: Libc, { target, parent, name }: Place): readonly number[] {
  const descriptor = openDirectoryAt(libc, parent, ".");
  if (descriptor < 0) throw refusal(target, descriptor);
  const entries = readEntries(libc, descriptor, new Uint8Array(32 * 1024), `${name}.bak`);
  libc.call(libc.numbers.close, descriptor);
  if (typeof entries === "number") throw refusal(target, entries);
  return entries.flatMap((entry) => backupNumber(name, entry.name) ?? []).sort((a, b) => a - b);
}

/** Of what has these numbers the regular files. */
export function filesOf(libc: Libc, place: Place, numbers: readonly number[]): readonly Found[] {
  return numbers.flatMap((number) => {
    const name = backupName(place.name, number);
    const stat = statAt(libc, place.parent, name);
    return typeof stat === "object" && stat.type === "file" ? [{ name, number, stat }] : [];
  });
}
