/**
 * System calls that a program hands over where the kernel's own rules cannot say what the policy says: they know folders
 * and files, never the names of what is yet to be made.
 */

import { type CallNumbers, JUDGED_CALLS } from "./denied_calls.ts";

/** Numbers on x86_64 (syscall_64.tbl) and aarch64 (asm-generic/unistd.h); null: the architecture has none. */
const NUMBERS = {
  open: [2, null],
  creat: [85, null],
  openat: [257, 56],
  mkdir: [83, null],
  mkdirat: [258, 34],
  rmdir: [84, null],
  unlink: [87, null],
  unlinkat: [263, 35],
  rename: [82, null],
  renameat: [264, 38],
  renameat2: [316, 276],
  link: [86, null],
  linkat: [265, 37],
  symlink: [88, null],
  symlinkat: [266, 36],
  mknod: [133, null],
  mknodat: [259, 33],
  truncate: [76, 45],
  umask: [95, 166],
} as const satisfies Record<string, readonly [number, number | null]>;

/** A call that is handed over. */
export type HandedCall = keyof typeof NUMBERS;

/** By name. */
export const HANDED_CALLS = Object.fromEntries(
  Object.entries(NUMBERS).map(([name, [x86_64, aarch64]]) => [name, { x86_64, aarch64 }]),
) as Readonly<Record<HandedCall, CallNumbers>>;

/** Answered ENOSYS to who hands calls over: what it opens how lies in memory that a filter cannot see. */
export const UNSEEN_CALLS: Readonly<Record<string, CallNumbers>> = {
  openat2: { x86_64: 437, aarch64: 437 },
};

/** The argument that says how something is opened. */
export const OPENING_FLAGS = { open: 1, openat: 2 } as const;

/** By their numbers on this machine; starts too, which some programs hand over. */
export function handedCallsOf(
  architecture: keyof CallNumbers,
): ReadonlyMap<number, HandedCall | "execve"> {
  const all = { ...HANDED_CALLS, execve: JUDGED_CALLS.execve };
  return new Map(
    Object.entries(all).flatMap(([name, numbers]) => {
      const number = numbers[architecture];
      return number === null ? [] : [[number, name as HandedCall | "execve"] as const];
    }),
  );
}
