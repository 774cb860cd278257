/** Copying and moving entries through `Deno.*`. */

import { ToolError } from "../../../core/errors.ts";
import { ERRNO } from "../../../sandbox/kernel/errno.ts";
import type { TransferOptions, TreeTarget } from "../file_backend.ts";
import { both, underNewNames } from "../_admit.ts";
import { exists, inTheWay, notAFile, requirePermission } from "../../kernel/refusal.ts";
import { attempt, errnoOf, kindOf, lstat, nameOf, parentOf, typeOf, withFile } from "./_paths.ts";
import { copyContents, keepOwnerAndMode, resemble } from "./_contents.ts";
import { removeMade, removeQuietly, renameNew, requireParent } from "./_names.ts";
import { replaceFile } from "./_replace.ts";
import { makeTemporary, memberOf } from "./_temporary.ts";
import { isTemporary } from "../_temporary_names.ts";
import { requireAllAdmitted, requireEntry, traverse } from "./_trees.ts";

interface Copied {
  readonly files: number;
  readonly bytes: number;
  readonly leftOut: number;
}

interface CopyOptions extends TransferOptions {
  /** Of a move between file systems. */
  readonly whole: boolean;
}

/** As `Files.copy`. */
export function copyEntry(from: TreeTarget, to: TreeTarget, options: TransferOptions): Copied {
  return withParent(to, () => copy(from, to, { ...options, whole: false }));
}

/** Makes the directories that are missing; they go again where `use` throws. */
function withParent<T>(to: TreeTarget, use: () => T): T {
  requirePermission("write", to);
  const made = requireParent(to, true);
  try {
    return use();
  } catch (error) {
    removeMade(made);
    throw error;
  }
}

function copy(from: TreeTarget, to: TreeTarget, options: CopyOptions): Copied {
  requirePermission("read", from);
  requirePermission("write", to);
  const info = requireEntry(from);
  from.require(kindOf(info));
  to.require(kindOf(info));
  if (!info.isFile && !info.isDirectory && !info.isSymlink) {
    throw notAFile(from, "a pipe or device");
  }
  requireFree(to, info, options);
  if (info.isFile) return copyFile(from, to, options);
  const slot = attempt(to, () => makeTemporary(parentOf(to.path), 0o600));
  const path = memberOf(slot, 0);
  try {
    const copied = info.isSymlink
      ? copyLink(from, to, path)
      : copyDirectory(from, to, path, info, options);
    if (lstat(to) !== null) throw exists(to);
    attempt(to, () => Deno.renameSync(path, to.path));
    return copied;
  } finally {
    removeAll(path);
    removeQuietly(slot.path);
    slot.file.close();
  }
}

/** Nothing but a file is ever replaced, and only by a file. */
function requireFree(to: TreeTarget, from: Deno.FileInfo, { overwrite }: TransferOptions): void {
  const there = lstat(to);
  if (there === null) return;
  if (!from.isFile || !there.isFile) throw inTheWay(to, typeOf(there));
  if (!overwrite) throw exists(to);
}

function copyFile(
  from: TreeTarget,
  to: TreeTarget,
  { overwrite, checkpoint, whole }: CopyOptions,
): Copied {
  let bytes = 0;
  withFile(from, (original, info) => {
    replaceFile(to, {
      createParents: false,
      expect: overwrite ? "anything" : "nothing",
      private: true,
      fill(file, old, path) {
        original.seekSync(0, Deno.SeekMode.Start);
        bytes = copyContents(original, file, checkpoint);
        if (old !== null && !whole) keepOwnerAndMode(path, file.statSync(), old.info);
        resemble(path, info, { owner: whole });
      },
    });
  });
  return { files: 1, bytes, leftOut: 0 };
}

function copyLink(from: TreeTarget, to: TreeTarget, path: string): Copied {
  attempt(to, () => Deno.symlinkSync(Deno.readLinkSync(from.path), path));
  return { files: 0, bytes: 0, leftOut: 0 };
}

function copyDirectory(
  from: TreeTarget,
  to: TreeTarget,
  start: string,
  info: Deno.FileInfo,
  { checkpoint, whole }: CopyOptions,
): Copied {
  let files = 0;
  let bytes = 0;
  let leftOut = 0;
  const leaveOut = (): void => {
    if (whole) {
      throw new ToolError(
        "NOT_A_FILE",
        `"${from.shown}" holds what cannot be moved to another file system; nothing was changed`,
      );
    }
    leftOut++;
  };
  attempt(to, () => Deno.mkdirSync(start, { mode: 0o700 }));
  const source = { ...from, admit: both(from.admit, underNewNames(from, to)) };
  for (const { path, info: own, admitted, left } of traverse(source, checkpoint)) {
    const copy = `${start}${path.slice(from.path.length)}`;
    if (left) resemble(copy, own, { owner: whole });
    else if (own.isFile && isTemporary(nameOf(path))) continue;
    else if (!admitted) leaveOut();
    else if (own.isDirectory) attempt(to, () => Deno.mkdirSync(copy, { mode: 0o700 }));
    else if (own.isSymlink) copyLink({ ...from, path }, to, copy);
    else if (own.isFile) {
      bytes += copyFileWithin({ ...from, path }, to, copy, { checkpoint, whole });
      files++;
    } else leaveOut();
  }
  resemble(start, info, { owner: whole });
  return { files, bytes, leftOut };
}

function copyFileWithin(
  from: TreeTarget,
  to: TreeTarget,
  path: string,
  { checkpoint, whole }: Pick<CopyOptions, "checkpoint" | "whole">,
): number {
  return withFile(from, (original, info) =>
    attempt(to, () => {
      const file = Deno.openSync(path, { write: true, createNew: true, mode: 0o600 });
      try {
        const bytes = copyContents(original, file, checkpoint);
        resemble(path, info, { owner: whole });
        file.syncSync();
        return bytes;
      } finally {
        file.close();
      }
    }));
}

/** As `Files.move`. */
export function moveEntry(from: TreeTarget, to: TreeTarget, options: TransferOptions): void {
  requirePermission("read", from);
  requirePermission("write", from);
  withParent(to, () => move(from, to, options));
}

function move(from: TreeTarget, to: TreeTarget, options: TransferOptions): void {
  const info = requireEntry(from);
  from.require(kindOf(info));
  to.require(kindOf(info));
  const there = lstat(to);
  requireFree(to, info, options);
  if (info.isDirectory) {
    const judged = { ...from, admit: both(from.admit, underNewNames(from, to)) };
    requireAllAdmitted(judged, "moved", options.checkpoint);
  }
  try {
    if (there === null) {
      if (info.isFile) {
        if (!renameNew(to, from.path, to.path)) throw exists(to);
      } else Deno.renameSync(from.path, to.path);
    } else if (there.ino === info.ino && there.dev === info.dev) Deno.removeSync(from.path);
    else Deno.renameSync(from.path, to.path);
  } catch (error) {
    if (errnoOf(error) !== ERRNO.EXDEV) return attempt(from, () => raise(error));
    copy(from, to, { ...options, whole: true });
    attempt(from, () => Deno.removeSync(from.path, { recursive: info.isDirectory }));
  }
}

function raise(error: unknown): never {
  throw error;
}

function removeAll(path: string): void {
  try {
    Deno.removeSync(path, { recursive: true });
  } catch {
    // It has another name now.
  }
}
