/**
 * Code of Toolgate's own beside the C library's: system calls as they are, and the launcher's loop in a child that shares
 * this process's memory until it is the program.
 */

import type { Architecture } from "../seccomp.ts";
import { type Instruction, line } from "./_machine_code.ts";

/** What the library has, by the names that it is called by. */
export const FUNCTIONS = ["call", "wide", "transfer", "start"] as const;
/** One of them. */
export type FunctionName = (typeof FUNCTIONS)[number];

/**
 * The memory that a start is given. What failed: the number of the step and the result of its call, 8 bytes each; all
 * signals (8), and room for those that were blocked; struct clone_args (88, include/uapi/linux/sched.h); where the kernel says
 * whether a child goes by it that nobody waits for (4); the table.
 */
export const BLOCK = {
  step: 0,
  result: 8,
  allSignals: 0x10,
  cloneArguments: 0x20,
  child: 0x78,
  table: 0x80,
} as const;
/** Room for the table: no list of steps is longer. */
export const MOST_STEPS = 64;

/**
 * `call(number, six words)`, `wide` with a result of 64 bits, `transfer(number, descriptor, buffer, count)`: what the
 * kernel answers is the result, so that no error number lies in between where something else could overwrite it. Words
 * come as floating point, which is what JavaScript has: whole up to 2^53.
 *
 * `start(block)`: the number of a child, or an error number with its sign turned. All signals are blocked until the
 * child, which begins with no handler of this process's (CLONE_CLEAR_SIGHAND), has gone its own way: until then it has
 * this thread's stack too, which it does not touch, and this thread sleeps (CLONE_VFORK).
 *
 * Intel's syntax. The kernel keeps all registers but rax, rcx and r11 (syscall(2)). Jumps name the offset in the
 * function.
 */
const X86_64: Readonly<Record<FunctionName, readonly Instruction[]>> = {
  call: [
    line("89 f8", "mov eax,edi"),
    line("f2 48 0f 2c f8", "cvttsd2si rdi,xmm0"),
    line("f2 48 0f 2c f1", "cvttsd2si rsi,xmm1"),
    line("f2 48 0f 2c d2", "cvttsd2si rdx,xmm2"),
    line("f2 4c 0f 2c d3", "cvttsd2si r10,xmm3"),
    line("f2 4c 0f 2c c4", "cvttsd2si r8,xmm4"),
    line("f2 4c 0f 2c cd", "cvttsd2si r9,xmm5"),
    line("0f 05", "syscall"),
    line("c3", "ret"),
  ],
  wide: [
    line("89 f8", "mov eax,edi"),
    line("f2 48 0f 2c f8", "cvttsd2si rdi,xmm0"),
    line("f2 48 0f 2c f1", "cvttsd2si rsi,xmm1"),
    line("f2 48 0f 2c d2", "cvttsd2si rdx,xmm2"),
    line("f2 4c 0f 2c d3", "cvttsd2si r10,xmm3"),
    line("f2 4c 0f 2c c4", "cvttsd2si r8,xmm4"),
    line("f2 4c 0f 2c cd", "cvttsd2si r9,xmm5"),
    line("0f 05", "syscall"),
    line("f2 48 0f 2a c0", "cvtsi2sd xmm0,rax"),
    line("c3", "ret"),
  ],
  transfer: [
    line("89 f8", "mov eax,edi"),
    line("89 f7", "mov edi,esi"),
    line("48 89 d6", "mov rsi,rdx"),
    line("48 63 d1", "movsxd rdx,ecx"),
    line("0f 05", "syscall"),
    line("c3", "ret"),
  ],
  start: [
    line("53", "push rbx"),
    line("41 54", "push r12"),
    line("48 89 fb", "mov rbx,rdi"),
    // rt_sigprocmask(SIG_SETMASK, all, before, 8)
    line("b8 0e 00 00 00", "mov eax,0xe"),
    line("bf 02 00 00 00", "mov edi,0x2"),
    line("48 8d 73 10", "lea rsi,[rbx+0x10]"),
    line("48 8d 53 18", "lea rdx,[rbx+0x18]"),
    line("41 ba 08 00 00 00", "mov r10d,0x8"),
    line("0f 05", "syscall"),
    // clone3(2)
    line("b8 b3 01 00 00", "mov eax,0x1b3"),
    line("48 8d 7b 20", "lea rdi,[rbx+0x20]"),
    line("be 58 00 00 00", "mov esi,0x58"),
    line("0f 05", "syscall"),
    line("48 85 c0", "test rax,rax"),
    line("74 22", "je 0x57"),
    // Here nothing has changed but that there is a child, or none.
    line("49 89 c4", "mov r12,rax"),
    line("b8 0e 00 00 00", "mov eax,0xe"),
    line("bf 02 00 00 00", "mov edi,0x2"),
    line("48 8d 73 18", "lea rsi,[rbx+0x18]"),
    line("31 d2", "xor edx,edx"),
    line("41 ba 08 00 00 00", "mov r10d,0x8"),
    line("0f 05", "syscall"),
    line("4c 89 e0", "mov rax,r12"),
    line("41 5c", "pop r12"),
    line("5b", "pop rbx"),
    line("c3", "ret"),
    // 0x57, the child.
    line("4c 8d a3 80 00 00 00", "lea r12,[rbx+0x80]"),
    // 0x5e, the next entry: the number and its six words.
    line("41 8b 04 24", "mov eax,DWORD PTR [r12]"),
    line("49 8b 7c 24 10", "mov rdi,QWORD PTR [r12+0x10]"),
    line("49 8b 74 24 18", "mov rsi,QWORD PTR [r12+0x18]"),
    line("49 8b 54 24 20", "mov rdx,QWORD PTR [r12+0x20]"),
    line("4d 8b 54 24 28", "mov r10,QWORD PTR [r12+0x28]"),
    line("4d 8b 44 24 30", "mov r8,QWORD PTR [r12+0x30]"),
    line("4d 8b 4c 24 38", "mov r9,QWORD PTR [r12+0x38]"),
    line("0f 05", "syscall"),
    line("48 85 c0", "test rax,rax"),
    line("78 06", "js 0x8d"),
    // 0x87
    line("49 83 c4 40", "add r12,0x40"),
    line("eb d1", "jmp 0x5e"),
    // 0x8d, it failed: on with it where that is no matter.
    line("41 f6 44 24 04 01", "test BYTE PTR [r12+0x4],0x1"),
    line("75 f2", "jne 0x87"),
    line("49 8b 4c 24 08", "mov rcx,QWORD PTR [r12+0x8]"),
    line("48 89 0b", "mov QWORD PTR [rbx],rcx"),
    line("48 89 43 08", "mov QWORD PTR [rbx+0x8],rax"),
    // exit_group(2)
    line("b8 e7 00 00 00", "mov eax,0xe7"),
    line("bf 7f 00 00 00", "mov edi,0x7f"),
    line("0f 05", "syscall"),
    line("0f 0b", "ud2"),
  ],
};

/** The same for aarch64, which keeps all registers but x0 (syscall(2)). */
const AARCH64: Readonly<Record<FunctionName, readonly Instruction[]>> = {
  call: [
    line("e8 03 00 2a", "mov w8, w0"),
    line("00 00 78 9e", "fcvtzs x0, d0"),
    line("21 00 78 9e", "fcvtzs x1, d1"),
    line("42 00 78 9e", "fcvtzs x2, d2"),
    line("63 00 78 9e", "fcvtzs x3, d3"),
    line("84 00 78 9e", "fcvtzs x4, d4"),
    line("a5 00 78 9e", "fcvtzs x5, d5"),
    line("01 00 00 d4", "svc #0x0"),
    line("c0 03 5f d6", "ret"),
  ],
  wide: [
    line("e8 03 00 2a", "mov w8, w0"),
    line("00 00 78 9e", "fcvtzs x0, d0"),
    line("21 00 78 9e", "fcvtzs x1, d1"),
    line("42 00 78 9e", "fcvtzs x2, d2"),
    line("63 00 78 9e", "fcvtzs x3, d3"),
    line("84 00 78 9e", "fcvtzs x4, d4"),
    line("a5 00 78 9e", "fcvtzs x5, d5"),
    line("01 00 00 d4", "svc #0x0"),
    line("00 00 62 9e", "scvtf d0, x0"),
    line("c0 03 5f d6", "ret"),
  ],
  transfer: [
    line("e8 03 00 2a", "mov w8, w0"),
    line("20 7c 40 93", "sxtw x0, w1"),
    line("e1 03 02 aa", "mov x1, x2"),
    line("62 7c 40 93", "sxtw x2, w3"),
    line("01 00 00 d4", "svc #0x0"),
    line("c0 03 5f d6", "ret"),
  ],
  start: [
    line("f3 53 bf a9", "stp x19, x20, [sp, #-16]!"),
    line("f3 03 00 aa", "mov x19, x0"),
    line("40 00 80 d2", "mov x0, #0x2"),
    line("61 42 00 91", "add x1, x19, #0x10"),
    line("62 62 00 91", "add x2, x19, #0x18"),
    line("03 01 80 d2", "mov x3, #0x8"),
    line("e8 10 80 d2", "mov x8, #0x87"),
    line("01 00 00 d4", "svc #0x0"),
    line("60 82 00 91", "add x0, x19, #0x20"),
    line("01 0b 80 d2", "mov x1, #0x58"),
    line("68 36 80 d2", "mov x8, #0x1b3"),
    line("01 00 00 d4", "svc #0x0"),
    line("60 01 00 b4", "cbz x0, 0x5c"),
    line("f4 03 00 aa", "mov x20, x0"),
    line("40 00 80 d2", "mov x0, #0x2"),
    line("61 62 00 91", "add x1, x19, #0x18"),
    line("02 00 80 d2", "mov x2, #0x0"),
    line("03 01 80 d2", "mov x3, #0x8"),
    line("e8 10 80 d2", "mov x8, #0x87"),
    line("01 00 00 d4", "svc #0x0"),
    line("e0 03 14 aa", "mov x0, x20"),
    line("f3 53 c1 a8", "ldp x19, x20, [sp], #16"),
    line("c0 03 5f d6", "ret"),
    // 0x5c, the child.
    line("74 02 02 91", "add x20, x19, #0x80"),
    // 0x60, the next entry.
    line("88 02 40 b9", "ldr w8, [x20]"),
    line("80 06 41 a9", "ldp x0, x1, [x20, #16]"),
    line("82 0e 42 a9", "ldp x2, x3, [x20, #32]"),
    line("84 16 43 a9", "ldp x4, x5, [x20, #48]"),
    line("01 00 00 d4", "svc #0x0"),
    line("60 00 f8 b7", "tbnz x0, #63, 0x80"),
    // 0x78
    line("94 02 01 91", "add x20, x20, #0x40"),
    line("f9 ff ff 17", "b 0x60"),
    // 0x80, it failed.
    line("89 06 40 b9", "ldr w9, [x20, #4]"),
    line("a9 ff 07 37", "tbnz w9, #0, 0x78"),
    line("8a 06 40 f9", "ldr x10, [x20, #8]"),
    line("6a 02 00 a9", "stp x10, x0, [x19]"),
    line("e0 0f 80 d2", "mov x0, #0x7f"),
    line("c8 0b 80 d2", "mov x8, #0x5e"),
    line("01 00 00 d4", "svc #0x0"),
    line("00 00 00 00", "udf #0"),
  ],
};

/** The instructions of each function. */
export const LIBRARY_LISTINGS: Readonly<
  Record<Architecture, Readonly<Record<FunctionName, readonly Instruction[]>>>
> = { x86_64: X86_64, aarch64: AARCH64 };
