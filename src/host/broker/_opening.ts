/** Opening what a program names, for it: judged by the path that it is then opened by. */

import { ERRNO } from "../../sandbox/kernel/errno.ts";
import { OPEN } from "../../sandbox/kernel/open_without_links.ts";
import type { HandedOver } from "../../sandbox/broker/notifications.ts";
import { close } from "../kernel/pipes.ts";
import {
  type CallParts,
  type CallResult,
  isShared,
  onName,
  permits,
  refusal,
  sharedName,
} from "./_call_result.ts";
import { isOfSystem, LEAVE, linkTarget, normalName, openExactly, unsureName } from "./_names.ts";
import {
  isOfProcess,
  isProcessList,
  mayBeOfList,
  meantInList,
  openProcessFile,
  openProcessList,
} from "./_process_files.ts";

/** O_ACCMODE, O_TRUNC, O_APPEND, FASYNC, O_NOATIME, __O_TMPFILE (include/uapi/asm-generic/fcntl.h) */
const ACCESS_BITS = 0o3;
const TRUNCATE = 0o1000;
const APPEND = 0o2000;
const ASYNC = 0o20000;
const NO_ACCESS_TIME = 0o1000000;
const TEMPORARY = 0o20000000;
/** F_SETFL (the same header) */
const F_SETFL = 4;
/** EOPNOTSUPP: what has no name cannot be judged by one. Programs fall back on a name. */
const NOT_SUPPORTED = -ERRNO.EOPNOTSUPP;
const MODE_BITS = 0o7777;
/** SEEK_CUR (include/uapi/linux/fs.h) */
const SEEK_CUR = 1;
/** ESPIPE (asm-generic/errno-base.h) */
const ESPIPE = 29;

/** open(2), openat(2), creat(2). */
export function openFor(
  parts: CallParts,
  call: HandedOver,
  { directory, address, flags, mode }: {
    readonly directory: number;
    readonly address: number;
    readonly flags: number;
    readonly mode: number;
  },
): CallResult {
  if ((flags & OPEN.PATH) !== 0) return LEAVE;
  const { libc, notifications } = parts;
  const creates = (flags & OPEN.CREAT) !== 0;
  const exclusive = creates && (flags & OPEN.EXCL) !== 0;
  const reads = !creates && (flags & (ACCESS_BITS | TRUNCATE | TEMPORARY)) === 0;
  if (reads && isLoader(parts, call)) return -ERRNO.EACCES;
  if (reads && !parts.rules.reads) return LEAVE;
  // Another's text at the worst: then nobody waits for this call any more, and it is left to nobody.
  const text = notifications.unsureText(call, address);
  if (typeof text === "number" || text === "") return LEAVE;
  const { covered } = parts;
  if (reads) {
    const isAbsolute = text.startsWith("/");
    const ofProcesses = isAbsolute && (isProcessList(text) || isOfProcess(text));
    if (ofProcesses && !notifications.isWaiting(call)) return LEAVE;
    if (ofProcesses && isProcessList(text)) return openProcessList(parts, call, flags);
    if (ofProcesses) return openProcessFile(parts, call, text, flags);
    // All the rest is read by what the kernel's rules say.
    const known = covered === null || isAbsolute && isOfSystem(text);
    if (known && !isShared(text) && !mayBeOfList(text)) return LEAVE;
  }
  // The kernel gives what is opened to nobody but who still waits for it.
  const nameOf = reads ? unsureName : normalName;
  const written = nameOf(libc, notifications, call, directory, text);
  if (written === LEAVE) return LEAVE;
  const ofList = reads ? meantInList(parts.lists, written.path) : null;
  if (ofList !== null && isOfProcess(ofList)) return openProcessFile(parts, call, ofList, flags);
  if (reads && covered === null && !isShared(written.path)) return LEAVE;
  const follow = !exclusive && (flags & libc.numbers.O_NOFOLLOW) === 0;
  return onName(parts, sharedName(parts, written), follow, ({ path, slash, moved }) => {
    if ((flags & TEMPORARY) === TEMPORARY) return NOT_SUPPORTED;
    if (slash && creates) return -ERRNO.EISDIR;
    return openPath(parts, call, path, {
      moved: moved === true,
      changes: (flags & (ACCESS_BITS | TRUNCATE)) !== 0,
      creates,
      exclusive,
      flags: slash ? flags | libc.numbers.O_DIRECTORY : flags,
      mode,
    });
  });
}

function openPath(
  parts: CallParts,
  call: HandedOver,
  path: string,
  { moved, changes, creates, exclusive, flags, mode }: {
    readonly moved: boolean;
    readonly changes: boolean;
    readonly creates: boolean;
    readonly exclusive: boolean;
    readonly flags: number;
    readonly mode: number;
  },
): CallResult {
  const { libc, covered } = parts;
  const { O_DIRECTORY, O_NOFOLLOW } = libc.numbers;
  if (!moved && !changes && !creates && covered?.holds(path) !== false) return LEAVE;
  const kind = !changes && (flags & O_DIRECTORY) !== 0 ? "directory" : "file";
  const access = changes ? "write" : "read";
  if (!permits(parts, access, path, kind, true)) {
    // Nothing is told of what was another's.
    if (!parts.notifications.isWaiting(call)) return LEAVE;
    // What may be a folder too is opened as one or not at all.
    const either = !changes && !creates && kind === "file";
    if (either && permits(parts, "read", path, "directory", true)) {
      const folder = openExactly(libc, path, flags | O_DIRECTORY | O_NOFOLLOW);
      if (folder >= 0) return { descriptor: folder, closesOnExec: (flags & OPEN.CLOEXEC) !== 0 };
      if (folder !== -ERRNO.ENOTDIR) return folder;
    }
    const present = exclusive ? -ERRNO.EEXIST : -ERRNO.EACCES;
    return refusal(parts, access, path, kind, { makes: creates, present });
  }
  const how = (flags & ~(OPEN.CREAT | OPEN.EXCL)) | O_NOFOLLOW | OPEN.NONBLOCK | OPEN.NOCTTY;
  const wanted = creates ? parts.masks.masked(call.thread, mode & MODE_BITS) : null;
  // What may be written to may be made, in one step where nothing has to be known of which of the two it was.
  const atOnce = changes && !exclusive && wanted?.cut === false;
  let opened = atOnce
    ? openExactly(libc, path, how | OPEN.CREAT, wanted.mode)
    : exclusive
    ? -ERRNO.ENOENT
    : openExactly(libc, path, how);
  if (opened === -ERRNO.ENOENT && wanted !== null && !atOnce) {
    if (!permits(parts, "write", path, "file", true)) {
      const present = exclusive ? -ERRNO.EEXIST : -ERRNO.EACCES;
      return refusal(parts, "write", path, "file", { makes: true, present });
    }
    const made = OPEN.CREAT | (flags & OPEN.EXCL);
    opened = openExactly(libc, path, how | made, wanted.mode);
    if (opened >= 0 && wanted.cut) libc.call(libc.numbers.fchmod, opened, wanted.mode);
  }
  if (opened < 0) return opened;
  if (!changes && (flags & O_DIRECTORY) === 0 && isPipe(parts, opened)) {
    close(libc, opened);
    return -ERRNO.ENXIO;
  }
  // It was opened so that nothing could hold up who opens it.
  if ((flags & OPEN.NONBLOCK) === 0) {
    libc.call(libc.numbers.fcntl, opened, F_SETFL, flags & (APPEND | ASYNC | NO_ACCESS_TIME));
  }
  return { descriptor: opened, closesOnExec: (flags & OPEN.CLOEXEC) !== 0 };
}

/**
 * Whether it is the loader itself that opens something, called as a program: who is loaded by it as programs are has
 * another executable. Nothing is known of a process that cannot be looked at.
 */
function isLoader({ libc, rules: { loaders } }: CallParts, { thread }: HandedOver): boolean {
  if (loaders.length === 0) return false;
  const executable = linkTarget(libc, `/proc/${thread}/exe`);
  return executable === null || loaders.includes(executable.replace(/ \(deleted\)$/, ""));
}

/** Whoever waits for a writer would have to wait here. */
function isPipe({ libc }: CallParts, descriptor: number): boolean {
  return libc.call(libc.numbers.lseek, descriptor, 0, SEEK_CUR) === -ESPIPE;
}
