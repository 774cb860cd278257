/** The instructions that filters of system calls are made of. */

import type { Instruction } from "./_filter_nodes.ts";
import { ERRNO } from "./kernel/errno.ts";

/** Classic BPF operations (include/uapi/linux/bpf_common.h): load a word, return, jumps. */
const LOAD = 0x20;
const RETURN = 0x06;
/** BPF_JMP with BPF_JEQ. */
export const JUMP_IF_EQUAL = 0x15;
/** With BPF_JGE. */
export const JUMP_IF_AT_LEAST = 0x35;
/** With BPF_JSET. */
export const JUMP_IF_ANY_BIT = 0x45;
/** BPF_ALU with BPF_AND. */
export const AND = 0x54;

/** The kernel reads these arguments as 32 bits: the upper half must not hide anything (CVE-2023-1523). */
export const argumentOffset = (index: number): number => 16 + 8 * index;

/** SECCOMP_RET_ALLOW, SECCOMP_RET_ERRNO (include/uapi/linux/seccomp.h). */
export const ALLOW = 0x7fff0000;
/** With the error number in its lower half. */
export const REFUSE = 0x00050000;
/** SECCOMP_RET_USER_NOTIF (the same header) */
export const HAND_OVER = 0x7fc00000;

/** Of struct seccomp_data. */
export const load = (offset: number): Instruction => ({
  code: LOAD,
  ifTrue: 0,
  ifFalse: 0,
  value: offset,
});
/** The last word on a call. */
export const answer = (value: number): Instruction => ({
  code: RETURN,
  ifTrue: 0,
  ifFalse: 0,
  value,
});
/** The call fails with this error number; 0: it is said to have succeeded, and is not made. */
export const refuse = (errno: number): Instruction => answer(REFUSE | errno);
/** The upper half of an argument. */
export const loadUpper = (index: number): Instruction => load(argumentOffset(index) + 4);
/** Goes on with the next instructions where the test holds, else leaves out as many as `skip`. */
export const unless = (code: number, value: number, skip: number): Instruction => ({
  code,
  ifTrue: 0,
  ifFalse: skip,
  value,
});

/** Refuses the call where its argument has one of these bits. */
export function refuseBits(argument: number, bits: number): readonly Instruction[] {
  return [
    load(argumentOffset(argument)),
    unless(JUMP_IF_ANY_BIT, bits, 1),
    refuse(ERRNO.EPERM),
    answer(ALLOW),
  ];
}
