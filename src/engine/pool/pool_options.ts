/** What a pool is made of. */

import type { Job } from "../runner.ts";
import type { Follower, SharedWatch } from "../programs/shared_watch.ts";
import type { Lane } from "./lanes.ts";
import type { LaneBoundary } from "./pool_thread.ts";
import type { ThreadsOptions } from "./_threads.ts";

/** What a pool is made of. */
export interface WorkerPoolOptions extends ThreadsOptions {
  /** Drawn when a thread is started; looked at again before each call of a lane whose state can change. */
  readonly boundaryOf: (lane: Lane, job: Job) => LaneBoundary;
  /** See `PoolParts`. */
  readonly number: () => number;
  /** Of a thread that writes files for others. */
  readonly writing: () => LaneBoundary;
  /** Watches over what they start; null where that cannot be. Asked for with the first program. */
  readonly watch: (follower: Follower) => SharedWatch | null;
}
