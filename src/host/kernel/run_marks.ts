/**
 * Marks: numbers that say of a process which run it belongs to. A process carries its run's as a limit that it can
 * neither raise nor, by its system call filter, set at all; all that it starts inherits it (setrlimit(2)), whatever becomes
 * of its environment, its session, its name or its parent. Anybody may read it in /proc.
 */

import type { ProgramLimits } from "../../core/tool.ts";

/** Runs that are told apart; after so many, numbers begin again. */
const RUNS = 2 ** 16;
/** How many bits of a mark tell what a process of the run may use, apart from others of it. */
const SHARE_BITS = 4;
/** What a run can be parted into, each with limits of its own. */
export const SHARES = 2 ** SHARE_BITS;

/** A share of a run: what some of its programs may use together, with all that they start. */
export interface RunShare extends Pick<ProgramLimits, "memory" | "processes" | "cpu"> {
  /** Below {@linkcode SHARES}: what its marks have more than the run's. 0: what the policy's limits give. */
  readonly number: number;
}

/** The first part of the marks of one Toolgate, of 32 bits. */
export function newToken(): number {
  const [token = 0] = crypto.getRandomValues(new Uint32Array(1));
  // Never so low that a limit which somebody set could be taken for one.
  return (token | 0x80000000) >>> 0;
}

/** The mark of a job: from the token of its process and its number. That of a share of it has the share's number more. */
export function markOf(token: number, job: number): number {
  return (token * RUNS + job % RUNS) * SHARES;
}

/** The share in a mark, from 0. */
export function shareOf(mark: number): number {
  return mark % SHARES;
}

/** Whether two marks are of one run. */
export function isSameRun(mark: bigint, other: bigint): boolean {
  return mark >> BigInt(SHARE_BITS) === other >> BigInt(SHARE_BITS);
}

/** The number of the job in a mark, as far as it is told; null where it is no mark of this token. */
export function jobOf(mark: number, token: number): number | null {
  const run = Math.floor(mark / SHARES);
  return Math.floor(run / RUNS) === token ? run % RUNS : null;
}

/** Whether a job is the one of a mark. */
export function isJobOf(job: number, marked: number): boolean {
  return job % RUNS === marked;
}

/** How many bits of a mark follow the token. */
export const MARK_SHIFT = 16 + SHARE_BITS;

/** Whether a number is a mark of some Toolgate. */
export function isAnyMark(mark: number): boolean {
  return mark >= 2 ** 31 * RUNS * SHARES;
}
