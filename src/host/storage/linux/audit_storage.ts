/** The audit log's files on Linux: opened without following a link, locked by `flock(2)`, written by descriptor. */

import { baseName } from "../../../core/path_text.ts";
import type { CanonicalPath } from "../../../core/capability.ts";
import { ToolError } from "../../../core/errors.ts";
import type { LogFile, LogStorage } from "../../../audit/storage.ts";
import { ERRNO } from "../../../sandbox/kernel/errno.ts";
import type { Libc } from "../../../sandbox/kernel/libc.ts";
import { OPEN } from "../../../sandbox/kernel/open_without_links.ts";
import type { Target } from "../../files/file_backend.ts";
import { createLinuxPrimitives } from "../../files/linux/primitives.ts";
import { openNewParent } from "../../files/parent_directory.ts";
import { readEntries } from "../../kernel/directory_entries.ts";
import { refusal } from "../../kernel/refusal.ts";
import { isSameFile, statAt, statOf } from "../../kernel/stat.ts";

/** The log says what everybody did: it is its owner's alone. */
const LOG_MODE = 0o600;
/** RENAME_NOREPLACE (include/uapi/linux/fs.h) */
const RENAME_NOREPLACE = 1;
/** LOCK_EX, LOCK_UN (include/uapi/asm-generic/fcntl.h) */
const LOCK_EX = 2;
const LOCK_UN = 8;
/** SEEK_SET (include/uapi/linux/fs.h) */
const SEEK_SET = 0;

/** Files beside each other: `path`, and `path.1`, `path.2`, … that were put aside. Throws a ToolError for each failure. */
export function createAuditStorage(libc: Libc, path: CanonicalPath): LogStorage {
  const target: Target = { path, shown: "the audit log" };
  const name = baseName(path);
  const { numbers } = libc;
  const primitives = createLinuxPrimitives(libc);

  function inFolder<T>(use: (folder: number) => T): T {
    const { parent } = openNewParent(primitives, target, true);
    try {
      return use(parent);
    } finally {
      primitives.close(parent);
    }
  }

  function openIn(folder: number, file: string, flags: number): number {
    const all = OPEN.RDWR | O_APPEND | OPEN.NONBLOCK | OPEN.NOCTTY | OPEN.CLOEXEC |
      numbers.O_NOFOLLOW | flags;
    return libc.call(numbers.openat, folder, libc.path(file), all, LOG_MODE);
  }

  function handleOf(descriptor: number): LogFile {
    const stat = statOf(libc, descriptor);
    if (typeof stat === "number" || stat.type !== "file") {
      libc.call(numbers.close, descriptor);
      throw new ToolError("NATIVE_DENIED", "the audit log is no regular file");
    }
    return fileOf(libc, target, descriptor, () =>
      inFolder((folder) => {
        const named = statAt(libc, folder, name);
        return typeof named === "object" && isSameFile(named, stat);
      }));
  }

  return {
    open() {
      const descriptor = inFolder((folder) => openIn(folder, name, OPEN.CREAT));
      if (descriptor < 0) throw refusal(target, descriptor);
      return handleOf(descriptor);
    },
    openExisting(number) {
      const file = number === "current" ? name : `${name}.${number}`;
      const descriptor = inFolder((folder) => openIn(folder, file, 0));
      if (descriptor === -ERRNO.ENOENT) return null;
      if (descriptor < 0) throw refusal(target, descriptor);
      return handleOf(descriptor);
    },
    rotated() {
      const entries = inFolder((folder) => readEntries(libc, folder, new Uint8Array(32 * 1024)));
      if (typeof entries === "number") throw refusal(target, entries);
      return entries
        .filter((entry) => entry.name.startsWith(`${name}.`))
        .map((entry) => entry.name.slice(name.length + 1))
        .filter((ending) => /^[1-9]\d{0,8}$/.test(ending))
        .map(Number)
        .sort((a, b) => a - b);
    },
    rotate(number) {
      inFolder((folder) => {
        const result = libc.call(
          numbers.renameat2,
          folder,
          libc.path(name, 0),
          folder,
          libc.path(`${name}.${number}`, 1),
          RENAME_NOREPLACE,
        );
        if (result < 0) throw refusal(target, result);
        libc.call(numbers.fsync, folder);
      });
    },
  };
}

/** O_APPEND (include/uapi/asm-generic/fcntl.h) */
const O_APPEND = 0o2000;

function fileOf(libc: Libc, target: Target, descriptor: number, isNamed: () => boolean): LogFile {
  const { numbers, logs } = libc;
  const check = (result: number): number => {
    if (result < 0) throw refusal(target, result);
    return result;
  };
  return {
    lock() {
      let result: number;
      do result = logs.flock(descriptor, LOCK_EX); while (result === -ERRNO.EINTR);
      check(result);
    },
    unlock: () => void logs.flock(descriptor, LOCK_UN),
    // Where the end is: half of what a look at the file's attributes takes.
    size: () => check(logs.end(descriptor)),
    isNamed,
    read(offset, count) {
      check(libc.call(numbers.lseek, descriptor, offset, SEEK_SET));
      const bytes = new Uint8Array(count);
      let length = 0;
      while (length < count) {
        const got = libc.transfer(
          numbers.read,
          descriptor,
          bytes.subarray(length),
          count - length,
        );
        if (got === -ERRNO.EINTR) continue;
        if (check(got) === 0) break;
        length += got;
      }
      return bytes.subarray(0, length);
    },
    append(bytes) {
      for (let done = 0; done < bytes.length;) {
        const rest = done === 0 ? bytes : bytes.subarray(done);
        const count = logs.write(descriptor, rest);
        if (count === -ERRNO.EINTR) continue;
        done += check(count);
      }
    },
    sync: () => void check(libc.call(numbers.fdatasync, descriptor)),
    close: () => void libc.call(numbers.close, descriptor),
  };
}
