/** Repositories that see the objects of others. */

import type { Repository } from "./repository.ts";

/** A repository that sees the objects of another beside its own. */
export function besides(repository: Repository, other: Repository): Repository {
  const seen = repository.objectsOf(other);
  return {
    ...repository,
    objectsIn: (folder) => ({
      ...repository.objectsIn(folder),
      GIT_ALTERNATE_OBJECT_DIRECTORIES: `${
        repository.objectsIn(folder)["GIT_ALTERNATE_OBJECT_DIRECTORIES"]
      }:${seen}`,
    }),
    git: (words, options = {}) =>
      repository.git(words, {
        ...options,
        env: { GIT_ALTERNATE_OBJECT_DIRECTORIES: seen, ...options.env },
      }),
  };
}
