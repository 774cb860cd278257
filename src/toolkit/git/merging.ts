/** What a merge comes to, before anything is touched: git-merge-tree(1), from git 2.38 on. */

import { joinedBytes } from "../../core/bytes.ts";
import { ToolError } from "../../core/errors.ts";
import { printable, quoted } from "../../core/printable.ts";
import {
  changesBetween,
  emptyTree,
  inTheWayError,
  listOf,
  requireClear,
  requireWhole,
  requireWritable,
  uncommitted,
} from "./change.ts";
import { type Conflict, conflictsOf, readConflicts } from "./conflicts.ts";
import { moving } from "./moves.ts";
import type { RawChange } from "./raw_changes.ts";
import { nameOf, splitNul, textOf } from "./names.ts";
import { shown } from "./paths.ts";
import { look } from "./place.ts";
import { gitError, type GitOptions, type Repository } from "./repository.ts";
import { type Head, headOf } from "./revisions.ts";

/** How a branch is to be merged. */
export type MergeStrategy = "auto" | "ff_only" | "no_ff";

/** What a merge would do. */
export interface MergePlan {
  readonly kind: "nothing" | "fast_forward" | "merge";
  /** What becomes of the working files; renames come as two. */
  readonly changes: readonly RawChange[];
  readonly conflicts: readonly Conflict[];
}

/**
 * Works out what merging the commit `theirs` into HEAD comes to. Objects that it makes lie in `scratch`. Throws
 * PATH_DENIED and GIT_ERROR where it must not, or cannot, be done.
 */
export async function planMerge(
  repository: Repository,
  { hash: head }: Head,
  theirs: string,
  { strategy, scratch, name }: {
    readonly strategy: MergeStrategy;
    readonly scratch: string;
    readonly name: string;
  },
): Promise<MergePlan> {
  const doing = `merging ${quoted(name)}`;
  const ours = head ?? await emptyTree(repository);
  if (head !== null && await isAncestor(repository, theirs, head)) {
    return { kind: "nothing", changes: [], conflicts: [] };
  }
  const forward = head === null || await isAncestor(repository, head, theirs);
  if (!forward && strategy === "ff_only") {
    throw new ToolError(
      "GIT_ERROR",
      `${repository.tool}: HEAD and ${
        quoted(name)
      } have both moved on, so it is no fast-forward; ` +
        "another strategy merges them",
    );
  }
  if (forward && (head === null || strategy !== "no_ff")) {
    const changes = await changesBetween(repository, ours, theirs);
    requireWritable(repository, changes.map(({ path }) => path), doing);
    await requireClear(repository, changes, doing);
    return { kind: "fast_forward", changes, conflicts: [] };
  }
  const apart: GitOptions = { scratch, env: repository.objectsIn(scratch) };
  const merged = await mergeTree(repository, [ours, theirs], apart);
  const { conflicts, conflicted } = merged;
  const changes = await changesBetween(repository, ours, merged.tree, apart);
  requireWritable(repository, [...changes.map(({ path }) => path), ...conflicted], doing);
  const { staged } = await uncommitted(repository);
  if (staged.length > 0) {
    throw inTheWayError(repository, staged.map((path) => shown(repository, path)), doing);
  }
  const known = new Set(changes.map(({ path }) => nameOf(path)));
  const more = conflicted.filter((path) => !known.has(nameOf(path)))
    .map((path): RawChange => ({ letter: "M", path, from: null, mode: "", hash: "" }));
  await requireClear(repository, [...changes, ...more], doing);
  return { kind: "merge", changes, conflicts };
}

/** Whether the first is among the ancestors of the second, or is it. */
export async function isAncestor(
  repository: Repository,
  one: string,
  of: string,
): Promise<boolean> {
  const { status } = await repository.git(["merge-base", "--is-ancestor", one, of], {
    good: [0, 1],
  });
  return status === 0;
}

/** What every computation of a merge is told, so that the one that is made is the one that was shown. */
const MERGE_KEYS = [
  ...["-c", "merge.renames=true", "-c", "merge.directoryRenames=conflict"],
  ...["-c", "merge.renormalize=false", "-c", "rerere.enabled=false", "-c", "diff.renames=true"],
];

/** Two commits merged, without a file or a ref touched. */
export interface MergedTree {
  /** Its hash; where there are conflicts, with what is to be settled marked in its files. */
  readonly tree: string;
  readonly conflicts: readonly Conflict[];
  readonly conflicted: readonly Uint8Array[];
  /** What the index has of these: git-update-index(1), "USING --INDEX-INFO". */
  readonly stages: readonly Uint8Array[];
}

/**
 * Merges them; `options` say where the objects that this makes go. Throws GIT_ERROR, also where a program that the
 * repository names would have to merge, and RESOURCE_LIMIT.
 */
export async function mergeTree(
  repository: Repository,
  sides: readonly [string, string],
  options: GitOptions,
): Promise<MergedTree> {
  const { bytes, truncated, status, stderr } = await repository.git(
    [...MERGE_KEYS, "merge-tree", "--write-tree", "-z", "--no-messages", ...sides],
    { ...options, good: [0, 1, 128, 129] },
  );
  if (status === 129) {
    throw new ToolError(
      "GIT_ERROR",
      `${repository.tool}: merging takes git 2.38 or later, which works it out without touching a file`,
    );
  }
  const { tool, overrides: { mergeDrivers: [driver] } } = repository;
  // A driver fails here: its name is the one thing that git does not tell.
  if (status === 128 && driver !== undefined) throw driverError(tool, driver);
  if (status === 128) throw gitError(tool, stderr);
  requireWhole(repository, truncated);
  const [tree = new Uint8Array(), ...records] = splitNul(bytes);
  const files = records.filter((record) => record.includes(TAB));
  const conflicted = new Map(files.map((record) => {
    const path = record.subarray(record.indexOf(TAB) + 1);
    return [nameOf(path), path];
  }));
  await requireNoDriver(repository, [...conflicted.values()]);
  return {
    tree: textOf(tree),
    conflicts: readConflicts(repository, files),
    conflicted: [...conflicted.values()],
    stages: files,
  };
}

/**
 * GIT_ERROR where a program that the repository names would have merged one of these: it does not run, and what git leaves
 * without it, our side and no marks, looks settled. gitattributes(5), "Performing a three-way merge".
 */
async function requireNoDriver(
  repository: Repository,
  conflicted: readonly Uint8Array[],
): Promise<void> {
  const { tool, overrides: { mergeDrivers } } = repository;
  if (mergeDrivers.length === 0 || conflicted.length === 0) return;
  const stdin = joinedBytes(conflicted.flatMap((path) => [path, NUL]));
  const asked = await repository.git(["check-attr", "-z", "--stdin", "merge"], { stdin });
  const byDefault = await repository.git(["config", "--get", "merge.default"], { good: [0, 1] });
  const driver = splitNul(asked.bytes).filter((_, at) => at % 3 === 2).map(textOf)
    .map((value) => value === "unspecified" ? textOf(byDefault.bytes).trim() : value)
    .find((value) => mergeDrivers.includes(value));
  if (driver !== undefined) throw driverError(tool, driver);
}

function driverError(tool: string, driver: string): ToolError {
  return new ToolError(
    "GIT_ERROR",
    `${tool}: both sides changed what a program of the repository's configuration merges (merge.${
      printable(driver, 60)
    }.driver), which does not run, and without it the merge would be another; nothing was changed`,
  );
}

const NUL = Uint8Array.of(0);
const TAB = 0x09;

/** Whether a merge is under way. */
export function isMerging({ files, folder }: Repository): boolean {
  return look(files, `${folder}/MERGE_HEAD`) !== null;
}

/** GIT_ERROR where one is. */
export function requireNoMerge(repository: Repository): void {
  if (!isMerging(repository)) return;
  throw new ToolError(
    "GIT_ERROR",
    `${repository.tool}: a merge is under way: settle and commit it, or take it back (git_merge with abort: true)`,
  );
}

/** How a merge is made. */
export interface Merging {
  readonly strategy: MergeStrategy;
  /** The message of a merge commit. */
  readonly text: string;
  readonly env: Readonly<Record<string, string>>;
  /** False: the merge is left under way, for its commit to be made. */
  readonly commit?: boolean;
}

/** What a merge leaves: the commit of HEAD, or null and what is to be settled. */
export interface Merged {
  readonly hash: string | null;
  readonly conflicts: readonly Conflict[];
}

/** Merges what was planned. */
export async function doMerge(
  repository: Repository,
  head: Head,
  theirs: string,
  { strategy, text, env, commit = true }: Merging,
): Promise<Merged> {
  const words = [
    ...[...MERGE_KEYS, "merge", ...QUIETLY, ...FORWARD[strategy]],
    ...[...(commit ? [] : ["--no-commit"]), "-m", text, theirs],
  ];
  const { status, stderr } = await moving(
    repository,
    { head: head.hash, steps: [], merged: theirs },
    () =>
      repository.git(words, {
        ...{ changes: "files", good: [0, 1, 2, 128] },
        env: { ...env, ...withoutOptions(head) },
      }),
  );
  if (status === 0) return { hash: (await headOf(repository)).hash, conflicts: [] };
  const conflicts = await conflictsOf(repository);
  if (conflicts.length === 0) throw gitError(repository.tool, stderr);
  return { hash: null, conflicts };
}

/** MERGE_CONFLICT, with what the tool answers. */
export function mergeConflict(
  { tool }: Repository,
  conflicts: readonly Conflict[],
  output: unknown,
): ToolError {
  return new ToolError(
    "MERGE_CONFLICT",
    `${tool}: ${
      listOf(conflicts.map(({ path }) => path))
    } changed on both sides: settle what is marked there, stage ` +
      "and commit it, or take it back (git_merge with abort: true)",
    { output },
  );
}

const QUIETLY = [
  ...["--quiet", "--no-edit", "--no-stat", "--no-verify", "--no-gpg-sign"],
  ...["--no-verify-signatures", "--no-rerere-autoupdate", "--no-autostash", "--no-squash"],
  ...["--no-overwrite-ignore", "--commit", "--no-log", "--cleanup=whitespace", "--strategy=ort"],
];

const FORWARD: Readonly<Record<MergeStrategy, readonly string[]>> = {
  auto: ["--ff"],
  ff_only: ["--ff-only"],
  no_ff: ["--no-ff"],
};

/** `branch.NAME.mergeOptions` of the repository would come before our options: a strategy, say. git-config(1). */
function withoutOptions({ branch }: Head): Readonly<Record<string, string>> {
  return branch === null ? {} : {
    GIT_CONFIG_COUNT: "1",
    GIT_CONFIG_KEY_0: `branch.${branch}.mergeOptions`,
    GIT_CONFIG_VALUE_0: "",
  };
}
