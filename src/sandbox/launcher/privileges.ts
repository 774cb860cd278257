/** What of this process's own power its programs are left with: its capabilities and its limits. */

import type { Libc } from "../kernel/libc.ts";
import type { Architecture } from "../seccomp.ts";
import { LAUNCHER_CALLS } from "./_calls.ts";
import { RESOURCES, UNLIMITED } from "./program_steps.ts";

/**
 * Capabilities that a program may keep where it is started by somebody who has them (include/uapi/linux/capability.h):
 * those that are about the owner and the mode of files, which the kernel's rules hold to the files that it may touch,
 * and about being another user. All others reach the machine, other processes or the network.
 */
const KEPT = {
  CHOWN: 0,
  DAC_OVERRIDE: 1,
  DAC_READ_SEARCH: 2,
  FOWNER: 3,
  FSETID: 4,
  SETGID: 6,
  SETUID: 7,
} as const;

const KEPT_LOW = Object.values(KEPT).reduce<number>((bits, bit) => bits | (1 << bit), 0);
/** _LINUX_CAPABILITY_VERSION_3 (the same header) */
const CAPABILITY_VERSION = 0x20080522;

/**
 * The capabilities that are left to programs, as capset(2) takes them; null where this process has none, and nothing is
 * to be given up. Without new privileges execve(2) gives root no more than it had.
 */
export function keptCapabilities(
  libc: Libc,
  architecture: Architecture,
): readonly [number, number] | null {
  const { struct, structAddress } = libc;
  struct.setUint32(0, CAPABILITY_VERSION, true);
  struct.setInt32(4, 0, true);
  const result = libc.call(LAUNCHER_CALLS[architecture].capget, structAddress, structAddress + 8);
  if (result < 0) return null;
  // Effective, permitted, inheritable of the low words, then of the high ones.
  const [low, high] = [struct.getUint32(12, true), struct.getUint32(24, true)];
  return low === 0 && high === 0 ? null : [low & KEPT_LOW, 0];
}

/** The most that a limit can be set to here: its hard limit; Infinity for none. */
export function mostOf(libc: Libc, resource: keyof typeof RESOURCES): number {
  const { struct, structAddress, numbers } = libc;
  const result = libc.call(numbers.prlimit64, 0, RESOURCES[resource], 0, structAddress);
  if (result < 0) return Infinity;
  const most = struct.getBigUint64(8, true);
  return most === UNLIMITED ? Infinity : Number(most);
}
