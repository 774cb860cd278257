/** Starting programs inside bubblewrap. */

import type { SpawnBoundary } from "../../sandbox/boundary.ts";
import { bubblewrapArguments } from "../../sandbox/bubblewrap.ts";
import type { Libc } from "../../sandbox/kernel/libc.ts";
import { type Architecture, encodeFilter, filterFor } from "../../sandbox/seccomp.ts";
import { FIRST_OTHER } from "../../sandbox/launcher/program_steps.ts";
import { close, openPipe, writeSome } from "../kernel/pipes.ts";

/** What is put before a program. */
export interface Wrapper {
  readonly path: string;
  /** The whole argv that starts `argv` in a directory; the filter is read from descriptor 3. */
  wrap(directory: string, argv: readonly string[]): readonly string[];
  /** A descriptor that gives the filter, once; to be closed by who asked for it. */
  openFilter(): number;
}

/** The first that neither a program nor its launcher has already. */
const FILTER_DESCRIPTOR = FIRST_OTHER;

/** Wraps programs in bubblewrap. `path`: where that is. */
export function createWrapper(libc: Libc, spawn: SpawnBoundary, path: string): Wrapper {
  const { network } = spawn;
  const filter = encodeFilter(
    filterFor(Deno.build.arch as Architecture, { network, rules: false }),
  );
  return {
    path,
    wrap: (directory, argv) => [
      path,
      ...bubblewrapArguments(spawn, directory, argv, FILTER_DESCRIPTOR),
    ],
    openFilter() {
      const pipe = openPipe(libc);
      // A few hundred bytes: an empty pipe takes them at once.
      writeSome(libc, pipe.write, filter);
      close(libc, pipe.write);
      return pipe.read;
    },
  };
}
