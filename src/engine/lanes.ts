/** Lanes: which threads a call may share, by what they may touch and how long they may take. */

import { type Job, startsPrograms } from "./runner.ts";

/** `sequential`: one call after the other, in order. `exclusive`: a thread has one call at a time. */
export const LANES = {
  read: { sequential: true, exclusive: false },
  "read-long": { sequential: true, exclusive: true },
  write: { sequential: true, exclusive: false },
  spawn: { sequential: false, exclusive: false },
} as const;

export type Lane = keyof typeof LANES;

/** A preview never writes or starts anything: it runs where reading does. */
export function laneOf(job: Job): Lane {
  const { tool, grant, preview } = job;
  if (startsPrograms(job)) return "spawn";
  if (!preview && grant.write.length > 0) return "write";
  return tool.long === true ? "read-long" : "read";
}
