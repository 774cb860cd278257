/** What a filter says of what a program asks for itself (prctl(2)). */

import type { Instruction } from "./_filter_nodes.ts";
import {
  ALLOW,
  answer,
  argumentOffset,
  JUMP_IF_AT_LEAST,
  JUMP_IF_EQUAL,
  load,
  refuse,
  unless,
} from "./_filter_words.ts";
import { ERRNO } from "./kernel/errno.ts";

/** PR_SET_DUMPABLE (include/uapi/linux/prctl.h): who is not cannot be looked at, and hands over nothing that works. */
const PR_SET_DUMPABLE = 4;
/**
 * PR_FUTEX_HASH (the same header), since Linux 6.16: a table of up to a gigabyte of the kernel's memory, which counts as
 * nobody's. Numbers from this on are answered EINVAL, as by a kernel before it: what later ones bring nobody has judged.
 */
const FIRST_UNKNOWN = 78;
/** PR_SET_VMA, PR_SET_PTRACER (the same header), whose numbers are words. */
const KNOWN_WORDS = [0x53564d41, 0x59616d61] as const;

/** `watched`: whether it must stay such that it can be looked at, and is told that what would end that was done. */
export function controlRules(watched: boolean): readonly Instruction[] {
  return [
    load(argumentOffset(0)),
    ...(watched ? [unless(JUMP_IF_EQUAL, PR_SET_DUMPABLE, 1), refuse(0)] : []),
    ...KNOWN_WORDS.flatMap((word) => [unless(JUMP_IF_EQUAL, word, 1), answer(ALLOW)]),
    unless(JUMP_IF_AT_LEAST, FIRST_UNKNOWN, 1),
    refuse(ERRNO.EINVAL),
    answer(ALLOW),
  ];
}
