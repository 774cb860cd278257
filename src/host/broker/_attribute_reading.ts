/** Reading extended attributes for programs: those that an owner may set, and no others, as a file system without these has it. */

import { ERRNO } from "../../sandbox/kernel/errno.ts";
import { type Libc, STRUCT_SIZE } from "../../sandbox/kernel/libc.ts";
import type { HandedOver } from "../../sandbox/broker/notifications.ts";
import type { FileType } from "../../core/files.ts";
import type { CallParts } from "./_call_result.ts";

/** What is changed or read: an object that is open as a place (O_PATH). An error number with its sign turned, or what the call answers. */
export type Change = (object: number, type: FileType) => number;

/** Names that the owner may set (xattr(7), acl(5)). What else there is gives power, or is read with power that is not the program's. */
export const OWNERS_NAMES = /^(?:user\.|system\.posix_acl_(?:access|default)$)/;

/** What can be handed to a program at once. */
const LONGEST = STRUCT_SIZE / 2;

/** getxattr(2): name, address and size follow what is read. */
export function valueAt(parts: CallParts, call: HandedOver): Change | number {
  const { libc, notifications } = parts;
  const name = notifications.text(call, call.words.at(1));
  if (typeof name === "number") return name === -ERRNO.EPERM ? -ERRNO.EFAULT : name;
  if (!OWNERS_NAMES.test(name)) return -ERRNO.EOPNOTSUPP;
  return (object, type) => {
    if (type === "symlink") return -ERRNO.ENODATA;
    const { structAddress, numbers } = libc;
    const [path, text] = [libc.path(`/proc/self/fd/${object}`), libc.path(name, 1)];
    const length = libc.call(numbers.getxattr, path, text, structAddress, STRUCT_SIZE);
    return length < 0 ? length : given(parts, call, libc.structBytes.slice(0, length), 2);
  };
}

/** listxattr(2): address and size follow what is read. */
export function namesAt(parts: CallParts, call: HandedOver): Change {
  return (object, type) => {
    const names = type === "symlink" ? [] : namesOf(parts.libc, object);
    if (typeof names === "number") return names;
    const text = names.filter((name) => OWNERS_NAMES.test(name)).map((name) => `${name}\0`);
    return given(parts, call, Uint8Array.from(text.join(""), (sign) => sign.charCodeAt(0)), 1);
  };
}

/** All names, a character for each byte; or an error number with its sign turned. */
function namesOf(libc: Libc, object: number): readonly string[] | number {
  const { structAddress, structBytes, numbers } = libc;
  const path = libc.path(`/proc/self/fd/${object}`);
  const length = libc.call(numbers.listxattr, path, structAddress, STRUCT_SIZE);
  if (length < 0) return length;
  const text = new TextDecoder("latin1").decode(structBytes.subarray(0, length));
  return text.split("\0").filter((name) => name !== "");
}

/** Written to the address that is the call's argument of this number, as much as the next one says; how much it is. */
function given(
  { notifications }: CallParts,
  call: HandedOver,
  bytes: Uint8Array,
  argument: 1 | 2,
): number {
  const room = call.words.at(argument + 1);
  // It is asked how much room it takes.
  if (room === 0) return bytes.length;
  if (room < bytes.length) return -ERRNO.ERANGE;
  if (bytes.length > LONGEST) return -ERRNO.E2BIG;
  return notifications.write(call, call.words.at(argument), bytes) || bytes.length;
}
