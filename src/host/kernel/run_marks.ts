/**
 * Marks: numbers that say of a process which run it belongs to. A process carries its run's as a limit that it can
 * neither raise nor, by its system call filter, set at all; all that it starts inherits it (setrlimit(2)), whatever becomes
 * of its environment, its session, its name or its parent. Anybody may read it in /proc.
 */

/** Runs that are told apart; after so many, numbers begin again. */
const RUNS = 2 ** 20;

/** The first part of the marks of one Toolgate, of 32 bits. */
export function newToken(): number {
  const [token = 0] = crypto.getRandomValues(new Uint32Array(1));
  // Never so low that a limit which somebody set could be taken for one.
  return (token | 0x80000000) >>> 0;
}

/** The mark of a job: from the token of its process and its number. */
export function markOf(token: number, job: number): number {
  return token * RUNS + job % RUNS;
}

/** The number of the job in a mark, as far as it is told; null where it is no mark of this token. */
export function jobOf(mark: number, token: number): number | null {
  return Math.floor(mark / RUNS) === token ? mark % RUNS : null;
}

/** Whether a job is the one of a mark. */
export function isJobOf(job: number, marked: number): boolean {
  return job % RUNS === marked;
}

/** How many bits of a mark follow the token. */
export const MARK_SHIFT = 20;

/** Whether a number is a mark of some Toolgate. */
export function isAnyMark(mark: number): boolean {
  return mark >= 2 ** 31 * RUNS;
}
