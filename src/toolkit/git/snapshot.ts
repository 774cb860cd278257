/** Working files as a commit, and several of them merged with each other: nothing of the repository is touched. */

import { joinedBytes } from "../../core/bytes.ts";
import { ToolError } from "../../core/errors.ts";
import { readStatus, requireWhole } from "./change.ts";
import { mergeTree } from "./merging.ts";
import { splitNul, textOf } from "./names.ts";
import { isAllowed, shown } from "./paths.ts";
import type { GitOptions, Repository } from "./repository.ts";

/** A commit that is compared with others; `of`: whose. */
export interface Side {
  readonly of: string;
  readonly commit: string;
}

/** Paths that git cannot merge between two. */
export interface Clash {
  readonly between: readonly [string, string];
  readonly paths: readonly string[];
}

/** Who wrote what is never kept: git(1) asks for somebody. */
const NOBODY = {
  GIT_AUTHOR_NAME: "-",
  GIT_AUTHOR_EMAIL: "-",
  GIT_COMMITTER_NAME: "-",
  GIT_COMMITTER_EMAIL: "-",
  GIT_AUTHOR_DATE: "@0 +0000",
  GIT_COMMITTER_DATE: "@0 +0000",
};
const END = Uint8Array.of(0);

/**
 * The commit of HEAD where nothing has changed since, else one above it with all that has, known to git or not. What it
 * makes lies in `scratch`, under `name`; files below `omit`, and those that may not be read, are left out. Throws GIT_ERROR before the first commit.
 */
export async function snapshot(
  repository: Repository,
  { scratch, name, omit }: {
    readonly scratch: string;
    readonly name: string;
    readonly omit: readonly string[];
  },
): Promise<string> {
  const { bytes, truncated } = await repository.git([
    ...["status", "--porcelain=v2", "--branch", "-z", "--untracked-files=all"],
    ...["--ignore-submodules=all", "--no-renames"],
  ]);
  requireWhole(repository, truncated);
  const [headers, records] = parted(splitNul(bytes));
  const head = headers.map(textOf).map((line) =>
    /^# branch\.oid ([0-9a-f]{40,64})$/.exec(line)?.[1]
  )
    .find((hash) => hash !== undefined);
  if (head === undefined) {
    throw new ToolError("GIT_ERROR", `${repository.tool}: ${name} has no commit yet`);
  }
  const left = omit.map((folder) => `${folder}/`);
  const changed = readStatus(joinedBytes(records.flatMap((record) => [record, END])))
    .map(({ path }) => path)
    // Of a file that may not be read git says that it may have changed; nobody here has changed it.
    .filter((path) => isAllowed(repository, "read", path))
    // A repository within is told as a folder.
    .filter((path) => path.at(-1) !== SLASH)
    .filter((path) => !left.some((folder) => shown(repository, path).startsWith(folder)));
  if (changed.length === 0) return head;
  const env = { ...repository.objectsIn(scratch), GIT_INDEX_FILE: `${scratch}/${name}.index` };
  const apart: GitOptions = { scratch, env };
  await repository.git(["read-tree", head], apart);
  await repository.git(["update-index", "--add", "--remove", "--replace", "-z", "--stdin"], {
    ...apart,
    stdin: joinedBytes(changed.flatMap((path) => [path, END])),
  });
  const tree = textOf((await repository.git(["write-tree"], apart)).bytes).trim();
  const made = await repository.git(["commit-tree", "-p", head, "-m", "-", tree], {
    scratch,
    env: { ...env, ...NOBODY },
  });
  return textOf(made.bytes).trim();
}

const SLASH = 0x2f;

function parted(records: readonly Uint8Array[]): readonly [Uint8Array[], Uint8Array[]] {
  const isHeader = (record: Uint8Array) => record[0] === 0x23;
  return [records.filter(isHeader), records.filter((record) => !isHeader(record))];
}

/** Each with each other. Throws GIT_ERROR where git is older than 2.38, or a program would merge. */
export async function clashesOf(
  repository: Repository,
  sides: readonly Side[],
  scratch: string,
): Promise<readonly Clash[]> {
  const clashes: Clash[] = [];
  const apart = { scratch, env: repository.objectsIn(scratch) };
  for (const [at, one] of sides.entries()) {
    for (const other of sides.slice(at + 1)) {
      if (one.commit === other.commit) continue;
      const { conflicted } = await mergeTree(repository, [one.commit, other.commit], apart);
      if (conflicted.length === 0) continue;
      // A file that another has as a folder is put aside by the name of its side (merge-ort.c, unique_path).
      const aside = new RegExp(`~(?:${one.commit}|${other.commit})(?:_\\d+)?$`);
      const named = conflicted.map((path) => shown(repository, path).replace(aside, ""));
      const paths = [...new Set(named)].sort();
      clashes.push({ between: [one.of, other.of], paths });
    }
  }
  return clashes;
}
