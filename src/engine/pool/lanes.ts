/** Lanes: which threads a call may share, by what they may touch and how long they may take. */

import { type Job, startsPrograms } from "../runner.ts";

/**
 * `sequential`: one call after the other, in order. `exclusive`: a thread has one call at a time. `scans`: its calls go
 * through many files. `programs`: what it starts is watched over, and must be let go of. The lane `read-help` has no calls
 * of its own: see `Help`.
 */
export const LANES = {
  read: { sequential: true, exclusive: false, scans: false, programs: false },
  "read-long": { sequential: true, exclusive: true, scans: true, programs: false },
  "read-help": { sequential: true, exclusive: false, scans: true, programs: false },
  write: { sequential: true, exclusive: false, scans: false, programs: false },
  spawn: { sequential: false, exclusive: false, scans: false, programs: true },
  network: { sequential: false, exclusive: false, scans: false, programs: false },
  module: { sequential: false, exclusive: false, scans: false, programs: true },
} as const;

/** A kind of thread. */
export type Lane = keyof typeof LANES;

/** A preview never writes or starts anything: it runs where reading does. */
export function laneOf(job: Job): Lane {
  const { tool, grant, preview } = job;
  if (startsPrograms(job)) return tool.ownProcess === true ? "module" : "spawn";
  if (!preview && grant.connect.length > 0) return "network";
  if (!preview && grant.write.length > 0) return "write";
  return tool.long === true ? "read-long" : "read";
}

/** Threads of an exclusive lane; further calls wait. */
const MOST_EXCLUSIVE = 4;

/** Threads that the lane has at most. `concurrency`: the policy's limit. */
export function mostThreads(lane: Lane, concurrency: number): number {
  return LANES[lane].exclusive ? Math.min(MOST_EXCLUSIVE, concurrency) : 1;
}

/** Calls that a thread of the lane is given at once. */
export function capacityOf(lane: Lane, concurrency: number): number {
  const { exclusive, sequential } = LANES[lane];
  if (exclusive) return 1;
  // A sequential thread works on one call at a time, however many lie in its ring.
  return sequential ? Infinity : concurrency;
}
