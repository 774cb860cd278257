/** Commits of one's own, made anew behind those of somebody else: worked out whole as objects before a file is touched. */

import { joinedBytes } from "../../core/bytes.ts";
import { ToolError } from "../../core/errors.ts";
import { printable, quoted } from "../../core/printable.ts";
import type { JsonSchema } from "../../core/schema.ts";
import type { ToolContext } from "../../core/tool.ts";
import {
  changesBetween,
  inTheWayError,
  listOf,
  requireClear,
  requireWhole,
  requireWritable,
  uncommitted,
} from "../../toolkit/git/change.ts";
import { mergeTree } from "../../toolkit/git/merging.ts";
import { moving } from "../../toolkit/git/moves.ts";
import { encoded, textOf } from "../../toolkit/git/names.ts";
import { shown } from "../../toolkit/git/paths.ts";
import { look } from "../../toolkit/git/place.ts";
import type { RawChange } from "../../toolkit/git/raw_changes.ts";
import { gitError, type GitOptions, type Repository } from "../../toolkit/git/repository.ts";

const HASH = { type: "string" } as const;

/** What became of each commit, in results. */
export const REBASED = {
  type: "array",
  items: {
    type: "object",
    properties: {
      from: { ...HASH, description: "The commit as it was; it is kept until git clears up." },
      to: {
        oneOf: [HASH, { type: "null" }],
        description: "What stands for it now; null where its change was there, and of a preview.",
      },
    },
    required: ["from", "to"],
  },
  description: "Commits of this side that were made anew, the oldest first.",
} as const satisfies JsonSchema;

/** One of them. */
export interface Rebased {
  readonly from: string;
  readonly to: string | null;
}

/** What a rebase comes to. */
export interface RebasePlan {
  readonly tip: string;
  /** What becomes of the working files; renames come as two. */
  readonly changes: readonly RawChange[];
  readonly rebased: readonly Rebased[];
}

/** Two commits that have parted, and what the other side is called. */
export interface Parted {
  readonly head: string;
  readonly theirs: string;
  readonly name: string;
}

/** Of git-rebase(1): directories that are there while one is under way, by `git rebase` or `git am`. */
const UNDER_WAY = ["rebase-merge", "rebase-apply"];

/** As git-rebase(1): more is nothing that anybody wrote since the last pull. */
const MOST_COMMITS = 1000;

/**
 * Works out what is left of the commits that `theirs` has not, put behind it. `options` say where the objects go.
 * Throws MERGE_CONFLICT for one that does not fit, PATH_DENIED, GIT_ERROR and RESOURCE_LIMIT: nothing is changed then.
 */
export async function planRebase(
  repository: Repository,
  { head, theirs, name }: Parted,
  identity: Readonly<Record<string, string>>,
  options: GitOptions,
): Promise<RebasePlan> {
  const doing = `rebasing onto ${quoted(name)}`;
  for (const folder of UNDER_WAY) {
    if (look(repository.files, `${repository.folder}/${folder}`) === null) continue;
    throw new ToolError("GIT_ERROR", `${repository.tool}: another rebase is under way (${folder})`);
  }
  const { staged } = await uncommitted(repository);
  if (staged.length > 0) {
    throw inTheWayError(repository, staged.map((path) => shown(repository, path)), doing);
  }
  const { tip, rebased } = await replay(repository, { head, theirs, name }, identity, options);
  const changes = await changesBetween(repository, head, tip, options);
  requireWritable(repository, changes.map(({ path }) => path), doing);
  await requireClear(repository, changes, doing);
  return { tip, changes, rebased };
}

async function replay(
  repository: Repository,
  parted: Parted,
  identity: Readonly<Record<string, string>>,
  options: GitOptions,
): Promise<Pick<RebasePlan, "tip" | "rebased">> {
  const listed = await ownCommits(repository, parted);
  const commits = await readCommits(repository, [
    parted.theirs,
    ...listed.map(({ hash }) => hash),
  ]);
  const parents = await readCommits(
    repository,
    listed.flatMap(({ hash }) => commits.get(hash)?.parents ?? []),
  );
  const known = new Map([...parents, ...commits]);
  const { bytes } = await repository.git(["var", "GIT_COMMITTER_IDENT"], { env: identity });
  const committer = textOf(bytes).replace(/\n$/, "");
  const rebased: Rebased[] = [];
  let tip = parted.theirs;
  let tree = known.get(tip)?.tree ?? "";
  for (const { hash, isThere } of listed) {
    const commit = known.get(hash);
    const [parent] = commit?.parents ?? [];
    if (commit === undefined || parent === undefined) {
      throw new ToolError(
        "GIT_ERROR",
        `${repository.tool}: HEAD and ${quoted(parted.name)} have no commit in common`,
      );
    }
    if (isThere) {
      rebased.push({ from: hash, to: null });
      continue;
    }
    const merged = await picked(repository, { tree, parent, hash }, parted.name, options);
    // As git-rebase(1), --empty=drop: what was empty before stays, what became so goes.
    const isEmpty = merged === tree && commit.tree !== known.get(parent)?.tree;
    if (!isEmpty) {
      tip = await writeCommit(
        repository,
        [encoded(`tree ${merged}\nparent ${tip}\n`), commit.author, committerLine(committer)],
        commit.rest,
        options,
      );
      tree = merged;
    }
    rebased.push({ from: hash, to: isEmpty ? null : tip });
  }
  return { tip, rebased };
}

function committerLine(identity: string): Uint8Array {
  return encoded(`committer ${identity}\n`);
}

/** The commits that the other side has not, the oldest first, and whether what they change is there already. */
async function ownCommits(
  repository: Repository,
  { head, theirs, name }: Parted,
): Promise<readonly { readonly hash: string; readonly isThere: boolean }[]> {
  const { bytes, truncated } = await repository.git([
    ...["rev-list", "--reverse", "--topo-order", "--parents", "--right-only", "--cherry-mark"],
    ...[`--max-count=${MOST_COMMITS + 1}`, `${theirs}...${head}`, "--"],
  ]);
  requireWhole(repository, truncated);
  const lines = textOf(bytes).split("\n").filter((line) => line !== "");
  if (lines.length > MOST_COMMITS) {
    throw new ToolError(
      "RESOURCE_LIMIT",
      `${repository.tool}: more than ${MOST_COMMITS} commits would be made anew; strategy: merge`,
    );
  }
  return lines.map((line) => {
    const [marked = "", ...parents] = line.split(" ");
    const hash = marked.slice(1);
    if (parents.length > 1) {
      throw new ToolError(
        "GIT_ERROR",
        `${repository.tool}: ${hash.slice(0, 12)} is a merge, which a rebase onto ${
          quoted(name)
        } would lose; ` + "strategy: merge keeps it",
      );
    }
    return { hash, isThere: marked.startsWith("=") };
  });
}

/** What a commit holds: git-cat-file(1); its lines as Git writes them (commit.c). */
interface Commit {
  readonly tree: string;
  readonly parents: readonly string[];
  /** The line, as it stands there. */
  readonly author: Uint8Array;
  /** Which bytes its text is in, if it says so, then an empty line and the message. */
  readonly rest: Uint8Array;
}

async function readCommits(
  repository: Repository,
  hashes: readonly string[],
): Promise<ReadonlyMap<string, Commit>> {
  const unique = [...new Set(hashes)];
  const { bytes, truncated } = await repository.git(["cat-file", "--batch"], {
    stdin: encoded(unique.map((hash) => `${hash}\n`).join("")),
  });
  requireWhole(repository, truncated);
  const commits = new Map<string, Commit>();
  let at = 0;
  for (const hash of unique) {
    const end = bytes.indexOf(NEWLINE, at);
    const [, type, size] = textOf(bytes.subarray(at, end)).split(" ");
    if (type !== "commit") throw gitError(repository.tool, `fatal: ${hash} is no commit`);
    const body = bytes.subarray(end + 1, end + 1 + Number(size));
    commits.set(hash, commitOf(body));
    at = end + 1 + Number(size) + 1;
  }
  return commits;
}

const NEWLINE = 0x0a;

/** Signatures hold of what was signed alone, so they are left behind. */
function commitOf(body: Uint8Array): Commit {
  const lines: Uint8Array[] = [];
  let at = 0;
  while (at < body.length && body[at] !== NEWLINE) {
    const end = body.indexOf(NEWLINE, at);
    const next = end === -1 ? body.length : end + 1;
    lines.push(body.subarray(at, next));
    at = next;
  }
  const starting = (name: string) => lines.filter((line) => textOf(line).startsWith(`${name} `));
  const words = (name: string) => starting(name).map((line) => textOf(line).trim().split(" ")[1]!);
  return {
    tree: words("tree")[0] ?? "",
    parents: words("parent"),
    author: starting("author")[0] ?? encoded(""),
    rest: joinedBytes([...starting("encoding").slice(0, 1), body.subarray(at)]),
  };
}

/**
 * The tree with the change of one commit in it. A commit that has that tree and the same parent stands for it in the
 * merge, so that the parent is what both began with (git-merge-tree(1) can be told so from 2.40 on).
 */
async function picked(
  repository: Repository,
  { tree, parent, hash }: Readonly<Record<"tree" | "parent" | "hash", string>>,
  name: string,
  options: GitOptions,
): Promise<string> {
  const nobody = "nobody <> 0 +0000";
  const side = await writeCommit(
    repository,
    [encoded(`tree ${tree}\nparent ${parent}\nauthor ${nobody}\ncommitter ${nobody}\n`)],
    encoded("\n"),
    options,
  );
  const merged = await mergeTree(repository, [side, hash], options);
  if (merged.conflicts.length === 0) return merged.tree;
  throw new ToolError(
    "MERGE_CONFLICT",
    `${repository.tool}: the commit ${hash.slice(0, 12)} changes ${
      listOf(merged.conflicts.map(({ path }) => path))
    }, and ${
      printable(name, 80)
    } changed it as well; nothing was changed: strategy: merge leaves ` +
      "both sides to be settled",
    { details: { commit: hash, conflicts: merged.conflicts } },
  );
}

async function writeCommit(
  repository: Repository,
  lines: readonly Uint8Array[],
  rest: Uint8Array,
  options: GitOptions,
): Promise<string> {
  const { bytes } = await repository.git(["hash-object", "-t", "commit", "-w", "--stdin"], {
    ...options,
    stdin: joinedBytes([...lines, rest]),
  });
  return textOf(bytes).trim();
}

/** Takes files, index and branch to where a plan led, where HEAD still is what was seen. */
export async function doRebase(
  repository: Repository,
  { head, theirs, name }: Parted,
  identity: Readonly<Record<string, string>>,
  context: ToolContext,
): Promise<RebasePlan> {
  const plan = await planRebase(repository, { head, theirs, name }, identity, { changes: "git" });
  context.checkpoint();
  const from = { changes: "files" } as const;
  const steps = [{ rest: head, other: plan.tip }];
  const moved = await moving(repository, { head, steps }, async () => {
    // Times alone that differ would stand in the way.
    await repository.git(["update-index", "-q", "--refresh"], { ...from, good: [0, 1] });
    await repository.git(["read-tree", "-m", "-u", head, plan.tip], from);
    return await repository.git(
      ["update-ref", "-m", `git_pull: rebased onto ${name}`, "HEAD", plan.tip, head],
      { changes: "git", good: [0, 128] },
    );
  });
  if (moved.status === 0) {
    await repository.git(["update-ref", "ORIG_HEAD", head], { changes: "git" });
    return plan;
  }
  await repository.git(["read-tree", "-m", "-u", plan.tip, head], from);
  throw gitError(repository.tool, moved.stderr);
}
