/** What git says of the worktrees of a repository, to whichever git there is. */

import { ToolError } from "../../core/errors.ts";
import { requireWhole } from "./change.ts";
import { splitNul, textOf } from "./names.ts";
import { look } from "./place.ts";
import type { Repository } from "./repository.ts";

const LIST = ["worktree", "list", "--porcelain"];
/** How git ends that knows an option not: `-z` is there since 2.36 (Documentation/RelNotes/2.36.0.txt). */
const UNKNOWN_OPTION = 129;

/**
 * The lines of each, `key value` or a key alone (git-worktree(1), "PORCELAIN FORMAT"). Throws GIT_ERROR where they cannot be
 * told apart: git before 2.36 ends a name as it ends a line, and a name may have such an end in it.
 */
export async function worktreeRecords(
  repository: Repository,
): Promise<readonly (readonly string[])[]> {
  const { bytes, truncated, status } = await repository.git([...LIST, "-z"], {
    good: [0, UNKNOWN_OPTION],
  });
  requireWhole(repository, truncated);
  if (status === 0) return recordsOf(splitNul(bytes).map(textOf));
  const older = await repository.git(LIST);
  requireWhole(repository, older.truncated);
  const records = recordsOf(textOf(older.bytes).replace(/\n$/, "").split("\n"));
  if (
    records.length === linkedIn(repository) + 1 &&
    records.every((lines) => RECORD.test(lines.join("\n")))
  ) return records;
  throw new ToolError(
    "GIT_ERROR",
    `${repository.tool}: the path of a worktree has a line break in it, which takes git 2.36 or later`,
  );
}

/** A record ends with an empty line. */
function recordsOf(lines: readonly string[]): readonly (readonly string[])[] {
  const all: string[][] = [];
  let record: string[] = [];
  for (const line of lines) {
    if (line !== "") record.push(line);
    else {
      all.push(record);
      record = [];
    }
  }
  return record.length > 0 ? [...all, record] : all;
}

/** The keys in git's own order (builtin/worktree.c), each once: what a name has brought along stands beside those of git. */
const RECORD =
  /^worktree \/[^\n]*\n(?:bare|HEAD [0-9a-f]+\n(?:detached|branch refs\/[^\n]*))(?:\nlocked(?: [^\n]*)?)?(?:\nprunable [^\n]*)?$/;

/** How many worktrees the repository has beside its own (gitrepository-layout(5), `worktrees/`). */
function linkedIn({ files, common }: Repository): number {
  const folder = `${common}/worktrees`;
  if (look(files, folder) === null) return 0;
  return [...files.walk(folder, { maxDepth: 1, sizes: false })]
    .filter(({ path }) => look(files, `${path}/gitdir`) !== null).length;
}
