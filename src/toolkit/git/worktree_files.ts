/** The working files of one worktree: what in them is nowhere else, and how they are laid out. */

import { joinedBytes } from "../../core/bytes.ts";
import { ToolError } from "../../core/errors.ts";
import { listOf, requireWhole } from "./change.ts";
import { seeingLeftOut } from "./left_out.ts";
import { splitNul, textOf } from "./names.ts";
import { shown } from "./paths.ts";
import type { Repository } from "./repository.ts";

/** What in it is not committed: changed, staged, in conflict or unknown to git. `ignored`: as git-status(1) has it. */
export async function leftIn(
  worktree: Repository,
  ignored: "matching" | "no",
): Promise<readonly string[]> {
  const { bytes, truncated } = await seeingLeftOut(worktree).git([
    ...["status", "--porcelain=v1", "-z", "--untracked-files=all", `--ignored=${ignored}`],
    ...["--ignore-submodules=none", "--no-renames"],
  ]);
  requireWhole(worktree, truncated);
  return splitNul(bytes).map((record) => shown(worktree, record.subarray(3)));
}

/** How git ends that knows an option not (parse-options.c). */
const UNKNOWN_OPTION = 129;

/**
 * Throws GIT_ERROR where git lays out files that are not wanted as well: before 2.36 `--all` of git-checkout-index(1) was all,
 * and there was no option for that.
 */
export async function requireLeavesOut(repository: Repository): Promise<void> {
  const { status } = await repository.git(
    ["checkout-index", "--ignore-skip-worktree-bits", "-z", "--stdin"],
    { stdin: new Uint8Array(0), good: [0, UNKNOWN_OPTION] },
  );
  if (status === 0) return;
  throw new ToolError(
    "GIT_ERROR",
    `${repository.tool}: working files without those that the policy denies take git 2.36 or later`,
  );
}

/**
 * Its files but those that are denied: git takes these for files that are not wanted there (git-update-index(1)). `good`:
 * with 1 for what somebody has put in the place of one, and stays.
 */
export async function layOut(
  worktree: Repository,
  denied: readonly Uint8Array[],
  good: readonly number[] = [0],
): Promise<void> {
  await worktree.git(["read-tree", "HEAD"], { changes: "git" });
  await worktree.git(["update-index", "--skip-worktree", "-z", "--stdin"], {
    stdin: joinedBytes(denied.flatMap((path) => [path, Uint8Array.of(0)])),
    changes: "git",
  });
  const words = ["checkout-index", "--all", "--index", "--quiet"];
  await worktree.git(words, { changes: "files", good });
}

/**
 * Of its files those that are not there: git writes over none (git-checkout-index(1)), and none that is kept out of it. Throws
 * GIT_ERROR where some still are not.
 */
export async function layOutMissing(worktree: Repository): Promise<void> {
  const words = ["checkout-index", "--all", "--index", "--quiet"];
  await worktree.git(words, { changes: "files", good: [0, 1] });
  const { bytes } = await worktree.git(["ls-files", "--deleted", "-z"]);
  const missing = splitNul(bytes).map((path) => shown(worktree, path));
  if (missing.length === 0) return;
  throw new ToolError("GIT_ERROR", `${worktree.tool}: cannot be put back: ${listOf(missing)}`);
}

/** The paths of all files of a commit or tree: where git would print more than is read, folder by folder. */
export async function pathsIn(
  repository: Repository,
  tree: string,
  below: Uint8Array = new Uint8Array(0),
): Promise<readonly Uint8Array[]> {
  const words = ["ls-tree", "-z", "--full-tree"];
  const whole = await repository.git([...words, "-r", "--name-only", tree]);
  if (!whole.truncated) return splitNul(whole.bytes).map((path) => joinedBytes([below, path]));
  const { bytes, truncated } = await repository.git([...words, tree]);
  requireWhole(repository, truncated);
  const paths: Uint8Array[] = [];
  for (const record of splitNul(bytes)) {
    const tab = record.indexOf(TAB);
    const [, type, hash = ""] = textOf(record.subarray(0, tab)).split(" ");
    const path = joinedBytes([below, record.subarray(tab + 1)]);
    if (type !== "tree") paths.push(path);
    else paths.push(...await pathsIn(repository, hash, joinedBytes([path, SLASH])));
  }
  return paths;
}

const TAB = 0x09;
const SLASH = Uint8Array.of(0x2f);
