/** Backups through `Deno.*`: made, listed, put back. */

import { backupName, backupNumber, expired, nextNumber } from "../_backup_names.ts";
import type { BackupEntry, BackUpOptions, LongOptions, Target } from "../file_backend.ts";
import { changed, requirePermission } from "../../kernel/refusal.ts";
import { attempt, lstat, nameOf, parentOf, withFile } from "./_paths.ts";
import { copyContents, keepOwnerAndMode, resemble } from "./_contents.ts";
import { beside, removeQuietly, renameNew } from "./_names.ts";
import { replaceFile } from "./_replace.ts";
import { makeTemporary } from "./_temporary.ts";

const PRIVATE_MODE = 0o600;
const ATTEMPTS = 1_000;

/** As `FileBackend.backups`. */
export function listBackups(target: Target): readonly BackupEntry[] {
  requirePermission("read", target);
  return filesOf(target, numbersOf(target)).map(({ name, info }) => ({
    name,
    size: info.size,
    modified: info.mtime?.getTime() ?? 0,
  }));
}

function numbersOf(target: Target): readonly number[] {
  const file = nameOf(target.path);
  const entries = attempt(target, () => [...Deno.readDirSync(parentOf(target.path))]);
  return entries.flatMap(({ name }) => backupNumber(file, name) ?? []).sort((a, b) => a - b);
}

interface Found {
  readonly name: string;
  readonly number: number;
  readonly info: Deno.FileInfo;
}

function filesOf(target: Target, numbers: readonly number[]): readonly Found[] {
  return numbers.flatMap((number) => {
    const name = backupName(nameOf(target.path), number);
    const info = lstat(beside(target, name));
    return info?.isFile === true ? [{ name, number, info }] : [];
  });
}

/** As `FileBackend.backUp`. */
export function backUp(target: Target, options: BackUpOptions): string {
  requirePermission("write", target);
  return withFile(target, (original, info) => {
    const taken = numbersOf(target);
    const { file, path } = attempt(
      target,
      () => makeTemporary(parentOf(target.path), PRIVATE_MODE),
    );
    let made: string | null = null;
    try {
      attempt(target, () => {
        copyContents(original, file, options.checkpoint);
        resemble(path, info, { owner: true });
        file.syncSync();
      });
      made = nameCopy(target, path, nextNumber(taken), options);
    } finally {
      if (made === null) removeQuietly(path);
      file.close();
    }
    letGo(target, [...taken, backupNumber(nameOf(target.path), made) ?? 0], options);
    return made;
  });
}

function nameCopy(
  target: Target,
  temporary: string,
  number: number,
  { require }: BackUpOptions,
): string {
  for (let attempts = 0; attempts < ATTEMPTS; attempts++) {
    const name = backupName(nameOf(target.path), number + attempts);
    const copy = beside(target, name);
    require(copy.path);
    if (renameNew(target, temporary, copy.path)) return name;
  }
  throw changed(target);
}

function letGo(target: Target, numbers: readonly number[], options: BackUpOptions): void {
  const { keep, ageMs, now, require, spared } = options;
  if (keep === null && ageMs === null) return;
  const dated = filesOf(target, numbers).map((one) => ({
    ...one,
    made: one.info.ctime?.getTime() ?? now,
  }));
  for (const { name } of expired(dated, { keep, ageMs, now })) {
    if (name === spared) continue;
    const { path } = beside(target, name);
    try {
      require(path);
    } catch {
      continue;
    }
    removeQuietly(path);
  }
}

/** As `FileBackend.restore`. */
export function restore(target: Target, backup: Target, { checkpoint }: LongOptions): void {
  withFile(backup, (original, info) => {
    replaceFile(target, {
      createParents: false,
      expect: "anything",
      private: true,
      fill(file, old, path) {
        original.seekSync(0, Deno.SeekMode.Start);
        copyContents(original, file, checkpoint);
        if (old !== null) keepOwnerAndMode(path, file.statSync(), old.info);
        resemble(path, info, { owner: old === null });
      },
    });
  });
}
