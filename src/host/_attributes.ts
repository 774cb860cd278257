/** Copying what a file's owner put on it beside its contents: `user.*` attributes and access lists. */

import type { Libc } from "../sandbox/libc.ts";
import { STRUCT_SIZE } from "../sandbox/libc.ts";

/** XATTR_LIST_MAX (include/uapi/linux/limits.h) */
const LIST_BYTES = 64 * 1024;
/** Names that the owner may set (xattr(7), acl(5)). */
const COPIED = /^(?:user\.|system\.posix_acl_access$)/;

/** Copies what may be copied. An attribute that the file system does not take is left behind. */
export function copyAttributes(libc: Libc, from: number, to: number): void {
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
