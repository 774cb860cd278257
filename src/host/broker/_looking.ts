/**
 * What programs ask of the groups and the scheduling of others, by their numbers: told of those of the same call, and of
 * nobody else.
 */

import { LOOKING_CALLS } from "../../sandbox/denied_calls.ts";
import { ERRNO } from "../../sandbox/kernel/errno.ts";
import type { HandedOver } from "../../sandbox/broker/notifications.ts";
import type { Architecture } from "../../sandbox/seccomp.ts";
import { isMarked } from "../kernel/marked_processes.ts";
import type { CallParts } from "./_call_result.ts";
import { LEAVE } from "./_names.ts";
import { leaderOf } from "./_process_files.ts";

/** By the numbers of such calls on this machine: which argument says whom they ask for. */
export function lookingCallsOf(architecture: Architecture): ReadonlyMap<number, 0 | 1> {
  return new Map(
    Object.entries(LOOKING_CALLS).flatMap(([name, { [architecture]: number }]) => {
      // PRIO_PROCESS, PRIO_PGRP and their kin come first, and a group has the number of its leader.
      const argument = name === "getpriority" || name === "ioprio_get" ? 1 : 0;
      return number === null ? [] : [[number, argument] as const];
    }),
  );
}

/** Left to the kernel, which answers by the number that was judged, or answered as if nobody were there. */
export function lookAt(
  { libc, mark }: CallParts,
  { thread, words }: HandedOver,
  argument: 0 | 1,
): typeof LEAVE | number {
  const id = words.int(argument);
  const isOwn = id === thread || id > 0 &&
      (mark === null ? leaderOf(libc, id) === leaderOf(libc, thread) : isMarked(libc, id, mark));
  return isOwn ? LEAVE : -ERRNO.ESRCH;
}
