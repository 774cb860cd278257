/** What a filter says of the groups and the scheduling of processes: a program's own are its own, and nobody else's. */

import { type CallNumbers, JUDGED_CALLS, LOOKING_CALLS } from "./denied_calls.ts";
import type { Instruction } from "./_filter_nodes.ts";
import {
  ALLOW,
  answer,
  argumentOffset,
  HAND_OVER,
  JUMP_IF_AT_LEAST,
  JUMP_IF_EQUAL,
  load,
  refuse,
  unless,
} from "./_filter_words.ts";
import { ERRNO } from "./kernel/errno.ts";

/** IOPRIO_WHO_PROCESS, IOPRIO_WHO_USER (include/uapi/linux/ioprio.h); PRIO_PROCESS is 0, PRIO_PGRP 1 (resource.h). */
const IOPRIO_WHO_PROCESS = 1;
const IOPRIO_USER = 3;
const PRIO_USER = 2;

/** `handed`: what is asked of others is handed over. */
export function holdScheduling(
  on: (numbers: CallNumbers, body: readonly Instruction[]) => void,
  handed: boolean,
): void {
  on(JUDGED_CALLS.setpriority, [
    load(argumentOffset(0)),
    unless(JUMP_IF_AT_LEAST, PRIO_USER, 1),
    refuse(ERRNO.EPERM),
    ...onlyOwn(1),
  ]);
  on(JUDGED_CALLS.ioprio_set, [
    load(argumentOffset(0)),
    unless(JUMP_IF_EQUAL, IOPRIO_WHO_PROCESS, 4),
    ...onlyOwn(1),
    refuse(ERRNO.EPERM),
  ]);
  on(JUDGED_CALLS.sched_setaffinity, onlyOwn(0));
  on(JUDGED_CALLS.sched_setattr, onlyOwn(0));
  on(JUDGED_CALLS.sched_setparam, onlyOwn(0));
  on(JUDGED_CALLS.sched_setscheduler, onlyOwn(0));
  lookAtOthers(on, handed);
}

/** Lets it through for the caller itself (0), which needs no number; never for another. Four instructions. */
function onlyOwn(argument: number): readonly Instruction[] {
  return [
    load(argumentOffset(argument)),
    unless(JUMP_IF_EQUAL, 0, 1),
    answer(ALLOW),
    refuse(ERRNO.EPERM),
  ];
}

/**
 * Of a program's own groups and scheduling everything is told, as it asks for it by 0. What is asked of others is handed over,
 * or answered as if nobody were there; by pthread_getattr_np(3), which asks for a thread by its number, as by a kernel
 * that does not tell, since that is what the C library goes on after.
 */
function lookAtOthers(
  on: (numbers: CallNumbers, body: readonly Instruction[]) => void,
  handed: boolean,
): void {
  const {
    getpriority,
    ioprio_get,
    sched_getaffinity,
    sched_getparam,
    sched_getscheduler,
    ...byProcess
  } = LOOKING_CALLS;
  const others = (errno: number): Instruction => handed ? answer(HAND_OVER) : refuse(errno);
  const own = (errno: number): readonly Instruction[] => [
    load(argumentOffset(0)),
    unless(JUMP_IF_EQUAL, 0, 1),
    answer(ALLOW),
    others(errno),
  ];
  on(sched_getaffinity, own(ERRNO.ENOSYS));
  // pthread_getschedparam(3) asks for a thread of the same process by its number, too: of these nobody is kept by his.
  if (handed) {
    for (const numbers of [sched_getparam, sched_getscheduler]) on(numbers, own(ERRNO.ESRCH));
  }
  for (const numbers of Object.values(byProcess)) on(numbers, own(ERRNO.ESRCH));
  for (const [numbers, ofUsers] of [[getpriority, PRIO_USER], [ioprio_get, IOPRIO_USER]] as const) {
    on(numbers, [
      load(argumentOffset(0)),
      unless(JUMP_IF_AT_LEAST, ofUsers, 1),
      refuse(ERRNO.ESRCH),
      load(argumentOffset(1)),
      unless(JUMP_IF_EQUAL, 0, 1),
      answer(ALLOW),
      others(ERRNO.ESRCH),
    ]);
  }
}
