/** The worktrees of a repository: which there are, and what each holds. */

import { joinedBytes } from "../../core/bytes.ts";
import type { Infer, JsonSchema } from "../../core/schema.ts";
import type { ToolContext } from "../../core/tool.ts";
import { ToolError } from "../../core/errors.ts";
import { listOf, requireWhole } from "../../toolkit/git/change.ts";
import { seeingLeftOut } from "../../toolkit/git/left_out.ts";
import { splitNul, textOf } from "../../toolkit/git/names.ts";
import { shown } from "../../toolkit/git/paths.ts";
import { look } from "../../toolkit/git/place.ts";
import type { Repository } from "../../toolkit/git/repository.ts";
import { openWorktree } from "../../toolkit/git/half_made.ts";

const HASH = { oneOf: [{ type: "string" }, { type: "null" }] } as const;

/** One of them, in results. */
export const WORKTREE = {
  type: "object",
  properties: {
    path: { type: "string", description: "Relative to the workspace." },
    branch: { ...HASH, description: "Null where its HEAD is detached." },
    hash: { ...HASH, description: "Its HEAD; null before the first commit." },
    dirty: { type: "boolean", description: "Whether anything in it is not committed." },
    locked: { type: "boolean", description: "Whether it was locked (git worktree lock)." },
    gone: { type: "boolean", description: "Whether its folder is not there: see prune." },
  },
  required: ["path", "branch", "hash", "dirty", "locked", "gone"],
} as const satisfies JsonSchema;

/** Likewise. */
export type Worktree = Infer<typeof WORKTREE>;

/** All of them, each looked into. */
export async function worktreesOf(
  repository: Repository,
  context: ToolContext,
): Promise<readonly Worktree[]> {
  const worktrees: Worktree[] = [];
  for (const listed of await listedOf(repository)) {
    const elsewhere = listed.path.startsWith("/");
    const open = elsewhere || listed.gone || listed.bare
      ? null
      : await openWorktree(repository, context, listed.path);
    const { bare: _, ...worktree } = listed;
    worktrees.push({ ...worktree, dirty: open !== null && (await leftIn(open, "no")).length > 0 });
  }
  return worktrees;
}

/** What git knows of one without looking into it, which takes two programs each. */
interface Listed extends Omit<Worktree, "dirty"> {
  readonly bare: boolean;
}

/** git-worktree(1), "PORCELAIN FORMAT": a record ends with an empty line. */
export async function listedOf(repository: Repository): Promise<readonly Listed[]> {
  const { bytes, truncated } = await repository.git(["worktree", "list", "--porcelain", "-z"]);
  requireWhole(repository, truncated);
  const all: Listed[] = [];
  let record = new Map<string, string>();
  for (const line of splitNul(bytes).map(textOf)) {
    if (line !== "") {
      const [, key = "", value = ""] = /^(\S+)(?: (.*))?$/s.exec(line) ?? [];
      record.set(key, value);
      continue;
    }
    all.push(listedAs(repository, record));
    record = new Map();
  }
  return all;
}

function listedAs({ files }: Repository, record: ReadonlyMap<string, string>): Listed {
  const path = files.display(record.get("worktree") ?? "");
  const hash = record.get("HEAD") ?? "";
  const elsewhere = path.startsWith("/");
  return {
    path,
    branch: record.get("branch")?.replace(/^refs\/heads\//, "") ?? null,
    hash: /^0*$/.test(hash) ? null : hash,
    locked: record.has("locked"),
    gone: record.has("prunable") || !elsewhere && look(files, path) === null,
    bare: record.has("bare"),
  };
}

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

/** Its files but those that are denied: git takes these for files that are not wanted there (git-update-index(1)). */
export async function layOut(
  worktree: Repository,
  denied: readonly Uint8Array[],
): Promise<void> {
  await worktree.git(["read-tree", "HEAD"], { changes: "git" });
  await worktree.git(["update-index", "--skip-worktree", "-z", "--stdin"], {
    stdin: joinedBytes(denied.flatMap((path) => [path, Uint8Array.of(0)])),
    changes: "git",
  });
  await worktree.git(["checkout-index", "--all", "--index", "--quiet"], { changes: "files" });
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
