/** Attributes, access lists and times of files, as system calls take them. */

import type { Libc } from "../../../sandbox/kernel/libc.ts";
import { STRUCT_SIZE } from "../../../sandbox/kernel/libc.ts";
import { statAt, statOf } from "../../kernel/stat.ts";
import type { Handle, Name, Result } from "../primitives.ts";

/** XATTR_LIST_MAX (include/uapi/linux/limits.h) */
const LIST_BYTES = 64 * 1024;
/** Names that the owner may set (xattr(7), acl(5)). */
const COPIED = /^(?:user\.|system\.posix_acl_(?:access|default)$)/;
/** include/uapi/linux/fcntl.h */
const AT_SYMLINK_NOFOLLOW = 0x100;

/** Copies what may be copied. An attribute that the file system does not take is left behind. */
export function copyAttributes(libc: Libc, from: Handle, to: Handle): Result {
  const { numbers, structAddress } = libc;
  const size = libc.call(numbers.flistxattr, from, 0, 0);
  if (size <= 0) return size;
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
  return 0;
}

/** To the nanosecond. */
export function copyTimes(libc: Libc, from: Handle, to: Handle): Result {
  const stat = statOf(libc, from);
  if (typeof stat === "number") return stat;
  return libc.call(libc.numbers.utimensat, to, 0, timesOfStat(libc), 0);
}

/** Times of a link, and with `owner` its owner, as far as this user may. */
export function copyLinkAttributes(
  libc: Libc,
  from: Name,
  to: Name,
  { owner }: { readonly owner: boolean },
): Result {
  const { fchownat, utimensat } = libc.numbers;
  const stat = statAt(libc, from.directory, from.name);
  if (typeof stat === "number") return stat;
  const times = timesOfStat(libc);
  const name = libc.path(to.name);
  const result = libc.call(utimensat, to.directory, name, times, AT_SYMLINK_NOFOLLOW);
  if (!owner) return result;
  return libc.call(fchownat, to.directory, name, stat.user, stat.group, AT_SYMLINK_NOFOLLOW);
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
