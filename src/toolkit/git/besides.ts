/** Repositories that see the objects of others. */

import type { ToolContext } from "../../core/tool.ts";
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
        ...lentWith(other),
        ...options,
        env: { GIT_ALTERNATE_OBJECT_DIRECTORIES: seen, ...options.env },
      }),
  };
}

function lentWith({ scratch }: Repository): { readonly scratch?: string } {
  return scratch === undefined ? {} : { scratch };
}

/** Lends a folder for work with another repository: that which the other lies in, where it does in one. */
export async function withScratchOf<T>(
  { processes }: Pick<ToolContext, "processes">,
  others: readonly Repository[],
  work: (scratch: string) => Promise<T>,
): Promise<T> {
  const scratch = others.find((other) => other.scratch !== undefined)?.scratch;
  return scratch === undefined ? await processes.withScratch(work) : await work(scratch);
}
