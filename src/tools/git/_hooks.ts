/** Hooks of a repository: which of them git would run, were they let. */

import { ToolError } from "../../core/errors.ts";
import { textOf } from "../../toolkit/git/names.ts";
import { within } from "../../toolkit/git/place.ts";
import { type Repository } from "../../toolkit/git/repository.ts";

/** What did not run, in results. */
export const HOOKS_SKIPPED = {
  type: "array",
  items: { type: "string" },
  description: "Hooks of the repository that did not run.",
} as const;

/** Those of these names (githooks(5)) that are there, as results have them: nothing where there is none. */
export async function hooksSkipped(
  repository: Repository,
  names: readonly string[],
): Promise<{ readonly hooks_skipped?: readonly string[] }> {
  const folder = await hooksFolder(repository);
  const skipped = names.filter((name) =>
    folder === null || isHook(repository, `${folder}/${name}`)
  );
  return skipped.length === 0 ? {} : { hooks_skipped: skipped };
}

/** Where they lie; null for a place that cannot be looked at, where any may be. */
async function hooksFolder(repository: Repository): Promise<string | null> {
  const usual = `${repository.common}/hooks`;
  if (!repository.mayName("hookspath")) return usual;
  const { bytes, status } = await repository.git(
    ["config", "--includes", "-z", "--get", "core.hooksPath"],
    { good: [0, 1], own: true },
  );
  if (status === 1) return usual;
  const path = textOf(bytes).replace(/\0$/, "");
  if (path === "") return usual;
  if (path.startsWith("~") || path.split("/").includes("..")) return null;
  const known = path.startsWith("/")
    ? repository.files.display(path)
    : within(repository.root, path);
  return known.startsWith("/") ? null : known;
}

/** A file of that name that may be executed: git runs no other. */
function isHook({ files }: Repository, path: string): boolean {
  try {
    const found = files.find(path);
    return found !== null && (found.type === "symlink" || (found.mode & 0o111) !== 0);
  } catch (error) {
    if (error instanceof ToolError) return false;
    throw error;
  }
}
