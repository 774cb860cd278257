/**
 * The backups of a file, that lie beside it. The one place that finds them: by listing the directory, which takes the
 * longer the more it holds.
 */

import { refusal } from "../kernel/refusal.ts";
import type { Stat } from "../kernel/stat.ts";
import { backupName, backupNumber } from "./_backup_names.ts";
import type { TargetEntry } from "./_target_entry.ts";
import type { ReadPrimitives } from "./primitives.ts";

/** A backup that is a regular file. */
export interface BackupFile {
  readonly name: string;
  readonly number: number;
  readonly stat: Stat;
}

/** The numbers that are taken, by whatever has the name, in rising order. */
export function takenNumbers(
  files: ReadPrimitives,
  { target, parent, name }: TargetEntry,
): readonly number[] {
  // A handle of its own: that of the place may be one that cannot be listed.
  const directory = files.openAt(parent, ".", "directory");
  if (directory < 0) throw refusal(target, directory);
  const entries = files.list(directory, `${name}.bak`);
  files.close(directory);
  if (typeof entries === "number") throw refusal(target, entries);
  return entries.flatMap((entry) => backupNumber(name, entry.name) ?? []).sort((a, b) => a - b);
}

/** Of what has these numbers the regular files. */
export function backupFiles(
  files: ReadPrimitives,
  entry: TargetEntry,
  numbers: readonly number[],
): readonly BackupFile[] {
  return numbers.flatMap((number) => {
    const name = backupName(entry.name, number);
    const stat = files.statAt(entry.parent, name);
    return typeof stat === "object" && stat.type === "file" ? [{ name, number, stat }] : [];
  });
}
