/** `git_merge`: merges a branch into the one that is checked out, or takes back a merge that is under way. */

import { ToolError } from "../../core/errors.ts";
import { printable, quoted } from "../../core/printable.ts";
import type { Infer, Schema } from "../../core/schema.ts";
import type { Tool, ToolContext } from "../../core/tool.ts";
import { checkWord, invalid } from "../../toolkit/words.ts";
import {
  changesStaged,
  keepContents,
  REPLACED,
  requireWritable,
} from "../../toolkit/git/change.ts";
import { openSettled } from "../../toolkit/git/cut_short.ts";
import { moving, RECORDING } from "../../toolkit/git/moves.ts";
import { CONFLICTS } from "../../toolkit/git/conflicts.ts";
import { hookNeeds, Hooks, HOOKS_RUN, HOOKS_SKIPPED } from "./_hooks.ts";
import { mergeWithHooks } from "./_merge_hooks.ts";
import { isMerging, mergeConflict, planMerge, requireNoMerge } from "../../toolkit/git/merging.ts";
import { LFS_POINTERS, pointersAmong } from "../../toolkit/git/pointers.ts";
import { gitNeeds, READS, type Repository } from "../../toolkit/git/repository.ts";
import { findCommit, type Head, headOf, requireCommit } from "../../toolkit/git/revisions.ts";
import { checkRevision, REPOSITORY, revisionSchema } from "./_schemas.ts";

const input = {
  type: "object",
  properties: {
    repository: REPOSITORY,
    branch: revisionSchema("What is merged: a branch, or any commit."),
    strategy: {
      type: "string",
      enum: ["auto", "ff_only", "no_ff"],
      default: "auto",
      description: "auto: fast-forward where that is enough. no_ff: a merge commit in any case.",
    },
    message: {
      type: "string",
      minLength: 1,
      maxLength: 100_000,
      description: "Of the merge commit.",
    },
    abort: {
      type: "boolean",
      default: false,
      description: "Takes back the merge that is under way, in place of merging.",
    },
  },
} as const satisfies Schema;

const output = {
  type: "object",
  properties: {
    merged: { type: "boolean", description: "Whether HEAD has it now. Of a preview: would have." },
    fast_forward: { type: "boolean", description: "Whether no merge commit was needed." },
    hash: {
      oneOf: [{ type: "string" }, { type: "null" }],
      description: "The commit of HEAD; null of a preview, and where there are conflicts.",
    },
    conflicts: CONFLICTS,
    files_changed: { type: "integer", description: "Compared with HEAD as it was." },
    aborted: { type: "boolean", description: "Whether a merge was taken back." },
    replaced: REPLACED,
    lfs_pointers: LFS_POINTERS,
    hooks_run: HOOKS_RUN,
    hooks_skipped: HOOKS_SKIPPED,
  },
  required: ["merged", "fast_forward", "hash", "conflicts", "files_changed"],
} as const satisfies Schema;

/** Of the preview, which only looks. */
interface Chosen {
  readonly only_look?: true;
}

type Input = Infer<typeof input> & Chosen;
type Output = Infer<typeof output>;

const tool: Tool<typeof input, typeof output, Chosen> = {
  name: "git_merge",
  category: "git",
  description:
    "Merges a branch into the one that is checked out. Worked out before a file is touched, and refused where it " +
    "would lose what is not committed; the preview answers the same. A conflict leaves the merge to be settled.",
  risk: "dangerous",
  riskOfPrograms: true,
  permission: "git_operations",
  input,
  output,
  examples: [
    { note: "a branch", args: { branch: "other" } },
    { note: "with a commit of its own", args: { branch: "other", strategy: "no_ff" } },
  ],
  describe: ({ branch = "", abort }) => `Git merge: ${abort ? "abort" : printable(branch, 80)}`,
  check({ branch, message, abort }) {
    checkRevision("branch", branch);
    if (abort === (branch !== undefined)) throw invalid("branch", "either branch or abort: true");
    if (message === undefined) return;
    checkWord("message", message);
    if (message.trim() === "") throw invalid("message", "says nothing");
  },
  dryRun: (input) => ({ ...input, only_look: true }),
  capabilities({ repository, branch = "", abort, strategy, only_look }, { git }) {
    if (only_look === true) return gitNeeds(repository, ["status"], READS);
    if (abort) {
      return gitNeeds(repository, ["merge", "--abort"], {
        access: "write",
        risk: "dangerous",
        because: "takes back what was settled of a merge",
      });
    }
    return [
      ...gitNeeds(repository, ["merge", ...OPTIONS[strategy], branch], {
        access: "write",
        risk: "moderate",
        because: "merges",
      }),
      ...hookNeeds(git, repository, HOOKS),
    ];
  },
  preview: (input) => ({ action: tool.describe(input) }),
  async run(input, context) {
    // Whatever names a program that merges must be known.
    const repository = await openSettled(tool.name, context, input.repository, true);
    const head = await headOf(repository);
    return input.abort
      ? await abort(repository, head, input)
      : await merge(repository, head, input, context);
  },
};

const OPTIONS: Readonly<Record<Input["strategy"], readonly string[]>> = {
  auto: [],
  ff_only: ["--ff-only"],
  no_ff: ["--no-ff"],
};

/** githooks(5) */
const HOOKS = [
  ...["pre-merge-commit", "prepare-commit-msg", "commit-msg", "post-merge", "post-checkout"],
];

async function merge(
  repository: Repository,
  head: Head,
  { branch = "", strategy, message, only_look }: Input,
  context: ToolContext,
): Promise<Output> {
  requireNoMerge(repository);
  const theirs = await requireCommit(repository, branch);
  const plan = await context.processes.withScratch((scratch) =>
    planMerge(repository, head, theirs, { strategy, scratch, name: branch })
  );
  const { kind, changes, conflicts } = plan;
  const found = { fast_forward: kind === "fast_forward", files_changed: changes.length };
  if (kind === "nothing") return { ...found, merged: true, hash: head.hash, conflicts: [] };
  const hooks = await Hooks.of(repository, context, HOOKS, only_look === true);
  if (only_look === true) {
    return { ...found, merged: conflicts.length === 0, hash: null, conflicts, ...hooks.told };
  }
  const named = await findCommit(repository, `refs/heads/${branch}`) !== null;
  const meant = message ?? `Merge ${named ? "branch" : "commit"} '${branch}'`;
  const { hash, conflicts: left } = await mergeWithHooks(
    { repository, context, hooks, head, theirs },
    plan,
    { strategy, meant },
  );
  if (left.length === 0) await hooks.after("post-merge", ["0"]);
  const pointers = await pointersAmong(repository, changes.map(({ path }) => path));
  const told = { ...pointers, ...hooks.told };
  const done = { ...found, merged: left.length === 0, hash, conflicts: left, ...told };
  if (left.length > 0) throw mergeConflict(repository, left, done);
  return done;
}

async function abort(repository: Repository, head: Head, { only_look }: Input): Promise<Output> {
  if (!isMerging(repository) || head.hash === null) {
    throw new ToolError("GIT_ERROR", `${tool.name}: no merge is under way`);
  }
  // git-reset(1), --merge: what is changed and not staged stays.
  const changed = (await changesStaged(repository, head.hash)).map(({ path }) => path);
  requireWritable(
    repository,
    changed,
    `taking back the merge into ${quoted(head.branch ?? "HEAD")}`,
  );
  const done = {
    merged: false,
    fast_forward: false,
    hash: head.hash,
    conflicts: [],
    files_changed: changed.length,
    aborted: only_look !== true,
  };
  if (only_look === true) return done;
  const replaced = await keepContents(repository, changed);
  await moving(
    repository,
    RECORDING,
    () => repository.git(["merge", "--abort"], { changes: "files" }),
  );
  return { ...done, ...(replaced.length === 0 ? {} : { replaced }) };
}

export default tool;
