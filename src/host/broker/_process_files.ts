/** What a program may see of processes: itself and those of its own call, read by their entries of /proc. */

import { ERRNO } from "../../sandbox/kernel/errno.ts";
import type { Libc } from "../../sandbox/kernel/libc.ts";
import { OPEN } from "../../sandbox/kernel/open_without_links.ts";
import type { HandedOver } from "../../sandbox/broker/notifications.ts";
import { close } from "../kernel/pipes.ts";
import type { Deed, DeedParts } from "./_deed.ts";
import { LEAVE, openBelow, openExactly } from "./_names.ts";
import { readField } from "./_file_masks.ts";

/** RLIMIT_RTTIME, which carries the mark of a run (include/uapi/asm-generic/resource.h); see `ProcessLimits`. */
const RLIMIT_RTTIME = 15;

/**
 * Entries of a process that tell of it alone (proc(5)). Not its memory, nor what tells of the machine (its network, its
 * kernel's stacks, where its pages lie): Toolgate opens them, who may see more than the program may.
 */
const ENTRIES =
  /^(?:task\/(?:\d+\/?)?)?(?:auxv|cgroup|cmdline|comm|cpuset|environ|fd|fdinfo(?:\/\d+)?|io|limits|maps|mountinfo|mounts|oom_score|oom_score_adj|sched|schedstat|smaps|smaps_rollup|stat|statm|status|task)?\/?$/;

/** Whether a path is one of a process. */
export function isOfProcess(path: string): boolean {
  return /^\/proc\/(?:self|thread-self|\d+)(?:\/|$)/.test(path);
}

/** Opens it for reading where it is the program's own, or of the same call; all else is left to the kernel's rules. */
export function openProcessFile(
  { libc, notifications, mark }: DeedParts,
  call: HandedOver,
  path: string,
  flags: number,
): Deed {
  const [, , who = "", ...parts] = path.split("/");
  const rest = parts.filter((part) => part !== "" && part !== ".").join("/");
  if (rest.includes("..")) return LEAVE;
  const id = who === "self" || who === "thread-self" ? leaderOf(libc, call.thread) : Number(who);
  if (id === null) return LEAVE;
  const below = who === "thread-self" ? `task/${call.thread}/${rest}` : rest;
  if (!ENTRIES.test(below)) return LEAVE;
  const folder = openExactly(libc, `/proc/${id}`, OPEN.PATH | libc.numbers.O_DIRECTORY);
  if (folder < 0) return folder;
  // The folder is of the process that had the number when it was opened: whoever has it now is asked, and is the same.
  const own = id === call.thread || isMarked(libc, id, mark);
  const opened = own && notifications.isWaiting(call)
    ? openBelow(libc, folder, below === "" ? "." : below, flags & ~OPEN.CREAT)
    : -ERRNO.EACCES;
  close(libc, folder);
  if (opened === -ERRNO.EACCES) return LEAVE;
  return opened < 0 ? opened : { descriptor: opened, closesOnExec: (flags & OPEN.CLOEXEC) !== 0 };
}

/** The process of a thread; null where it is gone. */
export function leaderOf(libc: Libc, thread: number): number | null {
  const found = readField(libc, `/proc/${thread}/status`, /\nTgid:\s*(\d+)/);
  return found === null ? null : Number(found);
}

function isMarked(libc: Libc, id: number, mark: number | null): boolean {
  if (mark === null) return false;
  const { struct, structAddress, numbers } = libc;
  const asked = libc.call(numbers.prlimit64, id, RLIMIT_RTTIME, 0, structAddress);
  return asked >= 0 && struct.getBigUint64(8, true) === BigInt(mark);
}
