/**
 * Changing modes, owners, times and extended attributes for programs: of the very object that was judged, and whatever
 * it is called by, as one that it may write; and reading attributes by a name, of one that it may read. Nothing of it is
 * left to the kernel, whose rules know of none of this.
 */

import { ERRNO } from "../../sandbox/kernel/errno.ts";
import { type Libc, STRUCT_SIZE } from "../../sandbox/kernel/libc.ts";
import { AT_FDCWD, OPEN } from "../../sandbox/kernel/open_without_links.ts";
import type { Access } from "../../policy/model.ts";
import type { AttributeCall } from "../../sandbox/attribute_calls.ts";
import type { HandedOver } from "../../sandbox/broker/notifications.ts";
import { close } from "../kernel/pipes.ts";
import { statOf } from "../kernel/stat.ts";
import type { FileType } from "../../core/files.ts";
import type { NameWord } from "./_changing.ts";
import {
  type CallParts,
  type CallResult,
  type ExactName,
  isOwn,
  onName,
  permits,
  refusal,
  sharedName,
} from "./_call_result.ts";
import { LEAVE, linkTarget, openExactly, writtenName } from "./_names.ts";
import { type Change, namesAt, OWNERS_NAMES, valueAt } from "./_attribute_reading.ts";
import { type Moments, momentsOf } from "./_moments.ts";

/** AT_SYMLINK_NOFOLLOW, AT_EMPTY_PATH (include/uapi/linux/fcntl.h) */
const NO_FOLLOW = 0x100;
const EMPTY_PATH = 0x1000;
const MODE_BITS = 0o7777;
/** XATTR_NAME_MAX, XATTR_SIZE_MAX (include/uapi/linux/limits.h) */
const LONGEST_NAME = 255;
const LONGEST_VALUE = STRUCT_SIZE;
/** What the kernel adds to the name of what has none any more (d_path, fs/d_path.c). */
const DELETED = " (deleted)";
/** How programs name what they have open. */
const BY_DESCRIPTOR = /^\/(?:proc\/(self|thread-self|\d+)|dev)\/fd\/(\d{1,9})$/;

/** What is done, and as what it is judged. */
interface Deed {
  readonly access: Access;
  readonly change: Change;
}

/** To whom nothing is told, and who changes nothing. */
const REFUSED: Readonly<Record<Access, number>> = { read: -ERRNO.EOPNOTSUPP, write: -ERRNO.EPERM };

/** What a call names: by its text, or by a descriptor of the program's. */
type Target = number | NameWord & { readonly flags: number };

/** Does the call for the program where it may write what it names; refuses it elsewhere. */
export function changeAttributes(
  parts: CallParts,
  name: AttributeCall,
  call: HandedOver,
): CallResult {
  const { words } = call;
  const int = (index: number): number => words.int(index);
  const here = (flags = 0): Target => ({ directory: AT_FDCWD, address: words.at(0), flags });
  const at = (flags = 0): Target => ({ directory: int(0), address: words.at(1), flags });
  const on = (target: Target, change: Change | number): CallResult =>
    typeof change === "number"
      ? change
      : changeTarget(parts, call, target, { access: "write", change });
  const read = (target: Target, change: Change | number): CallResult =>
    typeof change === "number"
      ? change
      : changeTarget(parts, call, target, { access: "read", change });
  const { libc } = parts;
  const times = (address: number, moments: Moments) => timesAt(parts, call, address, moments);
  /** Where no name is given the descriptor itself is meant. */
  const perhaps = (flags = 0): Target => words.at(1) === 0 ? int(0) : at(flags);
  switch (name) {
    case "chmod":
      return on(here(), modeOf(libc, int(1)));
    case "fchmod":
      return on(int(0), modeOf(libc, int(1)));
    case "fchmodat":
      return on(at(), modeOf(libc, int(2)));
    case "fchmodat2":
      return on(at(int(3)), modeOf(libc, int(2)));
    case "chown":
      return on(here(), ownerOf(libc, int(1), int(2)));
    case "lchown":
      return on(here(NO_FOLLOW), ownerOf(libc, int(1), int(2)));
    case "fchown":
      return on(int(0), ownerOf(libc, int(1), int(2)));
    case "fchownat":
      return on(at(int(4)), ownerOf(libc, int(2), int(3)));
    case "utime":
      return on(here(), times(words.at(1), "seconds"));
    case "utimes":
      return on(here(), times(words.at(1), "microseconds"));
    case "futimesat":
      return on(perhaps(), times(words.at(2), "microseconds"));
    case "utimensat":
      return on(perhaps(int(3)), times(words.at(2), "nanoseconds"));
    case "setxattr":
      return on(here(), attributeAt(parts, call));
    case "lsetxattr":
      return on(here(NO_FOLLOW), attributeAt(parts, call));
    case "fsetxattr":
      return on(int(0), attributeAt(parts, call));
    case "removexattr":
      return on(here(), withoutAttributeAt(parts, call));
    case "lremovexattr":
      return on(here(NO_FOLLOW), withoutAttributeAt(parts, call));
    case "fremovexattr":
      return on(int(0), withoutAttributeAt(parts, call));
    case "getxattr":
      return read(here(), valueAt(parts, call));
    case "lgetxattr":
      return read(here(NO_FOLLOW), valueAt(parts, call));
    case "listxattr":
      return read(here(), namesAt(parts, call));
    case "llistxattr":
      return read(here(NO_FOLLOW), namesAt(parts, call));
  }
}

function changeTarget(
  parts: CallParts,
  call: HandedOver,
  target: Target,
  deed: Deed,
): number {
  if (typeof target === "number") return changeOpen(parts, call, target, deed);
  const { directory, address, flags } = target;
  if ((flags & ~(NO_FOLLOW | EMPTY_PATH)) !== 0) return -ERRNO.EINVAL;
  const { libc, notifications } = parts;
  const written = writtenName(libc, notifications, call, directory, address);
  if (written === LEAVE) {
    const text = notifications.text(call, address);
    if (typeof text === "number") return text === -ERRNO.EPERM ? -ERRNO.EFAULT : text;
    if (text !== "") return -ERRNO.EBADF;
    return (flags & EMPTY_PATH) === 0 ? -ERRNO.ENOENT : changeOpen(parts, call, directory, deed);
  }
  const follow = (flags & NO_FOLLOW) === 0 || written.slash;
  const [, process, open] = follow ? BY_DESCRIPTOR.exec(written.path) ?? [] : [];
  if (open !== undefined) {
    const own = process === undefined || process.endsWith("self") ||
      Number(process) === call.thread;
    return own ? changeOpen(parts, call, Number(open), deed) : REFUSED[deed.access];
  }
  const named = (exact: ExactName) => changeNamed(parts, exact, follow, deed);
  const done = onName(parts, sharedName(parts, written), follow, named, named);
  // What the policy does not speak of is nobody's to change.
  return typeof done === "number" ? done : REFUSED[deed.access];
}

/** Of a name without links: it is opened by it, judged by it, and changed as what was opened. */
function changeNamed(
  parts: CallParts,
  { path, slash }: ExactName,
  follow: boolean,
  { access, change }: Deed,
): number {
  const { libc } = parts;
  const { O_DIRECTORY, O_NOFOLLOW } = libc.numbers;
  const flags = OPEN.PATH | (follow ? 0 : O_NOFOLLOW) | (slash ? O_DIRECTORY : 0);
  return withObject(libc, openExactly(libc, path, flags), (object, type) => {
    const kind = type === "directory" ? "directory" : "file";
    if (permits(parts, access, path, kind, true, "attributes")) return change(object, type);
    // Who lists a folder asks of all that is in it.
    return access === "read" ? REFUSED.read : refusal(parts, access, path, kind);
  });
}

/** Of what the program has open, or where it stands: judged by the name that the object has now. */
function changeOpen(
  parts: CallParts,
  call: HandedOver,
  descriptor: number,
  { access, change }: Deed,
): number {
  const { libc, notifications, judge } = parts;
  const where = descriptor === AT_FDCWD ? "cwd" : `fd/${descriptor}`;
  if (descriptor < 0 && descriptor !== AT_FDCWD) return -ERRNO.EBADF;
  const place = libc.path(`/proc/${call.thread}/${where}`);
  const opened = libc.call(libc.numbers.openat, AT_FDCWD, place, OPEN.PATH | OPEN.CLOEXEC);
  if (!notifications.isWaiting(call)) {
    if (opened >= 0) close(libc, opened);
    return -ERRNO.ESRCH;
  }
  if (opened === -ERRNO.ENOENT) return -ERRNO.EBADF;
  return withObject(libc, opened, (object, type) => {
    const path = linkTarget(libc, `/proc/self/fd/${object}`);
    // Pipes and sockets have no name, and nothing that would have to be changed.
    if (path === null || !path.startsWith("/")) return REFUSED[access];
    const kind = type === "directory" ? "directory" : "file";
    // What has lost its name is what it was by it; and a name may end so.
    const names = path.endsWith(DELETED) ? [path, path.slice(0, -DELETED.length)] : [path];
    const quietly = access === "read";
    const may = (name: string): boolean =>
      (isOwn(parts, name) || judge.isRuled(name)) && permits(parts, access, name, kind, quietly);
    return names.every(may) ? change(object, type) : REFUSED[access];
  });
}

/** Closes what was opened, if it was. */
function withObject(
  libc: Libc,
  object: number,
  act: (object: number, type: FileType) => number,
): number {
  if (object < 0) return object;
  const stat = statOf(libc, object);
  const result = typeof stat === "number" ? stat : act(object, stat.type);
  close(libc, object);
  return result;
}

/** The name by which this process, and the kernel for it, reaches the object itself. */
function nameOf(libc: Libc, object: number): number {
  return libc.path(`/proc/self/fd/${object}`);
}

/** chmod(2). Links have no mode of their own. */
function modeOf(libc: Libc, mode: number): Change {
  return (object, type) =>
    type === "symlink"
      ? -ERRNO.EOPNOTSUPP
      : libc.call(libc.numbers.fchmodat, AT_FDCWD, nameOf(libc, object), mode & MODE_BITS);
}

/** chown(2) */
function ownerOf(libc: Libc, user: number, group: number): Change {
  const { fchownat } = libc.numbers;
  return (object) => libc.call(fchownat, object, libc.path(""), user, group, EMPTY_PATH);
}

/** utimensat(2); an address of nothing is now. */
function timesAt(
  { libc, notifications }: CallParts,
  call: HandedOver,
  address: number,
  moments: Moments,
): Change | number {
  const { numbers: { utimensat }, structAddress, structBytes } = libc;
  if (address === 0) return (object) => libc.call(utimensat, object, libc.path(""), 0, EMPTY_PATH);
  const read = momentsOf(moments, (size) => notifications.bytes(call, address, size));
  if (typeof read === "number") return read;
  return (object) => {
    structBytes.set(read);
    return libc.call(utimensat, object, libc.path(""), structAddress, EMPTY_PATH);
  };
}

/** setxattr(2): name, value, size and flags follow what is changed. */
function attributeAt(parts: CallParts, call: HandedOver): Change | number {
  const { libc, notifications } = parts;
  const name = attributeName(parts, call);
  if (typeof name === "number") return name;
  const { words } = call;
  const [address, size, flags] = [words.at(2), words.at(3), words.int(4)];
  if (size > LONGEST_VALUE) return -ERRNO.E2BIG;
  const value = notifications.bytes(call, address, size);
  if (typeof value === "number") return value;
  return (object, type) => {
    if (type === "symlink") return -ERRNO.EPERM;
    const { structAddress, structBytes, numbers } = libc;
    structBytes.set(value);
    const [path, text] = [nameOf(libc, object), libc.path(name, 1)];
    return libc.call(numbers.setxattr, path, text, structAddress, value.length, flags);
  };
}

/** removexattr(2) */
function withoutAttributeAt(parts: CallParts, call: HandedOver): Change | number {
  const { libc } = parts;
  const name = attributeName(parts, call);
  if (typeof name === "number") return name;
  return (object, type) =>
    type === "symlink"
      ? -ERRNO.EPERM
      : libc.call(libc.numbers.removexattr, nameOf(libc, object), libc.path(name, 1));
}

function attributeName({ notifications }: CallParts, call: HandedOver): string | number {
  const name = notifications.text(call, call.words.at(1));
  if (typeof name === "number") return name === -ERRNO.EPERM ? -ERRNO.EFAULT : name;
  if (name === "" || name.length > LONGEST_NAME) return -ERRNO.ERANGE;
  if (OWNERS_NAMES.test(name)) return name;
  return name.includes(".") ? -ERRNO.EPERM : -ERRNO.EOPNOTSUPP;
}
