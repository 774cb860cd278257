/** Files that are left out of an agent's working files, and that are there all the same since somebody has let it write them. */

import type { Repository } from "./repository.ts";

/** git-sparse-checkout(1), "INTERNALS": by it git looks at such files where they are there, from 2.36 on. */
const LOOKS_AT_THEM = { GIT_CONFIG_PARAMETERS: "'core.sparseCheckout=true'" };

/** The same repository, whose git sees them. */
export function seeingLeftOut(repository: Repository): Repository {
  return {
    ...repository,
    git: (words, options = {}) =>
      repository.git(words, { ...options, env: { ...options.env, ...LOOKS_AT_THEM } }),
  };
}
