/** The worktrees of a repository: which there are, and what each holds. */

import { ToolError } from "../../core/errors.ts";
import type { Infer, JsonSchema } from "../../core/schema.ts";
import type { ToolContext } from "../../core/tool.ts";
import { textOf } from "../../toolkit/git/names.ts";
import { look } from "../../toolkit/git/place.ts";
import type { Repository } from "../../toolkit/git/repository.ts";
import { openWorktree } from "../../toolkit/git/open_worktree.ts";
import { leftIn } from "../../toolkit/git/worktree_files.ts";
import { worktreeRecords } from "../../toolkit/git/worktree_records.ts";

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

/** All of them. */
export async function listedOf(repository: Repository): Promise<readonly Listed[]> {
  return (await worktreeRecords(repository)).map((lines) =>
    listedAs(
      repository,
      new Map(lines.map((line) => {
        const [, key = "", value = ""] = /^(\S+)(?: (.*))?$/s.exec(line) ?? [];
        return [key, value];
      })),
    )
  );
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

/** How many commits are on nothing else, that branch left out. */
export async function unmergedOf(
  repository: Repository,
  hash: string,
  branch: string | null,
): Promise<number> {
  const but = branch === null ? [] : [`--exclude=${branch}`];
  const { bytes } = await repository.git([
    ...["rev-list", "--count", hash, "--not", ...but, "--branches", "--remotes", "--tags", "--"],
  ]);
  return Number(textOf(bytes));
}

/** Of a failure to make one in `place`: git opens what it makes there, and says this and that of what it may not open. */
export function ofRules(error: unknown, { files, git }: ToolContext, place: string): unknown {
  const failed = error instanceof ToolError && error.code === "GIT_ERROR";
  if (!failed || files.allows("read", `${place}/.git`)) return error;
  return new ToolError(
    "PATH_DENIED",
    `${error.message}: worktrees take that the policy's paths let ${git.worktrees}/** be read`,
  );
}
