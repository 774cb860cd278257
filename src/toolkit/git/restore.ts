/** Making working files again what they were before a change that was cut short, as far as that loses nothing. */

import { joinedBytes } from "../../core/bytes.ts";
import { changesBetween, changesStaged, quotedPath } from "./change.ts";
import { isMerging, mergeTree } from "./merging.ts";
import { isEnded, type Moves, type Step } from "./moves.ts";
import type { ToolContext } from "../../core/tool.ts";
import { encoded, isText, nameOf, textOf } from "./names.ts";
import { isAllowed } from "./paths.ts";
import { type Part, partOf, type Side } from "./part_of.ts";
import { look, textIn, within } from "./place.ts";
import type { RawChange } from "./raw_changes.ts";
import type { GitOptions, Repository } from "./repository.ts";

/** A path on both sides of a change. */
interface Both {
  readonly path: Uint8Array;
  readonly rest: Side;
  readonly other: Side;
}

/** One whose entry in the index is of one of its sides. */
interface Known extends Both {
  readonly index: Side;
}

/** One whose file holds something of the change. */
interface Found extends Known {
  readonly is: Side;
}

/** As many as git writes at a time, and some that were changed by somebody. */
const MOST_PARTS = 16;

/**
 * Of the paths that the change speaks of, those whose files hold what one of its sides does, or the beginning of it, or are
 * missing, and whose entries in the index are of one of its sides. Where that cannot be told, all stays as it is.
 */
export async function restore(
  repository: Repository,
  { processes }: ToolContext,
  moves: Moves,
): Promise<void> {
  try {
    const { bytes: unmerged } = await repository.git(["ls-files", "--unmerged", "-z"]);
    if (unmerged.length > 0) return;
    let whole = true;
    for (const step of await stepsOf(repository, moves)) {
      whole = await processes.withScratch((scratch) =>
        restoreStep(repository, scratch, moves.head ?? step.rest, step)
      ) && whole;
    }
    if (whole && isMergeOf(repository, moves)) {
      await repository.git(["merge", "--quit"], { changes: "git" });
    }
  } catch (error) {
    if (isEnded(error)) throw error;
  }
}

/** What merging comes to is worked out once more: what git had made of it may be gone. */
async function stepsOf(
  repository: Repository,
  { head, steps, merged }: Moves,
): Promise<readonly Step[]> {
  if (merged === undefined || head === null) return steps;
  const { tree } = await mergeTree(repository, [head, merged], { changes: "git" });
  return [...steps, { rest: head, other: tree }];
}

function isMergeOf(repository: Repository, { merged }: Moves): boolean {
  const theirs = textIn(repository.files, `${repository.folder}/MERGE_HEAD`)?.trim();
  return merged !== undefined && isMerging(repository) && theirs === merged;
}

/** Whether all of it is as it was. */
async function restoreStep(
  repository: Repository,
  scratch: string,
  head: string,
  step: Step,
): Promise<boolean> {
  const all = await bothSides(repository, step);
  const known = await knownEntries(repository, head, all, step);
  const apart = { scratch, env: repository.objectsIn(scratch) };
  const found = await foundOf(repository, known, apart);
  const changed = found.filter(({ rest, is }) => !isSame(rest, is));
  if (changed.length > 0) await writeBack(repository, changed, apart);
  // At once, and last: at any moment before each entry is of one side, as whoever takes this back wants it.
  const staged = found.filter(({ rest, index }) => !isSame(rest, index));
  if (staged.length > 0) {
    const entries = staged.map(({ path, rest }) => entryOf([path, rest], head.length));
    await setEntries(repository, entries, { changes: "git" });
  }
  if (found.length > 0) {
    await repository.git(["update-index", "-q", "--refresh"], { changes: "git", good: [0, 1] });
  }
  return found.length === all.length;
}

/** A folder that was lent, for objects and an index that are nobody else's. */
type Apart = Required<Pick<GitOptions, "scratch" | "env">>;

/** Those whose files hold something of the change, with what that is. */
async function foundOf(
  repository: Repository,
  known: readonly Known[],
  apart: Apart,
): Promise<readonly Found[]> {
  const found: Found[] = [];
  let parts = 0;
  const contents = await contentsOf(repository, known);
  for (const [index, both] of known.entries()) {
    const content = contents[index] ?? null;
    if (content === null) continue;
    const sides = [both.rest, both.other].filter((side) => side !== NONE);
    // Whose content alone is the change's was made executable by somebody, or ceased to be so.
    const same = sides.filter(({ hash }) => hash === content.hash);
    const is = content === MISSING ? NONE : same.find(({ mode }) => mode === content.mode);
    if (is !== undefined) found.push({ ...both, is });
    else if (same.length === 0 && parts++ < MOST_PARTS) {
      const part = await partOf(repository, both.path, sides);
      if (part !== null) found.push({ ...both, is: await kept(repository, part, apart) });
    }
  }
  return found;
}

/**
 * Makes files again what they are to rest as, by an index of their own: what git knows of the repository's is not that of a
 * moment, wherever this is ended.
 */
async function writeBack(
  repository: Repository,
  changed: readonly Found[],
  { scratch, env }: Apart,
): Promise<void> {
  const treeOf = async (name: string, entries: readonly (readonly [Uint8Array, Side])[]) => {
    const options = { scratch, env: { ...env, GIT_INDEX_FILE: `${scratch}/${name}` } };
    const there = entries.filter(([, side]) => side !== NONE);
    const digits = there[0]?.[1].hash.length ?? 0;
    await setEntries(repository, there.map((entry) => entryOf(entry, digits)), options);
    const { bytes } = await repository.git(["write-tree"], options);
    return { options, tree: textOf(bytes).trim() };
  };
  const { tree: after } = await treeOf("after", changed.map(({ path, rest }) => [path, rest]));
  const { tree: before, options } = await treeOf(
    "before",
    changed.map(({ path, is }) => [path, is]),
  );
  await repository.git(["update-index", "-q", "--refresh"], { ...options, good: [0, 1] });
  // Refuses, and changes nothing, where a file is not any more what it was just now.
  await repository.git(["read-tree", "-m", "-u", "--no-recurse-submodules", before, after], {
    ...options,
    changes: "files",
  });
}

async function setEntries(
  repository: Repository,
  entries: readonly Uint8Array[],
  options: GitOptions,
): Promise<void> {
  await repository.git(["update-index", "-z", "--replace", "--index-info"], {
    ...options,
    stdin: joinedBytes(entries),
  });
}

function isSame(one: Side, other: Side): boolean {
  return one.hash === other.hash && one.mode === other.mode;
}

const NONE: Side = { mode: "0", hash: "" };
const SUBMODULE = "160000";
const PLAIN = "100644";
const EXECUTABLE = "100755";

/** What differs between them and may be written; names that are no text are left as they are. */
async function bothSides(
  repository: Repository,
  { rest, other }: Step,
): Promise<readonly Both[]> {
  const back = await changesBetween(repository, other, rest);
  const forth = byName(await changesBetween(repository, rest, other));
  return back.flatMap(({ path, ...change }) => {
    const there = forth.get(nameOf(path));
    if (there === undefined || !isText(path)) return [];
    const both = { path, rest: sideOf(change), other: sideOf(there) };
    if ([both.rest, both.other].some(({ mode }) => mode === SUBMODULE)) return [];
    const mine = isAllowed(repository, "write", path) && isAllowed(repository, "read", path);
    return mine ? [both] : [];
  });
}

function byName(changes: readonly RawChange[]): ReadonlyMap<string, RawChange> {
  return new Map(changes.map((change) => [nameOf(change.path), change]));
}

function sideOf({ letter, mode, hash }: Pick<RawChange, "letter" | "mode" | "hash">): Side {
  return letter === "D" ? NONE : { mode, hash };
}

/** Those whose entries in the index are of one of its sides: others were staged by somebody. */
async function knownEntries(
  repository: Repository,
  head: string,
  all: readonly Both[],
  { rest }: Step,
): Promise<readonly Known[]> {
  const staged = byName(await changesStaged(repository, head));
  const moved = rest === head ? new Map() : byName(await changesBetween(repository, rest, head));
  return all.flatMap((both) => {
    const name = nameOf(both.path);
    const now = staged.get(name);
    // What is as in HEAD is not told.
    if (now === undefined) return moved.has(name) ? [] : [{ ...both, index: both.rest }];
    const index = sideOf(now);
    return [both.rest, both.other].some(({ hash }) => hash === index.hash)
      ? [{ ...both, index }]
      : [];
  });
}

const MISSING: Side = { mode: "0", hash: "" };

/** What is there, as git would stage it; {@linkcode MISSING}; or null for what is no file. */
async function contentsOf(
  repository: Repository,
  all: readonly Both[],
): Promise<readonly (Side | null)[]> {
  const { files, root } = repository;
  const found = all.map(({ path }) => look(files, within(root, textOf(path))));
  const names = all.filter((_, index) => found[index]?.type === "file")
    .map(({ path }) => `${quotedPath(path)}\n`).join("");
  const { bytes } = await repository.git(["hash-object", "--stdin-paths"], {
    stdin: encoded(names),
  });
  const hashes = textOf(bytes).split("\n").values();
  return found.map((one, index) => {
    if (one?.type === "file") {
      const hash = hashes.next().value ?? null;
      return hash === null ? null : { mode: (one.mode & 0o100) === 0 ? PLAIN : EXECUTABLE, hash };
    }
    // What lies below a folder has entries of its own.
    if (one === null || one.type === "directory") {
      return one === null || isGone(all[index]) ? MISSING : null;
    }
    return null;
  });
}

/** Whether one of its sides has no file there. */
function isGone(both: Both | undefined): boolean {
  return both !== undefined && [both.rest, both.other].some((side) => side === NONE);
}

/** A file that was being written: what there is of it, as an object. */
async function kept(
  repository: Repository,
  { side: { mode }, bytes: part }: Part,
  apart: Apart,
): Promise<Side> {
  const { bytes } = await repository.git(["hash-object", "-w", "--no-filters", "--stdin"], {
    ...apart,
    stdin: part,
  });
  return { mode, hash: textOf(bytes).trim() };
}

/** git-update-index(1), "USING --INDEX-INFO": one that is to go has the mode 0. */
function entryOf(
  [path, { mode, hash }]: readonly [Uint8Array, Side],
  digits: number,
): Uint8Array<ArrayBuffer> {
  return joinedBytes([encoded(`${mode} ${hash || "0".repeat(digits)}\t`), path, encoded("\0")]);
}
