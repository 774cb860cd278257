/** `git_pull`: brings in what a remote's branch has, and merges it. */

import { printable, quoted } from "../../core/printable.ts";
import { ToolError } from "../../core/errors.ts";
import type { Infer, Schema } from "../../core/schema.ts";
import type { Tool, ToolContext } from "../../core/tool.ts";
import { openSettled } from "../../toolkit/git/cut_short.ts";
import { CONFLICTS } from "../../toolkit/git/conflicts.ts";
import { hookNeeds, Hooks, HOOKS_RUN, HOOKS_SKIPPED } from "./_hooks.ts";
import { committer } from "./_identity.ts";
import { isAncestor, mergeConflict, planMerge, requireNoMerge } from "../../toolkit/git/merging.ts";
import { mergeWithHooks } from "./_merge_hooks.ts";
import { doRebase, type Parted, planRebase, REBASED, type RebasePlan } from "./_rebase.ts";
import { textOf } from "../../toolkit/git/names.ts";
import { LFS_POINTERS, pointersAmong } from "../../toolkit/git/pointers.ts";
import { besides, withScratchOf } from "../../toolkit/git/besides.ts";
import { moveRef, remoteOf, tipAt, transfer, withFetched } from "./_remote.ts";
import { gitNeeds, READS, type Repository } from "../../toolkit/git/repository.ts";
import { type Head, headOf } from "../../toolkit/git/revisions.ts";
import { checkBranch, LAST_SEEN, REPOSITORY, revisionSchema } from "./_schemas.ts";

const input = {
  type: "object",
  properties: {
    repository: REPOSITORY,
    remote: { ...revisionSchema("The remote, by its name."), default: "origin" },
    branch: revisionSchema("Its branch; the one that HEAD's branch follows unless given."),
    strategy: {
      type: "string",
      enum: ["ff_only", "merge", "rebase"],
      default: "ff_only",
      description:
        "Where both have moved on: ff_only refuses, merge merges them, rebase makes the commits of this side anew " +
        "behind the others.",
    },
  },
} as const satisfies Schema;

const HASH = { oneOf: [{ type: "string" }, { type: "null" }] } as const;

const output = {
  type: "object",
  properties: {
    from: { ...HASH, description: "The commit of HEAD before; null where there was none." },
    to: {
      ...HASH,
      description: "And after. Of a preview that merges or rebases, and of a conflict: null.",
    },
    fast_forward: { type: "boolean", description: "Whether no merge commit was needed." },
    files_changed: { type: "integer", description: "In the working files." },
    conflicts: CONFLICTS,
    rebased: REBASED,
    last_seen: LAST_SEEN,
    lfs_pointers: LFS_POINTERS,
    hooks_run: HOOKS_RUN,
    hooks_skipped: HOOKS_SKIPPED,
  },
  required: ["from", "to", "fast_forward", "files_changed", "conflicts"],
} as const satisfies Schema;

/** Of the preview, which only looks. */
interface Chosen {
  readonly only_look?: true;
}

type Input = Infer<typeof input> & Chosen;
type Output = Infer<typeof output>;

const tool: Tool<typeof input, typeof output, Chosen> = {
  name: "git_pull",
  category: "git",
  description:
    "Brings in a branch of a remote and goes forward to it, merges it, or rebases onto it. Refused where it would lose what is not " +
    "committed, before anything changes. Remotes are reached by https where a network rule opens the host to git pull, or are " +
    "repositories of the workspace where git.protocols names file.",
  risk: "dangerous",
  riskOfPrograms: true,
  permission: "git_operations",
  input,
  output,
  examples: [
    { note: "what the branch follows", args: {} },
    {
      note: "one of another remote",
      args: { remote: "origin", branch: "main", strategy: "merge" },
    },
  ],
  describe: ({ remote, branch = "" }) =>
    `Git pull: ${printable(remote, 80)} ${printable(branch, 80)}`.trimEnd(),
  check({ remote, branch }) {
    checkBranch("remote", remote);
    checkBranch("branch", branch);
  },
  dryRun: (input) => ({ ...input, only_look: true }),
  capabilities({ repository, remote, branch, strategy, only_look }, { git }) {
    if (only_look === true) return gitNeeds(repository, ["status"], READS);
    const named = branch === undefined ? [] : [branch];
    const names = strategy === "rebase" ? [...HOOKS, ...REBASE_HOOKS] : HOOKS;
    const hooks = hookNeeds(git, repository, [...new Set(names)]);
    return [
      ...hooks,
      ...gitNeeds(repository, ["pull", OPTIONS[strategy], remote, ...named], {
        access: "write",
        risk: "moderate",
        because: strategy === "rebase"
          ? "brings in commits from elsewhere, and makes those of this side anew behind them"
          : "brings in commits from elsewhere",
      }),
    ];
  },
  preview: (input) => ({ action: tool.describe(input) }),
  run: (input, context) => pull(input, context),
};

const OPTIONS: Readonly<Record<Input["strategy"], string>> = {
  ff_only: "--ff-only",
  merge: "--no-rebase",
  rebase: "--rebase",
};

/** githooks(5) */
const HOOKS = ["post-merge", "pre-merge-commit", "prepare-commit-msg", "commit-msg"];
/** Those of a rebase that run here. */
const REBASE_HOOKS = ["pre-rebase", "post-checkout", "post-rewrite"];
/** And those that git runs at each commit, which HEAD is never on here. */
const PICK_HOOKS = ["prepare-commit-msg", "post-commit"];

async function pull(input: Input, context: ToolContext): Promise<Output> {
  const repository = await openSettled(tool.name, context, input.repository, true);
  requireNoMerge(repository);
  const head = await headOf(repository);
  const branch = input.branch ?? await followed(repository, head);
  const remote = await remoteOf(repository, context, input.remote, "fetch");
  const isLastSeen = remote.kind === "far" && input.only_look === true;
  return await withFetched(
    { repository, context, remote, branch, asked: !isLastSeen },
    async ({ remote, tip }) => {
      if (tip === null) throw noBranch(input.remote, branch, isLastSeen);
      const name = `${input.remote}/${branch}`;
      const route: Route = { remote, ref: `refs/heads/${branch}`, theirs: tip, name };
      const found = await bring({ repository, context, input, head, branch }, route);
      return isLastSeen ? { ...found, last_seen: true } : found;
    },
  );
}

function noBranch(remote: string, branch: string, isLastSeen: boolean): ToolError {
  return new ToolError(
    "GIT_ERROR",
    `${tool.name}: the remote ${quoted(remote)} has no branch ${quoted(branch)}` +
      (isLastSeen ? " that was seen before, and a preview asks no other machine" : ""),
  );
}

async function bring(
  { repository, context, input, head, branch }: {
    readonly repository: Repository;
    readonly context: ToolContext;
    readonly input: Input;
    readonly head: Head;
    readonly branch: string;
  },
  route: Route,
): Promise<Output> {
  const { remote, theirs, name } = route;
  if (input.strategy === "rebase" && head.hash !== null) {
    const parted = { head: head.hash, theirs, name };
    if (await hasParted(besides(repository, remote), parted)) {
      return await rebase(repository, context, input, parted, route);
    }
  }
  const strategy = input.strategy === "merge" ? "auto" : "ff_only";
  // Nothing is brought in that could not be merged.
  const plan = await withScratchOf(
    context,
    [remote],
    (scratch) => planMerge(besides(repository, remote), head, theirs, { strategy, scratch, name }),
  );
  const { kind, conflicts } = plan;
  const names = kind === "nothing" ? [] : HOOKS;
  const hooks = await Hooks.of(repository, context, names, input.only_look === true);
  const found = {
    from: head.hash,
    fast_forward: kind === "fast_forward",
    files_changed: plan.changes.length,
  };
  if (input.only_look === true) {
    const to = kind === "merge" ? null : kind === "fast_forward" ? theirs : head.hash;
    return { ...found, to, conflicts, ...hooks.told };
  }
  const meant = `Merge branch '${branch}' of ${input.remote}`;
  const made = await mergeWithHooks({ repository, context, hooks, head, theirs }, plan, {
    ...{ strategy, meant },
    before: () => bringIn(repository, context, route),
  });
  if (kind === "nothing") return { ...found, to: head.hash, conflicts: [] };
  if (made.conflicts.length === 0) await hooks.after("post-merge", ["0"]);
  const told = { ...await pointersAmong(repository, pathsOf(plan)), ...hooks.told };
  const done = { ...found, to: made.hash, conflicts: made.conflicts, ...told };
  if (made.conflicts.length > 0) throw mergeConflict(repository, made.conflicts, done);
  return done;
}

/** Where commits come from: the remote's branch, its tip, and what it is called here. */
interface Route {
  readonly remote: Repository;
  readonly ref: string;
  readonly theirs: string;
  readonly name: string;
}

/** All that belongs to the tip, and the branch under `refs/remotes` that says where it was seen. */
async function bringIn(
  repository: Repository,
  context: ToolContext,
  { remote, ref, theirs, name }: Route,
): Promise<void> {
  await transfer(context, remote, repository, { ref, hash: theirs });
  const tracking = `refs/remotes/${name}`;
  const known = await tipAt(repository, tracking);
  if (known === theirs) return;
  await moveRef(repository, tracking, { from: known, to: theirs, why: "git_pull" });
}

async function hasParted(repository: Repository, { head, theirs }: Parted): Promise<boolean> {
  return !await isAncestor(repository, head, theirs) && !await isAncestor(repository, theirs, head);
}

async function rebase(
  repository: Repository,
  context: ToolContext,
  { only_look }: Input,
  parted: Parted,
  route: Route,
): Promise<Output> {
  const identity = await committer(repository, context);
  const both = besides(repository, route.remote);
  const plan = await withScratchOf(
    context,
    [route.remote],
    (scratch) => planRebase(both, parted, identity, { scratch, env: both.objectsIn(scratch) }),
  );
  const names = [...REBASE_HOOKS, ...PICK_HOOKS];
  const hooks = await Hooks.of(repository, context, names, only_look === true);
  const answer = ({ changes, rebased }: RebasePlan, to: string | null): Output => ({
    from: parted.head,
    to,
    fast_forward: false,
    files_changed: changes.length,
    conflicts: [],
    rebased,
    ...hooks.told,
  });
  if (only_look === true) {
    // When they are made says what they are called.
    return answer({ ...plan, rebased: plan.rebased.map(({ from }) => ({ from, to: null })) }, null);
  }
  await bringIn(repository, context, route);
  // As git-rebase(1): what is rebased onto, and no branch, which is the one that HEAD is on.
  await hooks.run("pre-rebase", { words: [parted.theirs], left: "nothing was rebased" });
  const done = await doRebase(repository, parted, identity, context);
  await hooks.after("post-checkout", [parted.head, done.tip, "1"]);
  const rewritten = done.rebased.flatMap(({ from, to }) => to === null ? [] : `${from} ${to}\n`);
  if (rewritten.length > 0) await hooks.after("post-rewrite", ["rebase"], rewritten.join(""));
  return { ...answer(done, done.tip), ...await pointersAmong(repository, pathsOf(done)) };
}

function pathsOf({ changes }: Pick<RebasePlan, "changes">): readonly Uint8Array[] {
  return changes.map(({ path }) => path);
}

/** `branch.NAME.merge`, else the branch of the same name. */
async function followed(repository: Repository, { branch }: Head): Promise<string> {
  if (branch === null) {
    throw new ToolError(
      "GIT_ERROR",
      `${tool.name}: HEAD is on no branch, so branch must say which one is meant`,
    );
  }
  const { bytes, status } = await repository.git(
    ["config", "--includes", "-z", "--get", `branch.${branch}.merge`],
    { good: [0, 1], own: true },
  );
  const ref = textOf(bytes).replace(/\0$/, "");
  return status === 0 && ref.startsWith("refs/heads/") ? ref.slice("refs/heads/".length) : branch;
}

export default tool;
