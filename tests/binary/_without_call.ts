/**
 * Starts a program on a kernel that, for it, lacks system calls:
 *
 *     deno run -A _without_call.ts NUMBER:ERRNO[,NUMBER:ERRNO…] PROGRAM ARG…
 *
 * Filters are inherited, so one on this thread is one on what it starts.
 */

import { openLibc } from "../../src/sandbox/kernel/libc.ts";
import { filterThread, type Instruction } from "../../src/sandbox/seccomp.ts";

/** Classic BPF: load a word, jump if equal, return (include/uapi/linux/bpf_common.h). */
const LOAD = 0x20;
const JUMP_IF_EQUAL = 0x15;
const RETURN = 0x06;
/** SECCOMP_RET_ALLOW, SECCOMP_RET_ERRNO (include/uapi/linux/seccomp.h). */
const ALLOW = 0x7fff0000;
const REFUSE = 0x00050000;

const step = (code: number, value: number, ifFalse = 0): Instruction => ({
  code,
  value,
  ifTrue: 0,
  ifFalse,
});

const [calls = "", program = "", ...args] = Deno.args;
const filter = [
  step(LOAD, 0),
  ...calls.split(",").flatMap((call) => {
    const [number, errno] = call.split(":").map(Number) as [number, number];
    return [step(JUMP_IF_EQUAL, number, 1), step(RETURN, REFUSE | errno)];
  }),
  step(RETURN, ALLOW),
];
const libc = openLibc();
if (libc === null) throw new Error("no C library");
const failure = filterThread(libc, filter);
if (failure !== null) throw new Error(failure);
const { code } = await new Deno.Command(program, { args }).spawn().status;
Deno.exit(code);
