/** Copying an entry: a file, a link, or a directory with all in it, which appears whole or not at all. */

import { ERRNO } from "../../../sandbox/kernel/errno.ts";
import type { Libc } from "../../../sandbox/kernel/libc.ts";
import { giveTo, resemble } from "./_attributes.ts";
import { copyContents } from "./_contents.ts";
import { type Copied, copyLink, type CopyOptions } from "./_copy_parts.ts";
import { copyDirectory } from "./_copy_tree.ts";
import { kindOf, statOfPlace, withNewPlace, withPlace } from "./_entry.ts";
import type { Target, TransferOptions, TreeTarget } from "../file_backend.ts";
import { openForReading, type Place } from "./_old_file.ts";
import { exists, inTheWay, notAFile, refusal, requirePermission } from "../../kernel/refusal.ts";
import { renameNew } from "../../kernel/rename.ts";
import { replaceFile } from "./_replacement.ts";
import { type Stat, statAt } from "../../kernel/stat.ts";
import { openStaging, type Staging } from "./_temporary_file.ts";
import { removeTree } from "./_tree.ts";

/** As `Files.copy`. */
export function copyEntry(
  libc: Libc,
  from: TreeTarget,
  to: TreeTarget,
  options: CopyOptions,
): Copied {
  requirePermission("read", from);
  requirePermission("write", to);
  return withPlace(libc, from, (source) => {
    const stat = statOfPlace(libc, source);
    from.require(kindOf(stat));
    to.require(kindOf(stat));
    if (stat.type === "other") throw notAFile(from, "a pipe or device");
    return withNewPlace(libc, to, (destination) => {
      requireFree(libc, destination, stat, options);
      if (stat.type === "file") return copyFile(libc, source, to, options);
      return inStaging(libc, destination, (staging, name) => {
        const made = { directory: staging.directory, name };
        const copied = stat.type === "symlink"
          ? copyLink(libc, to, { directory: source.parent, name: source.name }, made, options)
          : copyDirectory(libc, { source, from, to }, made, options);
        const result = renameNew(libc, destination.parent, name, destination.name);
        if (result === -ERRNO.EEXIST || result === -ERRNO.ENOTEMPTY) throw exists(to);
        if (result < 0) throw refusal(to, result);
        libc.call(libc.numbers.fsync, destination.parent);
        return copied;
      });
    });
  });
}

/** Nothing but a file is ever replaced, and only by a file. */
function requireFree(
  libc: Libc,
  { target, parent, name }: Place,
  { type }: Stat,
  { overwrite }: TransferOptions,
): void {
  const there = statAt(libc, parent, name);
  if (there === -ERRNO.ENOENT) return;
  if (typeof there === "number") throw refusal(target, there);
  if (type !== "file" || there.type !== "file") throw inTheWay(target, there.type);
  if (!overwrite) throw exists(target);
}

/** Runs `use` with a name beside the destination, of which nothing is left afterwards. */
function inStaging<T>(
  libc: Libc,
  { target, parent }: Place,
  use: (staging: Staging, name: string) => T,
): T {
  const staging = openStaging(libc, parent);
  if (typeof staging === "number") throw refusal(target, staging);
  const name = staging.next();
  try {
    return use(staging, name);
  } finally {
    staging.close(removeTree(libc, parent, name) >= 0);
  }
}

function copyFile(libc: Libc, source: Place, to: Target, options: CopyOptions): Copied {
  const { overwrite, checkpoint, whole, onCopied } = options;
  const original = openForReading(libc, source);
  let bytes = 0;
  try {
    replaceFile(libc, to, {
      createParents: false,
      expect: overwrite ? "anything" : "nothing",
      private: true,
      fill(file, old) {
        const { descriptor } = file;
        libc.callWide(libc.numbers.lseek, original.descriptor, 0, 0);
        bytes = copyContents(libc, to, original.descriptor, descriptor, checkpoint);
        if (old !== null && !whole) giveTo(libc, to, file, old.stat);
        resemble(libc, to, descriptor, original, { owner: whole });
      },
    });
    onCopied?.(original.stat);
    return { files: 1, bytes, leftOut: 0 };
  } finally {
    libc.call(libc.numbers.close, original.descriptor);
  }
}
