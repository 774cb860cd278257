/** Time for something of a test's own that is as short as the machine lets it be. */

import { assert } from "@std/assert";

/**
 * What an attempt gives that has so much time for something of its own: as little as does on this machine, so that one
 * that is busy only takes longer. An attempt that was too slow gives null, and is made again with twice the time.
 */
export async function inTime<T>(
  least: number,
  attempt: (milliseconds: number) => Promise<T | null>,
): Promise<T> {
  for (let time = least;; time *= 2) {
    const given = await attempt(time);
    if (given !== null) return given;
    assert(time < 600_000, `not within ${time} ms`);
  }
}
