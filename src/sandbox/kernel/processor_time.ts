/** How long a thread has had a processor: what it does for a call takes as much of that on a loaded machine as on a free one. */

import type { Libc } from "./libc.ts";

/** CLOCK_THREAD_CPUTIME_ID (include/uapi/linux/time.h) */
const THREAD_CLOCK = 3;

/** Where `struct timespec` has its nanoseconds, behind seconds of 64 bits. */
const NANOSECONDS = 8;

/** Milliseconds of processor that the calling thread has had; by the clock on the wall where the machine tells of none. */
export function processorTime(libc: Libc | null): () => number {
  if (libc === null) return () => performance.now();
  return () => {
    const failed = libc.call(libc.numbers.clockGettime, THREAD_CLOCK, libc.structAddress) < 0;
    if (failed) return performance.now();
    const seconds = Number(libc.struct.getBigInt64(0, true));
    return seconds * 1e3 + libc.struct.getInt32(NANOSECONDS, true) / 1e6;
  };
}
