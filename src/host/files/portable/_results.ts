/** What the runtime throws, as the error numbers that everybody else here speaks. */

import { ERRNO } from "../../../sandbox/kernel/errno.ts";
import type { Result } from "../primitives.ts";

/** Classes of errors for which the runtime gives no number. */
const MEANINGS: readonly (readonly [abstract new () => Error, number])[] = [
  [Deno.errors.NotFound, ERRNO.ENOENT],
  [Deno.errors.AlreadyExists, ERRNO.EEXIST],
  [Deno.errors.PermissionDenied, ERRNO.EACCES],
  [Deno.errors.NotCapable, ERRNO.EACCES],
  [Deno.errors.IsADirectory, ERRNO.EISDIR],
  [Deno.errors.NotADirectory, ERRNO.ENOTDIR],
  [Deno.errors.FilesystemLoop, ERRNO.ELOOP],
];

/** What the action answers, or what it threw as an error number with its sign turned. What is no such error is thrown on. */
export function attempt<T>(action: () => T): T | Result {
  try {
    return action();
  } catch (error) {
    const errno = errnoOf(error);
    if (errno === null) throw error;
    return -errno;
  }
}

/** As {@linkcode attempt}, 0 where it was done. */
export function done(action: () => void): Result {
  return attempt(() => {
    action();
    return 0;
  });
}

/** The number behind an error. Where the runtime has no name for it, its words tell Linux's. */
function errnoOf(error: unknown): number | null {
  if (!(error instanceof Error)) return null;
  const named = "code" in error ? ERRNO[error.code as keyof typeof ERRNO] : undefined;
  if (named !== undefined) return named;
  const match = Deno.build.os === "linux" ? / \(os error (\d+)\)/.exec(error.message) : null;
  if (match !== null) return Number(match[1]);
  return MEANINGS.find(([kind]) => error instanceof kind)?.[1] ?? null;
}
