/**
 * System calls that change a file's mode, owner, times or extended attributes, by a name or by a descriptor, and those that
 * read extended attributes by a name. No rule of the kernel is asked about them: they are handed over, or refused.
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

/** What is read by a descriptor is what could be opened. */
const READING_NUMBERS = {
  getxattr: [191, 8],
  lgetxattr: [192, 9],
  listxattr: [194, 11],
  llistxattr: [195, 12],
} as const satisfies Record<string, readonly [number, number | null]>;

/** A call that can be handed over. */
export type AttributeCall = keyof typeof NUMBERS | keyof typeof READING_NUMBERS;

/** By name. */
export const ATTRIBUTE_CALLS = byName(NUMBERS);

/** Those that read, where they are refused answered as by a file system that has no such attributes. */
export const READING_CALLS = byName(READING_NUMBERS);

function byName<Name extends string>(
  numbers: Readonly<Record<Name, readonly [number, number | null]>>,
): Readonly<Record<Name, CallNumbers>> {
  const entries = Object.entries<readonly [number, number | null]>(numbers);
  return Object.fromEntries(
    entries.map(([name, [x86_64, aarch64]]) => [name, { x86_64, aarch64 }]),
  ) as Record<Name, CallNumbers>;
}

/** As those above, with arguments in memory: answered ENOSYS, as programs then take those. */
export const NEW_ATTRIBUTE_CALLS: Readonly<Record<string, CallNumbers>> = {
  setxattrat: { x86_64: 463, aarch64: 463 },
  getxattrat: { x86_64: 464, aarch64: 464 },
  listxattrat: { x86_64: 465, aarch64: 465 },
  removexattrat: { x86_64: 466, aarch64: 466 },
  file_getattr: { x86_64: 468, aarch64: 468 },
  file_setattr: { x86_64: 469, aarch64: 469 },
};

/** By their numbers on this machine. */
export function attributeCallsOf(
  architecture: keyof CallNumbers,
): ReadonlyMap<number, AttributeCall> {
  return new Map(
    Object.entries({ ...ATTRIBUTE_CALLS, ...READING_CALLS }).flatMap(([name, numbers]) => {
      const number = numbers[architecture];
      return number === null ? [] : [[number, name as AttributeCall] as const];
    }),
  );
}
