/**
 * Work that is ended in the middle of a statement once its time is over: a match of a pattern that V8 takes for ever
 * with. Ending the thread does not do it: the runtime's `Worker.terminate` leaves a thread that is busy in JavaScript
 * running (denoland/deno#35657, seen with 2.7.11), on a processor that others need.
 */

import { runInThisContext } from "node:vm";

/** Later than the call's own end by so much, so that its check says what the matter is. */
const LATE_MS = 20;
/** What a script throws whose time is over (Node.js, vm, `timeout`). */
const OVER = "ERR_SCRIPT_EXECUTION_TIMEOUT";

const NAME = Symbol.for("toolgate.timed");
const SCRIPT = `globalThis[Symbol.for("toolgate.timed")]()`;

/**
 * Gives what `work` gives; throws what it throws, or what `check` does where its `ms` were over before. Not for work
 * within such work. Costs 40 µs, for a thread that watches the clock.
 */
export function timed<T>(work: () => T, ms: number, check: () => void): T {
  const scope = globalThis as { [NAME]?: () => void };
  let value: { readonly of: T } | null = null;
  scope[NAME] = () => value = { of: work() };
  try {
    runInThisContext(SCRIPT, { timeout: ms + LATE_MS });
  } catch (error) {
    if (isOver(error)) check();
    throw error;
  } finally {
    delete scope[NAME];
  }
  return (value as unknown as { readonly of: T }).of;
}

function isOver(error: unknown): boolean {
  return error instanceof Error && (error as { readonly code?: unknown }).code === OVER;
}
