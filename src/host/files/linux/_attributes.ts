/** What a file is beside its contents: owner, mode, times, `user.*` attributes and access lists. */

import { ToolError } from "../../../core/errors.ts";
import { ERRNO } from "../../../sandbox/kernel/errno.ts";
import type { Libc } from "../../../sandbox/kernel/libc.ts";
import { STRUCT_SIZE } from "../../../sandbox/kernel/libc.ts";
import { executableMode } from "../_executable_mode.ts";
import type { Target } from "../file_backend.ts";
import { refusal } from "../../kernel/refusal.ts";
import { type EntryName, type Stat, statAt, statOf } from "../../kernel/stat.ts";

/** XATTR_LIST_MAX (include/uapi/linux/limits.h) */
const LIST_BYTES = 64 * 1024;
/** Names that the owner may set (xattr(7), acl(5)). */
const COPIED = /^(?:user\.|system\.posix_acl_(?:access|default)$)/;
/** set-user-ID and set-group-ID go with a change of contents, as the kernel's own write(2) has it. */
const KEPT_MODE_BITS = 0o1777;
/** On directories the latter says whose their entries are. */
const KEPT_DIRECTORY_BITS = 0o3777;
const GROUP_BITS = 0o070;
/** "As it is", of an owner or group (chown(2)). */
const UNCHANGED = -1;
/** include/uapi/linux/fcntl.h */
const AT_SYMLINK_NOFOLLOW = 0x100;

/** A file that is open, and what it is. */
export interface Described {
  readonly descriptor: number;
  readonly stat: Stat;
}

/**
 * Makes the replacement of a file the same in owner, group, attributes and mode, in this order: a change of owner
 * clears mode bits. Throws NATIVE_DENIED where it cannot be given to them.
 */
export function takeAfter(libc: Libc, target: Target, file: Described, old: Described): void {
  giveTo(libc, target, file, old.stat);
  copyAttributes(libc, old.descriptor, file.descriptor);
  setMode(libc, target, file.descriptor, old.stat.mode & KEPT_MODE_BITS);
}

/** As {@linkcode takeAfter}, of the owner and group alone. */
export function giveTo(libc: Libc, target: Target, file: Described, owner: Stat): void {
  const { descriptor, stat } = file;
  if (stat.user === owner.user && stat.group === owner.group) return;
  const result = libc.call(libc.numbers.fchown, descriptor, owner.user, owner.group);
  if (result === -ERRNO.EPERM) {
    throw new ToolError(
      "NATIVE_DENIED",
      `"${target.shown}" belongs to another user or group, and a replacement could not be given to them`,
    );
  }
  if (result < 0) throw refusal(target, result);
}

/**
 * Makes a copy alike in attributes and mode; with `times` in these; with `owner` in owner and group too, as far as this user may: where
 * the group cannot be kept, what the mode lets it do would be another group's, and goes.
 */
export function resemble(
  libc: Libc,
  target: Target,
  descriptor: number,
  original: Described,
  { owner, times = true }: { readonly owner: boolean; readonly times?: boolean },
): void {
  const { stat } = original;
  let mode = stat.mode & (stat.type === "directory" ? KEPT_DIRECTORY_BITS : KEPT_MODE_BITS);
  if (owner && !giveAsFarAsMay(libc, descriptor, stat)) mode &= ~GROUP_BITS;
  else copyAttributes(libc, original.descriptor, descriptor);
  setMode(libc, target, descriptor, mode);
  if (times) copyTimes(libc, original.descriptor, descriptor);
}

/** See `FileChange`. */
export function setExecutable(
  libc: Libc,
  target: Target,
  descriptor: number,
  executable: boolean,
): void {
  const stat = statOf(libc, descriptor);
  if (typeof stat === "number") throw refusal(target, stat);
  setMode(libc, target, descriptor, executableMode(stat.mode, executable));
}

function setMode(libc: Libc, target: Target, descriptor: number, mode: number): void {
  const result = libc.call(libc.numbers.fchmod, descriptor, mode);
  if (result < 0) throw refusal(target, result);
}

/** Whether it has the group now. */
function giveAsFarAsMay(libc: Libc, descriptor: number, { user, group }: Stat): boolean {
  const own = statOf(libc, descriptor);
  if (typeof own === "number") return false;
  if (own.user === user && own.group === group) return true;
  const { fchown } = libc.numbers;
  return libc.call(fchown, descriptor, user, group) === 0 ||
    own.group === group || libc.call(fchown, descriptor, UNCHANGED, group) === 0;
}

/** Copies what may be copied. An attribute that the file system does not take is left behind. */
function copyAttributes(libc: Libc, from: number, to: number): void {
  const { numbers, structAddress } = libc;
  const size = libc.call(numbers.flistxattr, from, 0, 0);
  if (size <= 0) return;
  const list = new Uint8Array(LIST_BYTES);
  const length = libc.transfer(numbers.flistxattr, from, list, list.length);
  const names = new TextDecoder().decode(list.subarray(0, Math.max(length, 0))).split("\0");
  for (const name of names) {
    if (!COPIED.test(name)) continue;
    const count = libc.call(
      numbers.fgetxattr,
      from,
      libc.path(name),
      structAddress,
      STRUCT_SIZE,
    );
    if (count < 0) continue;
    libc.call(numbers.fsetxattr, to, libc.path(name), structAddress, count, 0);
  }
}

/** To the nanosecond. Where it cannot be done the copy is new. */
function copyTimes(libc: Libc, from: number, to: number): void {
  if (typeof statOf(libc, from) === "number") return;
  libc.call(libc.numbers.utimensat, to, 0, timesOfStat(libc), 0);
}

/** Owner and times of a link, which has no descriptor, as far as this user may. */
export function resembleLink(
  libc: Libc,
  from: { readonly directory: number; readonly name: EntryName },
  to: { readonly directory: number; readonly name: EntryName },
  { owner }: { readonly owner: boolean },
): void {
  const { fchownat, utimensat } = libc.numbers;
  const stat = statAt(libc, from.directory, from.name);
  if (typeof stat === "number") return;
  const times = timesOfStat(libc);
  const name = libc.path(to.name);
  libc.call(utimensat, to.directory, name, times, AT_SYMLINK_NOFOLLOW);
  if (!owner) return;
  libc.call(fchownat, to.directory, name, stat.user, stat.group, AT_SYMLINK_NOFOLLOW);
}

/**
 * The address of struct timespec[2], accessed and modified, for utimensat(2), made from the struct statx that the
 * last call left (include/uapi/linux/stat.h: accessed at 64, modified at 112; seconds of 64 bits, nanoseconds of 32).
 */
function timesOfStat({ struct, structBytes, structAddress }: Libc): number {
  const TIMES_OFFSET = 256;
  structBytes.fill(0, TIMES_OFFSET, TIMES_OFFSET + 32);
  for (const [index, offset] of [64, 112].entries()) {
    const to = TIMES_OFFSET + 16 * index;
    structBytes.copyWithin(to, offset, offset + 8);
    struct.setUint32(to + 8, struct.getUint32(offset + 8, true), true);
  }
  return structAddress + TIMES_OFFSET;
}
