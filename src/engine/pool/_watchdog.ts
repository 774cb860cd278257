/** Ends a process whose only thread is stuck, which no timer of its own then can. */

import type { Libc } from "../../sandbox/kernel/libc.ts";

/** ITIMER_REAL (include/uapi/linux/time.h): SIGALRM, which nothing here handles, so that it ends the process. */
const ITIMER_REAL = 0;

/** Lets the kernel end the process after so many milliseconds from now; 0: not any more. */
export function armWatchdog(libc: Libc, ms: number): void {
  const { struct, structAddress, numbers } = libc;
  const whole = Math.floor(ms / 1000);
  // struct itimerval (include/uapi/linux/time.h): the interval, then the value, each seconds and microseconds.
  for (const [at, value] of [0, 0, whole, Math.floor(ms - whole * 1000) * 1000].entries()) {
    struct.setBigInt64(at * 8, BigInt(value), true);
  }
  libc.call(numbers.setitimer, ITIMER_REAL, structAddress, 0);
}
