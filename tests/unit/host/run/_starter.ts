/** What starting programs takes, for all tests of a file: opened once, outside of tests, which would take it for a leak. */

import { assert } from "@std/assert";
import type { ProgramOptions } from "../../../../src/host/run/program_options.ts";
import { createProcesses } from "../../../../src/host/run/processes.ts";
import { UNCONFINED } from "../../../../src/host/run/program_holds.ts";
import { createStarter } from "../../../../src/host/run/starter.ts";
import { ERRNO } from "../../../../src/sandbox/kernel/errno.ts";
import { openSpawner } from "../../../../src/sandbox/spawner.ts";
import { LIBC } from "../../sandbox/_libc.ts";

const spawner = openSpawner();
assert(spawner !== null, "these tests need glibc 2.29 on Linux, as Toolgate's Linux build does");

export const SPAWNER = spawner;
export const STARTER = createStarter(LIBC, spawner);

/** Programs of a call that nobody watches, listens to or judges. */
export const ALONE: ProgramOptions = {
  proxies: null,
  create: createProcesses,
  environment: { PATH: "/usr/bin:/bin" },
  layers: [],
  starter: STARTER,
  temporaryRoot: null,
  caches: null,
  agent: "root",
  listener: null,
  onGroup: () => {},
  onLeft: () => Promise.resolve(),
  listen: () => {},
  openElsewhere: () => Promise.resolve(-ERRNO.EACCES),
  marker: null,
  mark: null,
  holds: UNCONFINED,
  find: () => null,
  judge: () => Promise.resolve(null),
  wrapper: null,
  shell: null,
  own: null,
};
