/**
 * Reading, over the primitives of whatever platform: every operation starts from a handle that was opened without
 * following a link, so that the file that was judged is the file that is used, whatever happens to the names meanwhile.
 * Apart from what changes files, which most calls do not load.
 */

import type { FileContent, FileInfo } from "../../../core/tool.ts";
import { nameText, shownName } from "../../../core/name_text.ts";
import { ERRNO } from "../../../sandbox/kernel/errno.ts";
import {
  notAFile,
  refusal,
  requirePermission,
  requireReadable,
  tooLarge,
} from "../../kernel/refusal.ts";
import { infoOf, type Stat } from "../../kernel/stat.ts";
import { backupFiles, takenNumbers } from "../_backups.ts";
import { withEntry } from "../_target_entry.ts";
import type { BackupEntry, FileBackend, Target } from "../file_backend.ts";
import type { Handle, ReadPrimitives } from "../primitives.ts";
import { countTree } from "./_tree_count.ts";
import { walkDirectory } from "./_walk.ts";

/** The buffer that is kept between reads; a larger file gets one of its own that is let go. */
const KEPT_BYTES = 4 * 1024 * 1024;
/** The least that is asked for at once. */
const FIRST_BYTES = 4 * 1024;

/** The half of `FileBackend` that changes nothing, without what only some platforms have. */
export type Reading = Pick<
  FileBackend,
  "read" | "readStart" | "find" | "walk" | "countTree" | "backups"
>;

/** What may be looked at through these primitives. One for all calls of a thread: it keeps its buffer. */
export function createReading(files: ReadPrimitives): Reading {
  let kept = new Uint8Array(0);

  const bufferFor = (bytes: number): Uint8Array => {
    if (bytes <= kept.length) return kept;
    if (bytes > KEPT_BYTES) return new Uint8Array(bytes);
    kept = new Uint8Array(Math.min(Math.max(bytes, 2 * kept.length, FIRST_BYTES), KEPT_BYTES));
    return kept;
  };

  /** Reads until `most` bytes or the end. */
  const readUpTo = (target: Target, file: Handle, size: number, most: number): Uint8Array => {
    let buffer = bufferFor(Math.min(size + 1, most));
    let length = 0;
    while (length < most) {
      if (length === buffer.length) {
        const larger = bufferFor(Math.min(2 * buffer.length, most));
        larger.set(buffer.subarray(0, length));
        buffer = larger;
      }
      const room = Math.min(buffer.length, most) - length;
      const count = files.read(file, length === 0 ? buffer : buffer.subarray(length), room);
      if (count === -ERRNO.EINTR) continue;
      if (count < 0) throw refusal(target, count);
      if (count === 0) break;
      length += count;
      // A file that is as long as it says, and had room for more: asking once more would only be told that it ends (read(2)).
      if (length === size && count < room) break;
    }
    return buffer.subarray(0, length);
  };

  /** The one way to a regular file's contents. */
  const withRegularFile = (
    target: Target,
    use: (file: Handle, stat: Stat) => FileContent,
  ): FileContent => {
    requireReadable(target);
    const file = files.openPath(target.path, "file");
    if (file < 0) throw refusal(target, file);
    try {
      const stat = files.statOf(file);
      if (typeof stat === "number") throw refusal(target, stat);
      if (stat.type !== "file") {
        throw notAFile(target, stat.type === "directory" ? "a directory" : "a pipe or device");
      }
      return use(file, stat);
    } finally {
      files.close(file);
    }
  };

  return {
    read(target, limit) {
      return withRegularFile(target, (file, stat) => {
        if (stat.size > limit) throw tooLarge(target, stat.size, limit);
        // One byte more than is allowed tells a file that grew, or that never says its size.
        const bytes = readUpTo(target, file, stat.size, limit + 1);
        if (bytes.length > limit) throw tooLarge(target, null, limit);
        return { bytes, info: infoOf(stat) };
      });
    },
    readStart(target, count) {
      return withRegularFile(target, (file, stat) => ({
        bytes: readUpTo(target, file, stat.size, count),
        info: infoOf(stat),
      }));
    },
    find(target) {
      return findEntry(files, target);
    },
    walk(target, options) {
      return walkDirectory(files, target, options);
    },
    countTree(tree, options) {
      return countTree(files, tree, options);
    },
    backups(target) {
      return listBackups(files, target);
    },
  };
}

function findEntry(files: ReadPrimitives, target: Target): FileInfo | null {
  requireReadable(target);
  const entry = files.openPath(target.path, "entry");
  if (entry === -ERRNO.ENOENT) return null;
  if (entry < 0) throw refusal(target, entry);
  try {
    const stat = files.statOf(entry);
    if (typeof stat === "number") throw refusal(target, stat);
    if (stat.type !== "symlink") return infoOf(stat);
    const text = files.readLinkAt(entry, "");
    if (typeof text === "number") throw refusal(target, text);
    return infoOf(stat, shownName(nameText(text)));
  } finally {
    files.close(entry);
  }
}

/** As `FileBackend.backups`. */
function listBackups(files: ReadPrimitives, target: Target): readonly BackupEntry[] {
  requirePermission("read", target);
  return withEntry(
    files,
    target,
    (entry) =>
      backupFiles(files, entry, takenNumbers(files, entry)).map(({ name, stat }) => ({
        name,
        size: stat.size,
        modified: stat.modified,
      })),
  );
}
