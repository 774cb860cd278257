/** Atomic, durable writes: a locked temporary file in the target's directory, synced, then renamed over it. */

import { createHash } from "node:crypto";
import { ToolError } from "../core/errors.ts";
import { ERRNO } from "../sandbox/errno.ts";
import type { Libc } from "../sandbox/libc.ts";
import { OPEN } from "../sandbox/open_without_links.ts";
import type { Target, WriteOptions } from "./file_backend.ts";
import { copyAttributes } from "./_attributes.ts";
import { openParent } from "./_parent_directory.ts";
import { changed, notAFile, refusal, requirePermission } from "./_refusal.ts";
import { type Stat, statAt, statOf } from "./_stat.ts";
import { makeTemporaryFile } from "./_temporary_file.ts";

/** RENAME_NOREPLACE (include/uapi/linux/fs.h) */
const RENAME_NOREPLACE = 1;
/** Others may make the file between our look and our rename, so often, before we give up. */
const ATTEMPTS = 3;
/** Mode of new files before the umask, of replacements until they get their own (open(2), creat). */
const NEW_FILE_MODE = 0o666;
const PRIVATE_MODE = 0o600;
/** set-user-ID and set-group-ID go with a change of contents, as the kernel's own write(2) has it. */
const KEPT_MODE_BITS = 0o1777;

/** As `Files.write`. The old contents stay whole under the name until the new ones are safe on disk. */
export function writeFile(
  libc: Libc,
  target: Target,
  bytes: Uint8Array,
  options: WriteOptions,
): { readonly created: boolean } {
  requirePermission("write", target);
  const name = target.path.slice(target.path.lastIndexOf("/") + 1);
  if (name === "") throw notAFile(target, "a directory");
  const parent = openParent(libc, target, options.createParents);
  try {
    for (let attempt = 1;; attempt++) {
      const result = replace(libc, target, parent, name, bytes, options);
      if (result !== "appeared") return { created: result === "created" };
      if (attempt === ATTEMPTS) throw changed(target);
    }
  } finally {
    libc.call(libc.numbers.close, parent);
  }
}

type Outcome = "created" | "replaced" | "appeared";

function replace(
  libc: Libc,
  target: Target,
  parent: number,
  name: string,
  bytes: Uint8Array,
  options: WriteOptions,
): Outcome {
  const { numbers } = libc;
  const old = openOld(libc, target, parent, name, options.expectedSha256 !== undefined);
  try {
    if (options.expectedSha256 !== undefined) {
      requireContents(libc, target, old?.descriptor ?? null, options.expectedSha256);
    }
    const temporary = makeTemporaryFile(
      libc,
      parent,
      old === null ? NEW_FILE_MODE : PRIVATE_MODE,
    );
    if (typeof temporary === "number") throw refusal(target, temporary);
    let renamed = false;
    try {
      writeAll(libc, target, temporary.descriptor, bytes);
      if (old !== null) takeAfter(libc, target, temporary.descriptor, old);
      check(target, libc.call(numbers.fsync, temporary.descriptor));
      const result = rename(libc, parent, temporary.name, name, old === null);
      if (result === -ERRNO.EEXIST && old === null) return "appeared";
      if (result === -ERRNO.EISDIR) throw notAFile(target, "a directory");
      check(target, result);
      renamed = true;
    } finally {
      if (!renamed) libc.call(numbers.unlinkat, parent, libc.path(temporary.name), 0);
      libc.call(numbers.close, temporary.descriptor);
    }
    // The name itself is safe only now. Some file systems cannot sync directories (EINVAL): theirs is the last word.
    libc.call(numbers.fsync, parent);
    return old === null ? "created" : "replaced";
  } finally {
    if (old !== null) libc.call(numbers.close, old.descriptor);
  }
}

function check(target: Target, result: number): void {
  if (result < 0) throw refusal(target, result);
}

interface OldFile {
  readonly descriptor: number;
  readonly stat: Stat;
}

/**
 * The file that is there, opened for writing: a rename would replace what we may not write, too. Null where
 * there is none.
 */
function openOld(
  libc: Libc,
  target: Target,
  parent: number,
  name: string,
  readable: boolean,
): OldFile | null {
  const { numbers } = libc;
  // A look before opening: opening a pipe for writing would wake its reader.
  const before = statAt(libc, parent, name);
  if (before === -ERRNO.ENOENT) return null;
  if (typeof before === "number") throw refusal(target, before);
  requireFile(target, before);
  const rest = OPEN.NONBLOCK | OPEN.NOCTTY | OPEN.CLOEXEC | numbers.O_NOFOLLOW;
  const open = (access: number): number =>
    libc.call(numbers.openat, parent, libc.path(name), access | rest);
  let descriptor = open(readable ? OPEN.RDWR : OPEN.WRONLY);
  // A running program cannot be written to, only replaced, and that is what is done here.
  if (descriptor === -ERRNO.ETXTBSY) descriptor = open(OPEN.RDONLY);
  if (descriptor === -ERRNO.ENOENT) return null;
  if (descriptor < 0) throw refusal(target, descriptor);
  const stat = statOf(libc, descriptor);
  try {
    if (typeof stat === "number") throw refusal(target, stat);
    requireFile(target, stat);
    return { descriptor, stat };
  } catch (error) {
    libc.call(numbers.close, descriptor);
    throw error;
  }
}

function requireFile(target: Target, stat: Stat): void {
  if (stat.type === "symlink") throw changed(target);
  if (stat.type === "directory") throw notAFile(target, "a directory");
  if (stat.type !== "file") throw notAFile(target, "a pipe or device");
}

function requireContents(
  libc: Libc,
  target: Target,
  descriptor: number | null,
  expected: string,
): void {
  const stale = (what: string): ToolError =>
    new ToolError(
      "STALE_FILE",
      `"${target.shown}" ${what} since it was read; read it again before writing`,
    );
  if (descriptor === null) throw stale("was removed");
  const hash = createHash("sha256");
  const buffer = new Uint8Array(64 * 1024);
  for (;;) {
    const count = libc.transfer(libc.numbers.read, descriptor, buffer, buffer.length);
    if (count === -ERRNO.EINTR) continue;
    check(target, count);
    if (count === 0) break;
    hash.update(buffer.subarray(0, count));
  }
  if (hash.digest("hex") !== expected.toLowerCase()) throw stale("has changed");
}

function writeAll(libc: Libc, target: Target, descriptor: number, bytes: Uint8Array): void {
  for (let done = 0; done < bytes.length;) {
    const rest = done === 0 ? bytes : bytes.subarray(done);
    const count = libc.transfer(libc.numbers.write, descriptor, rest, rest.length);
    if (count === -ERRNO.EINTR) continue;
    check(target, count);
    done += count;
  }
}

/** Owner, group, extended attributes and mode, in this order: a change of owner clears mode bits. */
function takeAfter(libc: Libc, target: Target, descriptor: number, old: OldFile): void {
  const { numbers } = libc;
  const own = statOf(libc, descriptor);
  if (typeof own === "number") throw refusal(target, own);
  const { user, group, mode } = old.stat;
  if (own.user !== user || own.group !== group) {
    const result = libc.call(numbers.fchown, descriptor, user, group);
    if (result === -ERRNO.EPERM) {
      throw new ToolError(
        "NATIVE_DENIED",
        `"${target.shown}" belongs to another user or group, and a replacement could not be given to them`,
      );
    }
    check(target, result);
  }
  copyAttributes(libc, old.descriptor, descriptor);
  check(target, libc.call(numbers.fchmod, descriptor, mode & KEPT_MODE_BITS));
}

function rename(libc: Libc, parent: number, from: string, to: string, isNew: boolean): number {
  const { numbers } = libc;
  const call = (flags: number): number =>
    libc.call(numbers.renameat2, parent, libc.path(from, 0), parent, libc.path(to, 1), flags);
  const result = call(isNew ? RENAME_NOREPLACE : 0);
  // Network file systems know no flags; there the last writer wins.
  return isNew && result === -ERRNO.EINVAL ? call(0) : result;
}
