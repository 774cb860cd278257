/** Waiting a bounded time for `flock(2)`, by which two Toolgates that change one file take turns. */

import { ERRNO } from "../../sandbox/kernel/errno.ts";
import type { Libc } from "../../sandbox/kernel/libc.ts";

/** LOCK_EX | LOCK_NB (include/uapi/asm-generic/fcntl.h) */
const LOCK_WITHOUT_WAITING = 2 | 4;
/**
 * How long a lock is waited for. Ours are held for one write, a few milliseconds; one that is held for longer is a
 * foreign program's, which does not mean us.
 */
const LONGEST_WAIT_MS = 2_000;
/** Between two tries; drawn anew each time, so that waiters do not fall into step. */
const SHORTEST_PAUSE_MS = 0.2;
const LONGEST_PAUSE_MS = 5;

/** 0 where it is taken now, `-EAGAIN` where another holds it, else the error of a file system without locks. */
export function tryLock(libc: Libc, descriptor: number): number {
  return libc.call(libc.numbers.flock, descriptor, LOCK_WITHOUT_WAITING);
}

/**
 * Takes the lock once it is free, or goes on without it when that takes too long. True where nobody held it (nobody
 * can where there are no locks).
 */
export function lock(libc: Libc, descriptor: number): boolean {
  if (tryLock(libc, descriptor) !== -ERRNO.EAGAIN) return true;
  const end = performance.now() + LONGEST_WAIT_MS;
  let pause = SHORTEST_PAUSE_MS;
  do {
    sleep(libc, pause * (0.5 + Math.random()));
    pause = Math.min(2 * pause, LONGEST_PAUSE_MS);
  } while (tryLock(libc, descriptor) === -ERRNO.EAGAIN && performance.now() < end);
  return false;
}

/** ppoll(2) of nothing: blocks this thread alone. struct timespec: seconds, nanoseconds. */
function sleep(libc: Libc, milliseconds: number): void {
  const { struct, structAddress, numbers } = libc;
  struct.setBigUint64(0, 0n, true);
  struct.setBigUint64(8, BigInt(Math.round(milliseconds * 1e6)), true);
  libc.call(numbers.ppoll, 0, 0, structAddress, 0, 8);
}
