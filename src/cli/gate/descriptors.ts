/** How many descriptors a gate may have. */

import type { Libc } from "../../sandbox/kernel/libc.ts";

/** RLIMIT_NOFILE (include/uapi/asm-generic/resource.h) */
const RLIMIT_NOFILE = 7;
/** What setrlimit(2) takes unless somebody says more. */
const USUAL = 1024;
/**
 * What a gate asks for: it lives long, and each thread that has ended leaves three open in the runtime (Deno 2.7), three
 * threads of each child agent among them. Its programs begin with as many.
 */
const WANTED = 16_384;

/** The limit now. */
export function descriptorsOf(libc: Libc): number {
  return limitOf(libc)?.soft ?? USUAL;
}

/** Raises the limit as far as a gate asks for and may. */
export function raiseDescriptors(libc: Libc): void {
  const limit = limitOf(libc);
  if (limit === null) return;
  const wanted = Math.min(WANTED, limit.hard);
  if (limit.soft >= wanted) return;
  // struct rlimit64: what holds now, and what it may be raised to, which stays.
  libc.struct.setBigUint64(0, BigInt(wanted), true);
  libc.call(libc.numbers.prlimit64, 0, RLIMIT_NOFILE, libc.structAddress, 0);
}

function limitOf({ call, numbers, struct, structAddress }: Libc) {
  if (call(numbers.prlimit64, 0, RLIMIT_NOFILE, 0, structAddress) < 0) return null;
  const at = (offset: number) => Number(struct.getBigUint64(offset, true));
  return { soft: at(0), hard: at(8) };
}
