/** What was put aside: `refs/stash` and the log of it (git-stash(1), "DISCUSSION"). */

import { ToolError } from "../../../core/errors.ts";
import type { Infer, JsonSchema } from "../../../core/schema.ts";
import { splitNul, textOf } from "../../../toolkit/git/names.ts";
import type { Repository } from "../../../toolkit/git/repository.ts";
import { findCommit } from "../../../toolkit/git/revisions.ts";

/** One of them, in results. */
export const STASH = {
  type: "object",
  properties: {
    index: { type: "integer", description: "Its number: 0 is the last." },
    hash: { type: "string", description: "Of its commit." },
    message: { type: "string", description: "What it is, with the branch that it was made on." },
  },
  required: ["index", "hash", "message"],
} as const satisfies JsonSchema;

/** One of them. */
export type Stash = Infer<typeof STASH>;

/** All there are, the last first. */
export async function listStashes(repository: Repository): Promise<readonly Stash[]> {
  if (await findCommit(repository, "refs/stash") === null) return [];
  const { bytes } = await repository.git([
    ...["log", "-g", "-z", "--format=%H%x00%gs", "--no-show-signature", "--no-patch"],
    ...["--no-mailmap", "refs/stash", "--"],
  ]);
  const fields = splitNul(bytes).map(textOf);
  return Array.from({ length: fields.length >> 1 }, (_, index) => ({
    index,
    hash: fields[index * 2] ?? "",
    message: fields[index * 2 + 1] ?? "",
  }));
}

/** The one of that number. Throws GIT_ERROR. */
export async function requireStash(repository: Repository, index: number): Promise<Stash> {
  const stashes = await listStashes(repository);
  const stash = stashes[index];
  if (stash !== undefined) return stash;
  throw new ToolError(
    "GIT_ERROR",
    `${repository.tool}: ${
      stashes.length === 0 ? "nothing was put aside" : `there are ${stashes.length}, from 0`
    }`,
  );
}

/** Drops it, where it still is the one of its number. */
export async function dropStash(
  repository: Repository,
  { index, hash }: Stash,
): Promise<void> {
  const name = `refs/stash@{${index}}`;
  if (await findCommit(repository, name) !== hash) {
    throw new ToolError(
      "GIT_ERROR",
      `${repository.tool}: what was put aside has changed meanwhile; ${hash} was not dropped`,
    );
  }
  await repository.git(["stash", "drop", "--quiet", name], { changes: "git" });
}
