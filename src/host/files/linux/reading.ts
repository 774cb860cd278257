/**
 * Reading on Linux: every operation starts from a descriptor that was opened without following a link, so that the
 * file that was judged is the file that is used, whatever happens to the names meanwhile. Apart from what changes
 * files, which most calls do not load.
 */

import type { FileContent, FileInfo } from "../../../core/tool.ts";
import { ERRNO } from "../../../sandbox/kernel/errno.ts";
import type { Libc } from "../../../sandbox/kernel/libc.ts";
import { OPEN, openWithoutLinks } from "../../../sandbox/kernel/open_without_links.ts";
import { listBackups } from "./_backups.ts";
import { survey } from "./_entry.ts";
import type { FileBackend, Target } from "../file_backend.ts";
import {
  notAFile,
  refusal,
  requirePermission,
  requireReadable,
  tooLarge,
} from "../../kernel/refusal.ts";
import { scanTree } from "../../scan/linux/scan.ts";
import { helpScan } from "../../scan/linux/scan_run.ts";
import { infoOf, linkText, type Stat, statOf } from "../../kernel/stat.ts";
import { walkDirectory } from "../../scan/linux/walk.ts";

/** O_NONBLOCK and O_NOCTTY: a pipe or a terminal in a file's place must neither hold nor adopt us. */
const READING = OPEN.RDONLY | OPEN.NONBLOCK | OPEN.NOCTTY;

/** The buffer that is kept between reads; a larger file gets one of its own that is let go. */
const KEPT_BYTES = 4 * 1024 * 1024;
/** The least that is asked for at once. */
const FIRST_BYTES = 4 * 1024;

/** The half of `FileBackend` that changes nothing. */
type Reading = Required<
  Pick<FileBackend, "read" | "readStart" | "find" | "walk" | "scan" | "help" | "survey" | "backups">
>;

/** What may be looked at through the system calls of this thread. */
export function createLinuxReading(libc: Libc): Reading {
  let kept = new Uint8Array(0);

  const bufferFor = (bytes: number): Uint8Array => {
    if (bytes <= kept.length) return kept;
    if (bytes > KEPT_BYTES) return new Uint8Array(bytes);
    kept = new Uint8Array(Math.min(Math.max(bytes, 2 * kept.length, FIRST_BYTES), KEPT_BYTES));
    return kept;
  };

  /** Reads until `most` bytes or the end. */
  const readUpTo = (target: Target, descriptor: number, size: number, most: number): Uint8Array => {
    let buffer = bufferFor(Math.min(size + 1, most));
    let length = 0;
    while (length < most) {
      if (length === buffer.length) {
        const larger = bufferFor(Math.min(2 * buffer.length, most));
        larger.set(buffer.subarray(0, length));
        buffer = larger;
      }
      const room = Math.min(buffer.length, most) - length;
      const place = length === 0 ? buffer : buffer.subarray(length);
      const count = libc.transfer(libc.numbers.read, descriptor, place, room);
      if (count === -ERRNO.EINTR) continue;
      if (count < 0) throw refusal(target, count);
      if (count === 0) break;
      length += count;
    }
    return buffer.subarray(0, length);
  };

  /** The one way to a regular file's contents. */
  const withRegularFile = (
    target: Target,
    use: (descriptor: number, stat: Stat) => FileContent,
  ): FileContent => {
    requireReadable(target);
    const descriptor = openWithoutLinks(libc, target.path, READING);
    if (descriptor < 0) throw refusal(target, descriptor);
    try {
      const stat = statOf(libc, descriptor);
      if (typeof stat === "number") throw refusal(target, stat);
      if (stat.type !== "file") {
        throw notAFile(target, stat.type === "directory" ? "a directory" : "a pipe or device");
      }
      return use(descriptor, stat);
    } finally {
      libc.call(libc.numbers.close, descriptor);
    }
  };

  return {
    read(target, limit) {
      return withRegularFile(target, (descriptor, stat) => {
        if (stat.size > limit) throw tooLarge(target, stat.size, limit);
        // One byte more than is allowed tells a file that grew, or that never says its size.
        const bytes = readUpTo(target, descriptor, stat.size, limit + 1);
        if (bytes.length > limit) throw tooLarge(target, null, limit);
        return { bytes, info: infoOf(stat) };
      });
    },
    readStart(target, count) {
      return withRegularFile(target, (descriptor, stat) => ({
        bytes: readUpTo(target, descriptor, stat.size, count),
        info: infoOf(stat),
      }));
    },
    find(target) {
      return findEntry(libc, target);
    },
    walk(target, options) {
      return walkDirectory(libc, target, options);
    },
    scan(target, options, visit) {
      scanTree(libc, target, options, visit);
    },
    help(target, options, answer) {
      helpScan(libc, target, options, answer);
    },
    survey(tree, options) {
      return survey(libc, tree, options);
    },
    backups(target) {
      return listBackups(libc, target);
    },
  };
}

function findEntry(libc: Libc, target: Target): FileInfo | null {
  requirePermission("read", target);
  const descriptor = openWithoutLinks(libc, target.path, OPEN.PATH);
  if (descriptor === -ERRNO.ENOENT) return null;
  if (descriptor < 0) throw refusal(target, descriptor);
  try {
    const stat = statOf(libc, descriptor);
    if (typeof stat === "number") throw refusal(target, stat);
    return stat.type === "symlink" ? infoOf(stat, linkText(libc, descriptor)) : infoOf(stat);
  } finally {
    libc.call(libc.numbers.close, descriptor);
  }
}
