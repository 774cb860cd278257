/**
 * Whether a program starts one of those that it may start by itself. The kernel's rules hold what may be executed, by the
 * file; but a loader must be among that for the sake of all others, and called by itself it starts whatever it can read.
 */

import type { CanonicalPath } from "../../core/capability.ts";
import { ERRNO } from "../../sandbox/kernel/errno.ts";
import { AT_FDCWD, OPEN } from "../../sandbox/kernel/open_without_links.ts";
import type { HandedOver } from "../../sandbox/broker/notifications.ts";
import { isWithin } from "../../sandbox/within.ts";
import { close } from "../kernel/pipes.ts";
import { identityOf, openIdentity } from "../kernel/stat.ts";
import { type EntryProbe, resolver } from "../paths/canonicalize.ts";
import { createKernelProbe } from "../paths/path_probe.ts";
import { type CallParts, type CallResult, isOwn } from "./_call_result.ts";
import type { StartList } from "./handed_rules.ts";
import { LEAVE, normalName, openExactly, type WrittenName } from "./_names.ts";

/** What a program has open, or is, by the names that it has for that itself. */
const OWN = /^(?:\/proc\/(?:thread-)?self\/(?:exe|fd\/(\d+))|\/dev\/fd\/(\d+))$/;

/**
 * execve(2) of what is named at an address: left to the kernel, or refused. The kernel goes the same way once more
 * afterwards, so that no link on it may be one that a program can change meanwhile; what is at its end the kernel's own
 * rules know by the file.
 */
export function judgeStart(
  parts: CallParts,
  list: StartList,
  call: HandedOver,
  address: number,
): CallResult {
  const { libc, notifications } = parts;
  const text = notifications.unsureText(call, address);
  if (typeof text === "number") return text === -ERRNO.EPERM ? -ERRNO.EACCES : text;
  if (text === "") return -ERRNO.ENOENT;
  const own = OWN.exec(text);
  if (own !== null) {
    const descriptor = own[1] ?? own[2];
    const which = descriptor === undefined ? "exe" : `fd/${descriptor}`;
    const identity = identityOf(libc, `/proc/${call.thread}/${which}`);
    const isListed = identity !== null && list.files.has(identity);
    return isListed && notifications.isWaiting(call) ? LEAVE : -ERRNO.EACCES;
  }
  const written = normalName(libc, notifications, call, AT_FDCWD, text);
  if (written === LEAVE) return -ERRNO.EACCES;
  const straight = written.climbs ? -ERRNO.ELOOP : judgeFile(parts, list, written.path);
  if (straight !== -ERRNO.ELOOP) return straight;
  const real = throughLinks(parts, list, written);
  if (real === null) return -ERRNO.EACCES;
  const judged = judgeFile(parts, list, real);
  return judged === -ERRNO.ELOOP ? -ERRNO.EACCES : judged;
}

/** Of a path without links: ELOOP where there are some. */
function judgeFile(
  { libc }: CallParts,
  { files, folders }: StartList,
  path: string,
): typeof LEAVE | number {
  const file = openExactly(libc, path, OPEN.PATH);
  if (file < 0) return file;
  const identity = openIdentity(libc, file);
  close(libc, file);
  const isListed = identity !== null && files.has(identity) ||
    folders.some((folder) => isWithin(folder, path));
  return isListed ? LEAVE : -ERRNO.EACCES;
}

/**
 * Where the path leads; null where a link on the way is neither the system's nor one by which the file was found. What is
 * above a folder is the system's alone: another may have been put there meanwhile, or the folder elsewhere.
 */
function throughLinks(
  parts: CallParts,
  { names, system }: StartList,
  { path, climbs }: WrittenName,
): string | null {
  const { entryAt } = createKernelProbe(parts.libc);
  const isNamed = names.has(path);
  const isOfSystem = (at: string): boolean => system.some((one) => isWithin(one, at));
  const stays = (at: string): boolean =>
    !parts.judge.isRuled(at) && !isOwn(parts, at) && (isNamed && !climbs || isOfSystem(at));
  let allStay = true;
  const probe: EntryProbe = (at) => {
    const found = entryAt(at);
    if (climbs || typeof found === "object") allStay &&= stays(at);
    return found;
  };
  const real = resolver(probe)("/" as CanonicalPath, path);
  return allStay ? real : null;
}
