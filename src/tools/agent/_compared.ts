/** What child agents and who started them have come to, merged with each other by git. */

import type { Capability } from "../../core/capability.ts";
import type { ToolContext } from "../../core/tool.ts";
import { besides } from "../../toolkit/git/besides.ts";
import { look, within } from "../../toolkit/git/place.ts";
import { gitNeeds, openRepository, READS, type Repository } from "../../toolkit/git/repository.ts";
import { findCommit } from "../../toolkit/git/revisions.ts";
import { type Clash, clashesOf, type Side, snapshot } from "../../toolkit/git/snapshot.ts";

/** Whose changes are compared: working files where there are any, else a branch. */
export interface Compared {
  readonly name: string;
  /** Relative to the workspace. */
  readonly place: string;
  readonly branch: string | null;
}

/** What comparing takes. */
export function comparingNeeds(): readonly Capability[] {
  return gitNeeds(".", ["merge-tree"], READS);
}

/** `omit`: folders of Toolgate's own. Throws NOT_A_REPOSITORY, GIT_ERROR, NATIVE_DENIED. */
export async function compare(
  tool: string,
  context: ToolContext,
  all: readonly Compared[],
  omit: readonly string[],
): Promise<readonly Clash[]> {
  const repository = await openRepository(tool, context, ".", true);
  return await context.processes.withScratch(async (scratch) => {
    const sides: Side[] = [];
    let seeing = repository;
    for (const one of all) {
      const own = await workingFilesOf(repository, context, one);
      const commit = own === null
        ? await commitOf(repository, one)
        : await snapshot(own, { scratch, name: one.name, omit: own === repository ? omit : [] });
      if (commit !== null) sides.push({ of: one.name, commit });
      // A clone has objects of its own.
      if (own !== null && own.common !== repository.common) seeing = besides(seeing, own);
    }
    return await clashesOf(seeing, sides, scratch);
  });
}

/** Null where they are gone. */
async function workingFilesOf(
  repository: Repository,
  context: ToolContext,
  { place }: Compared,
): Promise<Repository | null> {
  if (place === ".") return repository;
  if (look(context.files, within(place, ".git")) === null) return null;
  return await openRepository(repository.tool, context, place);
}

/** Null where nothing is left: then there was nothing. */
async function commitOf(repository: Repository, { branch }: Compared): Promise<string | null> {
  return branch === null ? null : await findCommit(repository, `refs/heads/${branch}`);
}
