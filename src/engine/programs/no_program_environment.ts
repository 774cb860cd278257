/** Surroundings of threads that start no programs: apart from what enters threads, which the main thread never does. */

import type { ProgramSurroundings } from "../pool/thread_parts.ts";

export const NO_SURROUNDINGS: ProgramSurroundings = {
  environment: {},
  temporaryRoot: null,
  shell: null,
  reasons: [],
  own: null,
  marker: "",
};
