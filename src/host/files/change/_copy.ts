/** Copying an entry: a file, a link, or a directory with all in it, which appears whole or not at all. */

import { ERRNO } from "../../../sandbox/kernel/errno.ts";
import { exists, inTheWay, notAFile, refusal, requirePermission } from "../../kernel/refusal.ts";
import type { Stat } from "../../kernel/stat.ts";
import {
  kindOf,
  openForReading,
  requireEntry,
  type TargetEntry,
  withEntry,
  withNewEntry,
} from "../_target_entry.ts";
import { removeTree } from "../_tree.ts";
import type { Target, TransferOptions, TreeTarget } from "../file_backend.ts";
import type { FilePrimitives } from "../primitives.ts";
import { giveTo, resemble } from "./_attributes.ts";
import { copyContents } from "./_contents.ts";
import { type Copied, copyLink, type CopyOptions } from "./_copy_parts.ts";
import { copyDirectory } from "./_copy_tree.ts";
import { syncNames } from "./_durability.ts";
import { renameNew } from "./_renaming.ts";
import { replaceFile } from "./_replacement.ts";
import { openStaging, type Staging } from "./_temporary_file.ts";

/** As `Files.copy`. */
export function copyEntry(
  files: FilePrimitives,
  from: TreeTarget,
  to: TreeTarget,
  options: CopyOptions,
): Copied {
  requirePermission("read", from);
  requirePermission("write", to);
  return withEntry(files, from, (source) => {
    const stat = requireEntry(files, source);
    from.require(kindOf(stat));
    to.require(kindOf(stat));
    if (stat.type === "other") throw notAFile(from, "a pipe or device");
    return withNewEntry(files, to, true, (destination) => {
      requireFree(files, destination, stat, options);
      if (stat.type === "file") return copyFile(files, source, to, options);
      return inStaging(files, destination, (staging, name) => {
        const made = { directory: staging.directory, name };
        const copied = stat.type === "symlink"
          ? copyLink(files, to, { directory: source.parent, name: source.name }, made, options)
          : copyDirectory(files, { source, from, to }, made, options);
        const { parent } = destination;
        const result = renameNew(files, made, { directory: parent, name: destination.name });
        if (result === -ERRNO.EEXIST || result === -ERRNO.ENOTEMPTY) throw exists(to);
        if (result < 0) throw refusal(to, result);
        syncNames(files, parent);
        return copied;
      });
    });
  });
}

/** Nothing but a file is ever replaced, and only by a file. */
function requireFree(
  files: FilePrimitives,
  { target, parent, name }: TargetEntry,
  { type }: Stat,
  { overwrite }: TransferOptions,
): void {
  const there = files.statAt(parent, name);
  if (there === -ERRNO.ENOENT) return;
  if (typeof there === "number") throw refusal(target, there);
  if (type !== "file" || there.type !== "file") throw inTheWay(target, there.type);
  if (!overwrite) throw exists(target);
}

/** Runs `use` with a name beside the destination, of which nothing is left afterwards. */
function inStaging<T>(
  files: FilePrimitives,
  { target, parent }: TargetEntry,
  use: (staging: Staging, name: string) => T,
): T {
  const staging = openStaging(files, parent);
  if (typeof staging === "number") throw refusal(target, staging);
  const name = staging.next();
  try {
    return use(staging, name);
  } finally {
    staging.close(removeTree(files, parent, name) >= 0);
  }
}

function copyFile(
  files: FilePrimitives,
  source: TargetEntry,
  to: Target,
  options: CopyOptions,
): Copied {
  const { overwrite, checkpoint, whole, onCopied } = options;
  const original = openForReading(files, source);
  let bytes = 0;
  try {
    replaceFile(files, to, {
      createParents: false,
      expect: overwrite ? "anything" : "nothing",
      private: true,
      fill(file, old) {
        const { handle } = file;
        files.seek(original.handle, 0);
        bytes = copyContents(files, to, original.handle, handle, checkpoint);
        if (old !== null && !whole) giveTo(files, to, file, old.stat);
        resemble(files, to, handle, original, { owner: whole });
      },
    });
    onCopied?.(original.stat);
    return { files: 1, bytes, leftOut: 0 };
  } finally {
    files.close(original.handle);
  }
}
