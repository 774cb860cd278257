/** Waiting a bounded time for a file's lock, by which two Toolgates that change one file take turns. */

import { ERRNO } from "../../../sandbox/kernel/errno.ts";
import type { FilePrimitives, Handle } from "../primitives.ts";

/**
 * How long a lock is waited for. Ours are held for one write: a few milliseconds, and on a machine that has far more to do
 * than it can more than two seconds were seen, after which an edit was lost. One that is held for longer is a foreign
 * program's, which does not mean us.
 */
const LONGEST_WAIT_MS = 10_000;
/** Between two tries; drawn anew each time, so that waiters do not fall into step. */
const SHORTEST_PAUSE_MS = 0.2;
const LONGEST_PAUSE_MS = 5;

/**
 * Takes the lock once it is free, or goes on without it when that takes too long. True where nobody held it (nobody
 * can where there are no locks).
 */
export function lock(files: FilePrimitives, handle: Handle): boolean {
  if (files.tryLock(handle) !== -ERRNO.EAGAIN) return true;
  const end = performance.now() + LONGEST_WAIT_MS;
  // Waiting for what nobody wakes: it blocks this thread alone.
  const never = new Int32Array(new SharedArrayBuffer(4));
  let pause = SHORTEST_PAUSE_MS;
  do {
    Atomics.wait(never, 0, 0, pause * (0.5 + Math.random()));
    pause = Math.min(2 * pause, LONGEST_PAUSE_MS);
  } while (files.tryLock(handle) === -ERRNO.EAGAIN && performance.now() < end);
  return false;
}
