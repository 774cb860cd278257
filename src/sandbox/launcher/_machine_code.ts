/**
 * The code of the launcher: a loop that makes the system calls of a table, one after the other. It calls no function and
 * keeps nothing but its place in the table, so that it is the same whatever it is to do.
 */

import type { Architecture } from "../seccomp.ts";

/** Where the code stands in the file, behind the header and its two segments (64 + 2 * 56 bytes). */
export const CODE_OFFSET = 0xb0;
/** Where the table begins: what the first instruction finds behind the code. */
export const TABLE_OFFSET = 0x140;
/** One entry: the number of the call (4), flags (4), the number of the step (8), six words (48). */
export const ENTRY_SIZE = 0x40;
/** Flag of an entry: where the call fails, it goes on all the same. */
export const GO_ON = 1;
/** The descriptor that a failure is told to, by the number of the step and the result of the call (8 bytes each). */
export const STATUS = 3;
/** The exit status where it failed: what shells say of a program that cannot be started (POSIX, 2.8.2). */
export const FAILED_STATUS = 127;

/** One instruction, as a disassembler writes it. */
export interface Instruction {
  readonly bytes: string;
  readonly text: string;
}

/** An instruction of a listing. */
export const line = (bytes: string, text: string): Instruction => ({ bytes, text });

/**
 * Intel's syntax. The kernel keeps all registers but rax, rcx and r11 (syscall(2)), so that rbx stays where it is.
 * Jumps name the offset in the code.
 */
const X86_64: readonly Instruction[] = [
  line("48 8d 1d 89 00 00 00", "lea rbx,[rip+0x89]"),
  // 0x7, the next entry: the number and its six words.
  line("8b 03", "mov eax,DWORD PTR [rbx]"),
  line("48 8b 7b 10", "mov rdi,QWORD PTR [rbx+0x10]"),
  line("48 8b 73 18", "mov rsi,QWORD PTR [rbx+0x18]"),
  line("48 8b 53 20", "mov rdx,QWORD PTR [rbx+0x20]"),
  line("4c 8b 53 28", "mov r10,QWORD PTR [rbx+0x28]"),
  line("4c 8b 43 30", "mov r8,QWORD PTR [rbx+0x30]"),
  line("4c 8b 4b 38", "mov r9,QWORD PTR [rbx+0x38]"),
  line("0f 05", "syscall"),
  line("48 85 c0", "test rax,rax"),
  line("78 06", "js 0x2e"),
  // 0x28
  line("48 83 c3 40", "add rbx,0x40"),
  line("eb d9", "jmp 0x7"),
  // 0x2e, it failed: on with it where that is no matter.
  line("f6 43 04 01", "test BYTE PTR [rbx+0x4],0x1"),
  line("75 f4", "jne 0x28"),
  // Step and result on the stack, in one write(2) to the status.
  line("50", "push rax"),
  line("ff 73 08", "push QWORD PTR [rbx+0x8]"),
  line("b8 01 00 00 00", "mov eax,0x1"),
  line("bf 03 00 00 00", "mov edi,0x3"),
  line("48 89 e6", "mov rsi,rsp"),
  line("ba 10 00 00 00", "mov edx,0x10"),
  line("0f 05", "syscall"),
  // exit_group(2)
  line("b8 e7 00 00 00", "mov eax,0xe7"),
  line("bf 7f 00 00 00", "mov edi,0x7f"),
  line("0f 05", "syscall"),
  line("0f 0b", "ud2"),
];

/** The same for aarch64, which keeps all registers but x0 (syscall(2)). Words of 32 bits, the lowest byte first. */
const AARCH64: readonly Instruction[] = [
  line("93 04 00 10", "adr x19, 0x90"),
  // 0x4, the next entry.
  line("68 02 40 b9", "ldr w8, [x19]"),
  line("60 06 41 a9", "ldp x0, x1, [x19, #16]"),
  line("62 0e 42 a9", "ldp x2, x3, [x19, #32]"),
  line("64 16 43 a9", "ldp x4, x5, [x19, #48]"),
  line("01 00 00 d4", "svc #0x0"),
  line("60 00 f8 b7", "tbnz x0, #63, 0x24"),
  // 0x1c
  line("73 02 01 91", "add x19, x19, #0x40"),
  line("f9 ff ff 17", "b 0x4"),
  // 0x24, it failed.
  line("69 06 40 b9", "ldr w9, [x19, #4]"),
  line("a9 ff 07 37", "tbnz w9, #0, 0x1c"),
  line("6a 06 40 f9", "ldr x10, [x19, #8]"),
  line("ea 03 bf a9", "stp x10, x0, [sp, #-16]!"),
  line("60 00 80 d2", "mov x0, #0x3"),
  line("e1 03 00 91", "mov x1, sp"),
  line("02 02 80 d2", "mov x2, #0x10"),
  line("08 08 80 d2", "mov x8, #0x40"),
  line("01 00 00 d4", "svc #0x0"),
  line("e0 0f 80 d2", "mov x0, #0x7f"),
  line("c8 0b 80 d2", "mov x8, #0x5e"),
  line("01 00 00 d4", "svc #0x0"),
  line("00 00 00 00", "udf #0"),
];

/** A program that makes the first call of the table and no other, and ends with the error that came of it; 0 for none. */
const ONE_CALL_X86_64: readonly Instruction[] = [
  line("48 8d 1d 89 00 00 00", "lea rbx,[rip+0x89]"),
  line("8b 03", "mov eax,DWORD PTR [rbx]"),
  line("48 8b 7b 10", "mov rdi,QWORD PTR [rbx+0x10]"),
  line("48 8b 73 18", "mov rsi,QWORD PTR [rbx+0x18]"),
  line("48 8b 53 20", "mov rdx,QWORD PTR [rbx+0x20]"),
  line("4c 8b 53 28", "mov r10,QWORD PTR [rbx+0x28]"),
  line("0f 05", "syscall"),
  line("f7 d8", "neg eax"),
  line("89 c7", "mov edi,eax"),
  line("b8 e7 00 00 00", "mov eax,0xe7"),
  line("0f 05", "syscall"),
  line("0f 0b", "ud2"),
];

/** The same for aarch64. */
const ONE_CALL_AARCH64: readonly Instruction[] = [
  line("93 04 00 10", "adr x19, 0x90"),
  line("68 02 40 b9", "ldr w8, [x19]"),
  line("60 06 41 a9", "ldp x0, x1, [x19, #16]"),
  line("62 0e 42 a9", "ldp x2, x3, [x19, #32]"),
  line("01 00 00 d4", "svc #0x0"),
  line("e0 03 00 4b", "neg w0, w0"),
  line("c8 0b 80 d2", "mov x8, #0x5e"),
  line("01 00 00 d4", "svc #0x0"),
  line("00 00 00 00", "udf #0"),
];

/** As {@linkcode LISTINGS}, of the program of one call. */
export const ONE_CALL_LISTINGS: Readonly<Record<Architecture, readonly Instruction[]>> = {
  x86_64: ONE_CALL_X86_64,
  aarch64: ONE_CALL_AARCH64,
};

/** The instructions as they stand in the file. */
export const LISTINGS: Readonly<Record<Architecture, readonly Instruction[]>> = {
  x86_64: X86_64,
  aarch64: AARCH64,
};

/** The bytes of a listing, one behind the other. */
export function assemble(listing: readonly Instruction[]): Uint8Array {
  const words = listing.flatMap(({ bytes }) => bytes.split(" "));
  return Uint8Array.from(words, (word) => Number.parseInt(word, 16));
}
