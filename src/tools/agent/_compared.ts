/** What child agents and who started them have come to, merged with each other by git. */

import type { Capability } from "../../core/capability.ts";
import type { ToolContext } from "../../core/tool.ts";
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
    for (const one of all) {
      const commit = await commitOf(repository, context, one, { scratch, omit });
      if (commit !== null) sides.push({ of: one.name, commit });
    }
    return await clashesOf(repository, sides, scratch);
  });
}

/** Null where neither is left: then there was nothing. */
async function commitOf(
  repository: Repository,
  context: ToolContext,
  { name, place, branch }: Compared,
  { scratch, omit }: { readonly scratch: string; readonly omit: readonly string[] },
): Promise<string | null> {
  const isThere = look(context.files, within(place, ".git")) !== null;
  if (!isThere) {
    return branch === null ? null : await findCommit(repository, `refs/heads/${branch}`);
  }
  const own = place === "." ? repository : await openRepository(repository.tool, context, place);
  return await snapshot(own, { scratch, name, omit: place === "." ? omit : [] });
}
