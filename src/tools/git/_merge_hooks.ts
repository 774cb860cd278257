/** A merge that was planned, with the hooks of its commit: before anything is touched where they allow it. */

import type { ToolContext } from "../../core/tool.ts";
import { changesStaged, requireWritable } from "../../toolkit/git/change.ts";
import {
  doMerge,
  type Merged,
  type MergePlan,
  type MergeStrategy,
} from "../../toolkit/git/merging.ts";
import { hasUnread, mergeStepwise } from "../../toolkit/git/stepwise_merge.ts";
import { openRepository, type Repository } from "../../toolkit/git/repository.ts";
import { type Head, headOf } from "../../toolkit/git/revisions.ts";
import type { Hooks } from "./_hooks.ts";
import { committer } from "./_identity.ts";

/** Where, with which hooks, and what is merged into what. */
interface Place {
  readonly repository: Repository;
  readonly context: ToolContext;
  readonly hooks: Hooks;
  readonly head: Head;
  readonly theirs: string;
}

/** How. */
interface Way {
  readonly strategy: MergeStrategy;
  /** The message, as hooks find it. */
  readonly meant: string;
  /** What is done once hooks have let it through that look at the message alone. */
  readonly before?: () => Promise<void>;
}

/** Makes it. Throws GIT_ERROR where a hook stops it. */
export async function mergeWithHooks(
  merging: Place,
  { kind, conflicts }: MergePlan,
  { strategy, meant, before = () => Promise.resolve() }: Way,
): Promise<Merged> {
  const { repository, context, hooks, head, theirs } = merging;
  const makes = kind === "merge" && conflicts.length === 0;
  const looksFirst = makes && hooks.mayRun(FIRST);
  const text = makes && !looksFirst ? await hooks.mergeMessage(meant) : meant;
  await before();
  if (kind === "nothing") return { hash: head.hash, conflicts: [] };
  const env = kind === "merge" ? await committer(repository, context) : {};
  const way = { strategy, text, env };
  const merge = kind === "merge" && await hasUnread(repository) ? mergeStepwise : doMerge;
  if (!looksFirst) return await merge(repository, head, theirs, way);
  const left = await merge(repository, head, theirs, { ...way, commit: false });
  return left.conflicts.length > 0 ? left : await commitMerge(merging, meant);
}

/** githooks(5): it looks at the files and the index as they would be committed. */
const FIRST = "pre-merge-commit";

/** As git-merge(1) does it where a hook says no: the merge stays under way. */
const UNDER_WAY =
  "the merge is under way: git_commit makes it, git_merge with abort: true takes it back";

async function commitMerge(
  { repository: before, context, hooks, head }: Place,
  meant: string,
): Promise<Merged> {
  await hooks.run(FIRST, { left: UNDER_WAY });
  const text = await hooks.mergeMessage(meant, UNDER_WAY);
  // They may have staged something else, and changed what the repository says.
  const repository = await openRepository(before.tool, context, before.root);
  const staged = await changesStaged(repository, head.hash ?? "HEAD");
  requireWritable(repository, staged.map(({ path }) => path), "the merge, as hooks left it,");
  const env = await committer(repository, context);
  await repository.git([
    ...["commit", "--quiet", "--no-verify", "--no-gpg-sign", "--no-status", "--file=-"],
    "--cleanup=whitespace",
  ], { stdin: new TextEncoder().encode(text), changes: "git", env });
  return { hash: (await headOf(repository)).hash, conflicts: [] };
}
