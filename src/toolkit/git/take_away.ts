/**
 * Worktrees, and clones, that are taken away: of a folder that was looked at, only what is recorded goes, file by file, and then the
 * folder, where nothing else is in it. So what comes there after the look stays, also what git is told to ignore.
 */

import { joinedBytes } from "../../core/bytes.ts";
import { ToolError } from "../../core/errors.ts";
import { quoted } from "../../core/printable.ts";
import type { ToolContext } from "../../core/tool.ts";
import { listOf } from "./change.ts";
import { removeFiles } from "./moves.ts";
import { encoded, splitNul, textOf } from "./names.ts";
import { partOf } from "./part_of.ts";
import { look } from "./place.ts";
import { readChanges } from "./raw_changes.ts";
import type { GitOptions, Repository } from "./repository.ts";
import { headOf } from "./revisions.ts";
import { layOutMissing, leftIn } from "./worktree_files.ts";

/** The index that files are taken away by: the worktree's own says all along what must be put back. */
const TAKEN = "toolgate-taken";
/** Of no file at all (git's "empty tree"), by the length of hashes. */
const NO_FILES: Readonly<Record<number, string>> = {
  40: "4b825dc642cb6eb9a060e54bf8d69288fbee4904",
  64: "6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321",
};

/** Its files and its folder; of the repository nothing. Throws GIT_ERROR where it holds anything else, with all put back. */
export async function takeAway(worktree: Repository, context: ToolContext): Promise<void> {
  const { files, folder, root, tool } = worktree;
  if (look(files, `${folder}/locked`) !== null) {
    throw new ToolError("GIT_ERROR", `${tool}: ${quoted(root)} is locked`);
  }
  await takeRecorded(worktree, () => context.processes.removeBare(["git"], root, ".git"));
}

/**
 * Its files, and then what `end` takes. Throws GIT_ERROR, with all files put back, where one is not as it is recorded, or where
 * `end` says that there is more in its folder.
 */
export async function takeRecorded(worktree: Repository, end: () => boolean): Promise<void> {
  const { files, folder, root, tool } = worktree;
  // A repository of its own for each submodule that was ever laid out.
  if (look(files, `${folder}/modules`) !== null) {
    throw new ToolError("GIT_ERROR", `${tool}: ${quoted(root)} holds submodules`);
  }
  const { hash } = await headOf(worktree);
  // Of one who was killed over it.
  await dropIndex(worktree);
  let refused: unknown = null;
  try {
    if (hash !== null) await takeFiles(worktree, hash);
    if (end()) return;
  } catch (error) {
    refused = error;
  }
  const left = await putBack(worktree);
  throw left.length === 0 && refused !== null ? refused : holdsMore(worktree, left);
}

/** Those of its files that were taken; what is in it besides them. */
export async function putBack(worktree: Repository): Promise<readonly string[]> {
  await dropIndex(worktree);
  const { hash } = await headOf(worktree);
  if (hash !== null) await layOutMissing(worktree);
  return await leftIn(worktree, "matching");
}

async function dropIndex(worktree: Repository): Promise<void> {
  const { files, folder } = worktree;
  const names = [TAKEN, `${TAKEN}.lock`].map((name) => `${folder}/${name}`);
  await removeFiles(worktree, folder, names.filter((name) => look(files, name) !== null));
}

/** Git looks at each once more, and takes none that is not what it was, nor any other. */
async function takeFiles(worktree: Repository, hash: string): Promise<void> {
  const { folder, root } = worktree;
  const up = root.split("/").map(() => "..").join("/");
  const index = folder.startsWith("/") ? `${folder}/${TAKEN}` : `${up}/${folder}/${TAKEN}`;
  const env = { GIT_INDEX_FILE: index };
  await worktree.git(["read-tree", "-m", `--index-output=${index}`, hash], { changes: "git" });
  await worktree.git(["update-index", "-q", "--refresh"], { changes: "git", env, good: [0, 1] });
  const nothing = NO_FILES[hash.length] ?? "";
  await worktree.git(["read-tree", "-m", "-u", hash, nothing], { changes: "files", env });
}

/**
 * One whose making or removal was cut short, likewise: of a commit's files those that are there, whole or as far as git had
 * come to write them. `justNow`: by this very call, so that all that there is of them is git's. False where anything else is
 * in it, which stays; then none is half written any more, and others may be gone. Throws as git does.
 */
export async function takeBegun(
  worktree: Repository,
  context: ToolContext,
  of: { readonly hash: string; readonly justNow?: boolean },
): Promise<boolean> {
  return await takeBegunFiles(worktree, context, of) &&
    context.processes.removeBare(["git"], worktree.root, ".git");
}

/** The files of one alone, likewise. */
export async function takeBegunFiles(
  worktree: Repository,
  context: ToolContext,
  { hash, justNow = false }: { readonly hash: string; readonly justNow?: boolean },
): Promise<boolean> {
  return await context.processes.withScratch(async (scratch) => {
    const env = { ...worktree.objectsIn(scratch), GIT_INDEX_FILE: `${scratch}/index` };
    const begun = justNow ? writtenJustNow : begunOf;
    const { tree, holdsMore, options } = await begun(worktree, hash, { scratch, env });
    if (holdsMore && tree === null) return false;
    const after = holdsMore ? hash : NO_FILES[hash.length] ?? "";
    // Refuses, and changes nothing, where a file is not any more what it was just now.
    const { status } = await worktree.git(["read-tree", "-m", "-u", tree ?? hash, after], {
      ...options,
      changes: "files",
      good: [0, 128],
    });
    return !holdsMore && status === 0;
  });
}

/** What there is of a commit's files. */
interface Begun {
  /** The commit's, with what there is of files that are half written; null where none is. */
  readonly tree: string | null;
  /** Whether anything else is there. */
  readonly holdsMore: boolean;
  /** With the index that knows the files. */
  readonly options: GitOptions;
}

/** `options`: with an index that is not there yet. */
async function begunOf(worktree: Repository, hash: string, options: GitOptions): Promise<Begun> {
  const refresh = ["update-index", "-q", "--refresh"];
  await worktree.git(["read-tree", hash], options);
  const { bytes: others } = await worktree.git(["ls-files", "-z", "--others"], options);
  await worktree.git(refresh, { ...options, good: [0, 1] });
  const { entries, isAll } = await partsIn(worktree, hash, options);
  const holdsMore = others.length > 0 || !isAll;
  if (entries.length === 0) return { tree: null, holdsMore, options };
  const stdin = joinedBytes(entries);
  await worktree.git(["update-index", "-z", "--index-info"], { ...options, stdin });
  await worktree.git(refresh, { ...options, good: [0, 1] });
  const { bytes } = await worktree.git(["write-tree"], options);
  return { tree: textOf(bytes).trim(), holdsMore, options };
}

/** Of one that this very call has made: what there is of a commit's files git has written, however much of each. */
async function writtenJustNow(
  worktree: Repository,
  hash: string,
  options: GitOptions,
): Promise<Begun> {
  const paths = (words: readonly string[]) => worktree.git(["ls-files", "-z", ...words], options);
  await worktree.git(["read-tree", hash], options);
  const { bytes: others } = await paths(["--others"]);
  const gone = new Set(splitNul((await paths(["--deleted"])).bytes).map(textOf));
  const { bytes: modified, truncated } = await paths(["--modified"]);
  const there = splitNul(modified).filter((path) => !gone.has(textOf(path)));
  const stdin = joinedBytes(there.flatMap((path) => [path, encoded("\0")]));
  await worktree.git(["update-index", "-z", "--stdin"], { ...options, stdin });
  await worktree.git(["update-index", "-q", "--refresh"], { ...options, good: [0, 1] });
  const { bytes } = await worktree.git(["write-tree"], options);
  return { tree: textOf(bytes).trim(), holdsMore: others.length > 0 || truncated, options };
}

/** As many as git writes at a time are half written. */
const MOST_PARTS = 16;

/** Of the files that are not as in a commit those that are half written, as entries of the index, and whether that is all. */
async function partsIn(
  worktree: Repository,
  hash: string,
  options: GitOptions,
): Promise<{ readonly entries: readonly Uint8Array[]; readonly isAll: boolean }> {
  const words = ["diff-index", "--raw", "-z", "--no-renames", "--no-ext-diff", "--no-abbrev"];
  const { bytes, truncated } = await worktree.git([...words, hash, "--"], options);
  const changed = readChanges(bytes).changes.filter(({ letter }) => letter !== "D");
  if (truncated || changed.length > MOST_PARTS) return { entries: [], isAll: false };
  const entries: Uint8Array[] = [];
  for (const { path, mode } of changed) {
    const blob = await worktree.git(
      ["rev-parse", "--verify", "--quiet", "--end-of-options", `${hash}:${textOf(path)}`],
      { good: [0, 1, 128] },
    );
    const side = { mode, hash: textOf(blob.bytes).trim() };
    const part = blob.status === 0 ? await partOf(worktree, path, [side]) : null;
    if (part === null) continue;
    const kept = await worktree.git(["hash-object", "-w", "--no-filters", "--stdin"], {
      ...options,
      stdin: part.bytes,
    });
    const entry = encoded(`${mode} ${textOf(kept.bytes).trim()}\t`);
    // git-update-index(1), "USING --INDEX-INFO"
    entries.push(joinedBytes([entry, path, encoded("\0")]));
  }
  return { entries, isAll: entries.length === changed.length };
}

/** What to say of a worktree that is not taken away. `left`: what was found in it. */
export function holdsMore({ tool, root }: Repository, left: readonly string[]): ToolError {
  return new ToolError(
    "GIT_ERROR",
    `${tool}: ${quoted(root)} holds what is not committed: ${
      left.length === 0 ? "something that came and went, or cannot be taken away" : listOf(left)
    }; commit it or delete it first`,
    { details: { left: left.slice(0, 100) } },
  );
}
