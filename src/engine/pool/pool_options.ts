/** What a pool is made of. */

import type { Boundary } from "../../sandbox/boundary.ts";
import type { Job } from "../runner.ts";
import type { Follower, SharedWatch } from "../programs/shared_watch.ts";
import type { Lane } from "./lanes.ts";
import type { LaneBoundary, ThreadOptions } from "./pool_thread.ts";

/** What a pool is made of. */
export interface WorkerPoolOptions extends ThreadOptions {
  /** Drawn when a thread is started; looked at again before each call of a lane whose state can change. */
  readonly boundaryOf: (lane: Lane, job: Job) => LaneBoundary;
  /** The runtime's set for a thread. */
  readonly permissionsOf: (boundary: Boundary) => Deno.PermissionOptions;
  /** See `PoolParts`. */
  readonly number: () => number;
  /** Of a thread that writes files for others. */
  readonly writing: () => LaneBoundary;
  /** Watches over what they start; null where that cannot be. Asked for with the first program. */
  readonly watch: (follower: Follower) => SharedWatch | null;
}
