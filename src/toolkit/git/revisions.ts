/** What revisions of the request stand for. */

import { ToolError } from "../../core/errors.ts";
import { quoted } from "../../core/printable.ts";
import { textOf } from "./names.ts";
import { gitError, type Repository } from "./repository.ts";

/** The hash of the commit that a revision stands for; null where there is none such. */
export async function findCommit(
  repository: Repository,
  revision: string,
): Promise<string | null> {
  const words = ["rev-parse", "--verify", "--quiet", "--end-of-options", `${revision}^{commit}`];
  const { bytes, status, stderr } = await repository.git(words, { good: [0, 1, 128] });
  // 1 is no such revision, or one of another kind.
  if (status === 128 && !/bad revision|Needed a single|unknown revision/.test(stderr)) {
    throw gitError(repository.tool, stderr);
  }
  const hash = textOf(bytes).trim().split("\n").pop() ?? "";
  return status === 0 && /^[0-9a-f]{40,64}$/.test(hash) ? hash : null;
}

/** As {@linkcode findCommit}, of each of several, by one start of git. */
export async function findCommits<Revisions extends readonly string[]>(
  repository: Repository,
  revisions: Revisions,
): Promise<{ readonly [Key in keyof Revisions]: string | null }> {
  type Found = { [Key in keyof Revisions]: string | null };
  // Git reads lines, and `HEAD^{/a message}` may be two of them.
  if (revisions.some((revision) => revision.includes("\n"))) {
    return await Promise.all(revisions.map((one) => findCommit(repository, one))) as Found;
  }
  const stdin = revisions.map((revision) => `${revision}^{commit}\n`).join("");
  const { bytes } = await repository.git(["cat-file", "--batch-check=%(objectname)"], {
    stdin: new TextEncoder().encode(stdin),
  });
  // git-cat-file(1), BATCH OUTPUT: a line of another form where there is no such object, or more than one.
  const lines = textOf(bytes).split("\n");
  const hashOf = (line = "") => /^[0-9a-f]{40,64}$/.test(line) ? line : null;
  return revisions.map((_, at) => hashOf(lines[at])) as Found;
}

/** As {@linkcode findCommit}. Throws GIT_ERROR where there is none. */
export async function requireCommit(repository: Repository, revision: string): Promise<string> {
  return await findCommit(repository, revision) ?? noCommit(repository, revision);
}

/** Always throws GIT_ERROR: nothing has the name, or no commit. */
export function noCommit({ tool }: Repository, revision: string): never {
  throw new ToolError(
    "GIT_ERROR",
    `${tool}: ${quoted(revision)} names no commit here; git_branch and git_log show what there is`,
  );
}

/** What HEAD names: a branch, or none where it is detached; and its commit, null before the first. */
export interface Head {
  readonly branch: string | null;
  readonly hash: string | null;
}

/** Looks at HEAD. */
export async function headOf(repository: Repository): Promise<Head> {
  const { bytes, status } = await repository.git(["symbolic-ref", "--quiet", "HEAD"], {
    good: [0, 1],
  });
  const name = textOf(bytes).trim();
  const branch = status === 0 ? name.replace(/^refs\/heads\//, "") : null;
  return { branch, hash: await findCommit(repository, "HEAD") };
}
