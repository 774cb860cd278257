/** The program environment of threads that start no programs: apart from what enters threads, which the main thread never does. */

import type { ProgramEnvironment } from "../pool/thread_parts.ts";

/** For threads that start no programs. */
export const NO_PROGRAM_ENVIRONMENT: ProgramEnvironment = {
  environment: {},
  temporaryRoot: null,
  caches: null,
  gitConfig: null,
  hookStandIns: null,
  shell: null,
  reasons: [],
  searchPath: "",
  own: null,
  marker: "",
  token: 0,
};
