/** `git_checkout`: goes to a branch or a commit, or takes files from one. */

import { joinedBytes } from "../../core/bytes.ts";
import { ToolError } from "../../core/errors.ts";
import { printable, quoted } from "../../core/printable.ts";
import type { Infer, Schema } from "../../core/schema.ts";
import type { Tool, ToolContext } from "../../core/tool.ts";
import { checkWords, invalid } from "../../toolkit/words.ts";
import {
  changesBetween,
  changesSince,
  emptyTree,
  keepContents,
  REPLACED,
  requireClear,
  requireWritable,
} from "../../toolkit/git/change.ts";
import { openSettled } from "../../toolkit/git/cut_short.ts";
import { moving, RECORDING } from "../../toolkit/git/moves.ts";
import { hookNeeds, Hooks, HOOKS_RUN, HOOKS_SKIPPED } from "./_hooks.ts";
import { encoded, exactly } from "../../toolkit/git/names.ts";
import { LFS_POINTERS, pointersAmong } from "../../toolkit/git/pointers.ts";
import { asWords, requireAllowed } from "../../toolkit/git/paths.ts";
import { gitNeeds, READS, type Repository } from "../../toolkit/git/repository.ts";
import { findCommit, headOf, requireCommit } from "../../toolkit/git/revisions.ts";
import { checkBranch, checkRevision, pathsSchema, REPOSITORY, revisionSchema } from "./_schemas.ts";

const input = {
  type: "object",
  properties: {
    repository: REPOSITORY,
    branch_or_commit: revisionSchema("Where to go, or where files are taken from."),
    create: {
      type: "boolean",
      default: false,
      description: "Makes a new branch of that name, at the commit that HEAD is on.",
    },
    paths: pathsSchema("Only these files and folders are made as they are there; HEAD stays."),
  },
  required: ["branch_or_commit"],
} as const satisfies Schema;

const output = {
  type: "object",
  properties: {
    branch: {
      oneOf: [{ type: "string" }, { type: "null" }],
      description: "The branch that HEAD is on, of a preview: would be; null where it is detached.",
    },
    hash: {
      oneOf: [{ type: "string" }, { type: "null" }],
      description: "The commit of HEAD; null before the first.",
    },
    detached: { type: "boolean", description: "Whether HEAD names a commit and no branch." },
    files_changed: { type: "integer", description: "Of a preview: how many would be." },
    replaced: REPLACED,
    lfs_pointers: LFS_POINTERS,
    hooks_run: HOOKS_RUN,
    hooks_skipped: HOOKS_SKIPPED,
  },
  required: ["branch", "hash", "detached", "files_changed"],
} as const satisfies Schema;

/** Of the preview, which only looks. */
interface Chosen {
  readonly only_look?: true;
}

type Input = Infer<typeof input> & Chosen;
type Output = Infer<typeof output>;

const tool: Tool<typeof input, typeof output, Chosen> = {
  name: "git_checkout",
  category: "git",
  description:
    "Goes to a branch, or to a commit with HEAD detached, or makes files as they are there. Going is refused where " +
    "it would lose what is not committed; files that paths replaces are kept as objects and named in replaced.",
  risk: "dangerous",
  riskOfPrograms: true,
  permission: "git_operations",
  input,
  output,
  examples: [
    { note: "to a branch", args: { branch_or_commit: "other" } },
    { note: "to a new one", args: { branch_or_commit: "try-this", create: true } },
    { note: "a file as it was", args: { branch_or_commit: "HEAD", paths: ["src/main.ts"] } },
  ],
  describe: ({ branch_or_commit, create, paths }) =>
    `Git checkout: ${create ? "new branch " : ""}${printable(branch_or_commit, 80)}${
      paths === undefined ? "" : ` of ${paths.slice(0, 10).map((one) => printable(one)).join(", ")}`
    }`,
  check({ branch_or_commit, create, paths }) {
    if (create) checkBranch("branch_or_commit", branch_or_commit);
    else checkRevision("branch_or_commit", branch_or_commit);
    checkWords("paths", paths);
    if (create && paths !== undefined) throw invalid("paths", "does not go with create");
  },
  dryRun: (input) => ({ ...input, only_look: true }),
  capabilities({ repository, branch_or_commit, create, paths, only_look }, { git }) {
    if (only_look === true) return gitNeeds(repository, ["status"], READS);
    const words = ["checkout", ...(create ? ["-b"] : []), branch_or_commit];
    const hooks = hookNeeds(git, repository, HOOKS);
    return paths === undefined
      ? [
        ...gitNeeds(repository, words, {
          access: "write",
          risk: "moderate",
          because: "changes files",
        }),
        ...hooks,
      ]
      : [
        ...gitNeeds(repository, [...words, "--", ...paths], {
          access: "write",
          risk: "dangerous",
          because: "replaces files with what they were",
        }),
        ...hooks,
      ];
  },
  preview: (input) => ({ action: tool.describe(input) }),
  async run(input, context) {
    const repository = await openSettled(tool.name, context, input.repository);
    const hooks = await Hooks.of(repository, context, HOOKS, input.only_look === true);
    const asks = context.git.hooks === "allow";
    const before = asks ? (await headOf(repository)).hash : null;
    const done = input.paths !== undefined
      ? await takeFiles(repository, input, input.paths)
      : input.create
      ? await begin(repository, input)
      : await go(repository, input, context);
    const none = "0".repeat((done.hash ?? before ?? "").length || 40);
    const flag = input.paths === undefined ? "1" : "0";
    await hooks.after("post-checkout", [before ?? none, done.hash ?? none, flag]);
    return { ...done, ...hooks.told };
  },
};

/** How HEAD stands, as results have it. */
async function standing(repository: Repository): Promise<Omit<Output, "files_changed">> {
  const { branch, hash } = await headOf(repository);
  return { branch, hash, detached: branch === null };
}

const QUIETLY = ["checkout", "--quiet", "--no-recurse-submodules"];

async function begin(repository: Repository, { branch_or_commit, only_look }: Input) {
  if (await findCommit(repository, `refs/heads/${branch_or_commit}`) !== null) {
    throw new ToolError(
      "GIT_ERROR",
      `${tool.name}: there is a branch ${
        quoted(branch_or_commit)
      } already; without create it is gone to`,
    );
  }
  if (only_look === true) {
    const { hash } = await headOf(repository);
    return { branch: branch_or_commit, hash, detached: false, files_changed: 0 };
  }
  await repository.git([...QUIETLY, "--no-track", "-b", branch_or_commit], { changes: "git" });
  return { ...await standing(repository), files_changed: 0 };
}

/** githooks(5) */
const HOOKS = ["post-checkout"];

async function go(
  repository: Repository,
  { branch_or_commit, only_look }: Input,
  { checkpoint }: ToolContext,
): Promise<Output> {
  const branch = await findCommit(repository, `refs/heads/${branch_or_commit}`);
  const target = branch ?? await requireCommit(repository, branch_or_commit);
  const { hash } = await headOf(repository);
  const from = hash ?? await emptyTree(repository);
  const changes = await changesBetween(repository, from, target);
  const doing = `going to ${quoted(branch_or_commit)}`;
  requireWritable(repository, changes.map(({ path }) => path), doing);
  await requireClear(repository, changes, doing);
  checkpoint();
  const files_changed = changes.length;
  if (only_look === true) {
    const on = branch === null ? null : branch_or_commit;
    return { branch: on, hash: target, detached: on === null, files_changed };
  }
  const where = branch === null ? ["--detach", target] : [branch_or_commit];
  const words = [...QUIETLY, "--no-overwrite-ignore", "--no-guess", ...where, "--"];
  await moving(
    repository,
    { head: hash, steps: [{ rest: from, other: target }] },
    () => repository.git(words, { changes: "files" }),
  );
  const pointers = await pointersAmong(repository, changes.map(({ path }) => path));
  return { ...await standing(repository), files_changed, ...pointers };
}

async function takeFiles(
  repository: Repository,
  { branch_or_commit, only_look }: Input,
  paths: readonly string[],
): Promise<Output> {
  const words = asWords(repository, paths);
  const named = words.includes("") ? [] : words;
  for (const path of named) requireAllowed(repository, "write", encoded(path));
  const target = await requireCommit(repository, branch_or_commit);
  await requireThere(repository, target, named, paths);
  // What that commit has not stays as it is.
  const changes = (await changesSince(repository, target, named.map(exactly)))
    .filter(({ letter }) => letter !== "A");
  const changed = changes.map(({ path }) => path);
  requireWritable(repository, changed, `taking files from ${quoted(branch_or_commit)}`);
  for (const path of changed) requireAllowed(repository, "read", path);
  if (only_look === true || changed.length === 0) {
    return { ...await standing(repository), files_changed: changed.length };
  }
  const replaced = await keepContents(repository, changed);
  await moving(repository, RECORDING, () =>
    repository.git(
      ["--literal-pathspecs", ...QUIETLY, target, "--pathspec-from-file=-", "--pathspec-file-nul"],
      { stdin: joinedBytes(changed.flatMap((path) => [path, NUL])), changes: "files" },
    ));
  return {
    ...await standing(repository),
    files_changed: changed.length,
    ...(replaced.length === 0 ? {} : { replaced }),
    ...await pointersAmong(repository, changed),
  };
}

const NUL = Uint8Array.of(0);

/** A path that is not in the commit is an error, as it is for git. */
async function requireThere(
  repository: Repository,
  target: string,
  words: readonly string[],
  paths: readonly string[],
): Promise<void> {
  for (const [index, word] of words.entries()) {
    const { bytes } = await repository.git([
      ...["--literal-pathspecs", "ls-tree", "-z", "--full-tree", target, "--", word],
    ]);
    if (bytes.length > 0) continue;
    throw new ToolError(
      "FILE_NOT_FOUND",
      `${tool.name}: ${quoted(paths[index] ?? "")} is not in ${
        target.slice(0, 12)
      }; nothing was changed`,
    );
  }
}

export default tool;
