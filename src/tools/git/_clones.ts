/** Clones for child agents: a repository of their own in a folder, filled from the workspace, and what it has come to brought back. */

import { joinedBytes } from "../../core/bytes.ts";
import { ToolError } from "../../core/errors.ts";
import type { ToolContext } from "../../core/tool.ts";
import { besides } from "../../toolkit/git/besides.ts";
import { listOf, requireWhole } from "../../toolkit/git/change.ts";
import { takeFilesBack } from "../../toolkit/git/half_made.ts";
import { splitNul, textOf } from "../../toolkit/git/names.ts";
import { isAllowed, shown } from "../../toolkit/git/paths.ts";
import { within } from "../../toolkit/git/place.ts";
import { openAt, openRepository, type Repository } from "../../toolkit/git/repository.ts";
import { holdsMore, putBack, takeRecorded } from "../../toolkit/git/take_away.ts";
import { layOut, leftIn, pathsIn, requireLeavesOut } from "../../toolkit/git/worktree_files.ts";
import { moveRef, tipAt, transfer } from "./_remote.ts";

/** A clone: where it lies, relative to the workspace, and the branch that is checked out there. */
export interface Clone {
  readonly place: string;
  readonly branch: string;
  /** The commit that it begins at; null: no commit, but the files of the workspace as they are. */
  readonly base: string | null;
}

/** What is to be done with one. */
export interface CloneStep extends Clone {
  readonly step: keyof typeof STEPS;
}

const END = Uint8Array.of(0);
/** Of the commit that holds the files of a folder. */
const MADE_BY = { NAME: "Toolgate", EMAIL: "toolgate@localhost", DATE: "@0 +0000" };

/** Does it. Throws what each of them throws. */
export async function takeStep(
  tool: string,
  context: ToolContext,
  { step, ...clone }: CloneStep,
): Promise<void> {
  await STEPS[step](tool, context, clone);
}

const STEPS = { fill, collect, take, takeBegun, restore } as const;

/** Fills the repository without a commit that lies there. Throws GIT_ERROR, RESOURCE_LIMIT. */
async function fill(
  tool: string,
  context: ToolContext,
  { place, branch, base }: Clone,
): Promise<void> {
  const clone = await openRepository(tool, context, place);
  const hash = base ?? await commitOfFiles(tool, context, place);
  if (base !== null) {
    const repository = await openRepository(tool, context, ".");
    // Into a pack there, at once: no transport, and nothing that stays between the two. By the clone's git, which writes
    // and renames within its own folder: that may be another file system.
    await besides(clone, repository).git(
      ["pack-objects", "--revs", "--quiet", "--delta-base-offset", ".git/objects/pack/pack"],
      { stdin: new TextEncoder().encode(`${hash}\n`), changes: "git" },
    );
  }
  await clone.git(["update-ref", `refs/heads/${branch}`, hash], { changes: "git" });
  const paths = await pathsIn(clone, hash);
  const repository = { ...clone, root: "." };
  const denied = paths.filter((path) => !isAllowed(repository, "write", path));
  if (denied.length > 0) await requireLeavesOut(clone);
  await layOut(clone, denied);
}

/** All that may be read and that no `.gitignore` names, as a commit of the clone. */
async function commitOfFiles(tool: string, context: ToolContext, place: string): Promise<string> {
  const whole = await openAt(tool, context, { root: ".", folder: within(place, ".git") }, false);
  const { bytes, truncated } = await whole.git([
    "ls-files",
    "--others",
    "--exclude-standard",
    "-z",
  ]);
  requireWhole(whole, truncated);
  const omit = [".toolgate/", `${context.git.worktrees}/`];
  const paths = splitNul(bytes).filter((path) =>
    path.at(-1) !== 0x2f && isAllowed(whole, "read", path) &&
    !omit.some((folder) => shown(whole, path).startsWith(folder))
  );
  await whole.git(["update-index", "--add", "-z", "--stdin"], {
    stdin: joinedBytes(paths.flatMap((path) => [path, END])),
    changes: "git",
  });
  const tree = textOf((await whole.git(["write-tree"], { changes: "git" })).bytes).trim();
  const who = (role: string) =>
    Object.entries(MADE_BY).map(([key, value]) => [`GIT_${role}_${key}`, value]);
  const made = await whole.git(["commit-tree", "-m", "The folder as it was", tree], {
    changes: "git",
    env: Object.fromEntries([...who("AUTHOR"), ...who("COMMITTER")]),
  });
  return textOf(made.bytes).trim();
}

/**
 * Brings the commits of its branch into the repository of the workspace, on a branch of the same name. Throws GIT_ERROR where
 * it holds anything that would then be nowhere else.
 */
async function collect(
  tool: string,
  context: ToolContext,
  { place, branch, base }: Clone,
): Promise<void> {
  const clone = await openRepository(tool, context, place);
  const refuse = (what: string) => new ToolError("GIT_ERROR", `${tool}: ${place} holds ${what}`);
  const left = await leftIn(clone, "matching");
  if (left.length > 0) throw refuse(`what is not committed: ${listOf(left)}`);
  const ref = `refs/heads/${branch}`;
  const tip = await tipAt(clone, ref);
  if (tip === null) throw refuse(`no branch ${branch} any more`);
  if (await hasOthers(clone, ref)) throw refuse("commits that are not on its branch");
  const first = base ?? await rootOf(clone, tip);
  if (tip === first) return;
  if (base === null) throw refuse("commits that are nowhere else: the workspace has none");
  const repository = await openRepository(tool, context, ".");
  // By one who was killed before the clone was gone.
  if (await tipAt(repository, ref) === tip) return;
  await transfer(context, clone, repository, { ref, hash: tip });
  await moveRef(repository, ref, { from: null, to: tip, why: "toolgate: a clone is brought back" });
}

/**
 * Takes its files away, those alone that are recorded: its repository and its folder are for who asks. Throws GIT_ERROR, with all
 * put back, where it holds anything else.
 */
async function take(tool: string, context: ToolContext, { place }: Clone): Promise<void> {
  await takeRecorded(await openRepository(tool, context, place), () => true);
}

/** The files of one that was filled but in part, likewise; then all are there. */
async function takeBegun(
  tool: string,
  context: ToolContext,
  { place, branch }: Clone,
): Promise<void> {
  const clone = await openRepository(tool, context, place);
  if (await hasOthers(clone, `refs/heads/${branch}`)) {
    throw new ToolError("GIT_ERROR", `${tool}: ${place} holds commits that are not on its branch`);
  }
  if (await takeFilesBack(clone, context, branch)) return;
  throw holdsMore(clone, await leftIn(clone, "matching"));
}

/** Whether any branch, tag or stash leads to commits that its own does not. */
async function hasOthers(clone: Repository, ref: string): Promise<boolean> {
  const { bytes } = await clone.git(["rev-list", "--count", "--all", "HEAD", "--not", ref, "--"]);
  return Number(textOf(bytes)) > 0;
}

/** Puts those back that are missing. Throws GIT_ERROR where some cannot be. */
async function restore(tool: string, context: ToolContext, { place }: Clone): Promise<void> {
  await putBack(await openRepository(tool, context, place));
}

async function rootOf(clone: Repository, tip: string): Promise<string> {
  const { bytes } = await clone.git(["rev-list", "--max-parents=0", tip, "--"]);
  return textOf(bytes).trim();
}
