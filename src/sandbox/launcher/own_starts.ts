/**
 * Starting Toolgate's own programs by its own calls: as posix_spawn(3) does it, without what that takes of the C library.
 */

import type { Libc } from "../kernel/libc.ts";
import type { Architecture } from "../seccomp.ts";
import type { Spawner } from "../spawner.ts";
import { LAUNCHER_CALLS } from "./_calls.ts";
import { firstSteps, InPlace, isUnavailable, placingSteps } from "./_in_place.ts";
import type { OwnCalls } from "./own_calls.ts";

/** P_PID, WEXITED (waitid(2)) */
const P_PID = 1;
const WEXITED = 4;

/** The same spawner, whose starts are own ones as long as this machine has them; those that have no room are the other's. */
export function withOwnStarts(spawner: Spawner, libc: Libc, own: OwnCalls | null): Spawner {
  if (own === null) return spawner;
  const architecture = Deno.build.arch as Architecture;
  const calls = LAUNCHER_CALLS[architecture];
  const first = firstSteps(architecture);
  let inPlace: InPlace | null = new InPlace(own);
  return {
    ...spawner,
    start(start) {
      if (inPlace === null) return spawner.start(start);
      const { path, argv, environment, directory, descriptors } = start;
      const begun = inPlace.start([
        ...first,
        ...(directory === null
          ? []
          : [{ name: "directory", call: calls.fchdir, words: [directory] } as const]),
        ...placingSteps(architecture, descriptors.map((from, to) => ({ from, to }))),
        { name: "execve", call: calls.execve, words: [path, [...argv, 0], [...environment, 0]] },
      ]);
      if (begun === null) return spawner.start(start);
      const { id, failed } = begun;
      if (id < 0 && isUnavailable(id)) {
        inPlace = null;
        return spawner.start(start);
      }
      if (id < 0 || failed === null) return id;
      libc.call(libc.numbers.waitid, P_PID, id, 0, WEXITED, 0);
      return -failed.errno;
    },
  };
}
