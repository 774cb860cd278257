/**
 * System calls that change a file's mode, owner, times or extended attributes. No rule of the kernel is asked about them,
 * by a name or by a descriptor: they are handed over, or refused.
 */

import type { CallNumbers } from "./denied_calls.ts";

/** Numbers on x86_64 (syscall_64.tbl) and aarch64 (asm-generic/unistd.h); null: the architecture has none. */
const NUMBERS = {
  chmod: [90, null],
  fchmod: [91, 52],
  fchmodat: [268, 53],
  fchmodat2: [452, 452],
  chown: [92, null],
  lchown: [94, null],
  fchown: [93, 55],
  fchownat: [260, 54],
  utime: [132, null],
  utimes: [235, null],
  futimesat: [261, null],
  utimensat: [280, 88],
  setxattr: [188, 5],
  lsetxattr: [189, 6],
  fsetxattr: [190, 7],
  removexattr: [197, 14],
  lremovexattr: [198, 15],
  fremovexattr: [199, 16],
} as const satisfies Record<string, readonly [number, number | null]>;

/** A call that can be handed over. */
export type AttributeCall = keyof typeof NUMBERS;

/** By name. */
export const ATTRIBUTE_CALLS = Object.fromEntries(
  Object.entries(NUMBERS).map(([name, [x86_64, aarch64]]) => [name, { x86_64, aarch64 }]),
) as Readonly<Record<AttributeCall, CallNumbers>>;

/** As those above, with arguments in memory: answered ENOSYS, as programs then take those. */
export const NEW_ATTRIBUTE_CALLS: Readonly<Record<string, CallNumbers>> = {
  setxattrat: { x86_64: 463, aarch64: 463 },
  removexattrat: { x86_64: 466, aarch64: 466 },
  file_setattr: { x86_64: 469, aarch64: 469 },
};

/** By their numbers on this machine. */
export function attributeCallsOf(
  architecture: keyof CallNumbers,
): ReadonlyMap<number, AttributeCall> {
  return new Map(
    Object.entries(ATTRIBUTE_CALLS).flatMap(([name, numbers]) => {
      const number = numbers[architecture];
      return number === null ? [] : [[number, name as AttributeCall] as const];
    }),
  );
}
