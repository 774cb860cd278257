/** Making working files again what they were before a change that was cut short, as far as that loses nothing. */

import { joinedBytes } from "../../core/bytes.ts";
import { ToolError } from "../../core/errors.ts";
import { changesBetween, changesStaged, quotedPath } from "./change.ts";
import { isMerging, mergeTree } from "./merging.ts";
import type { Moves, Step } from "./moves.ts";
import { encoded, isText, nameOf, textOf } from "./names.ts";
import { isAllowed } from "./paths.ts";
import { type Part, partOf, type Side } from "./part_of.ts";
import { look, textIn, within } from "./place.ts";
import type { RawChange } from "./raw_changes.ts";
import type { Repository } from "./repository.ts";

/** A path on both sides of a change. */
interface Both {
  readonly path: Uint8Array;
  readonly rest: Side;
  readonly other: Side;
}

/** As many as git writes at a time, and some that were changed by somebody. */
const MOST_PARTS = 16;

/**
 * Of the paths that the change speaks of, those whose files hold what one of its sides does, or the beginning of it, or are
 * missing, and whose entries in the index are of one of its sides. Where that cannot be told, all stays as it is.
 */
export async function restore(repository: Repository, moves: Moves): Promise<void> {
  try {
    const { bytes: unmerged } = await repository.git(["ls-files", "--unmerged", "-z"]);
    if (unmerged.length > 0) return;
    let whole = true;
    for (const step of await stepsOf(repository, moves)) {
      whole = await restoreStep(repository, moves.head ?? step.rest, step) && whole;
    }
    if (whole && isMergeOf(repository, moves)) {
      await repository.git(["merge", "--quit"], { changes: "git" });
    }
  } catch (error) {
    const over = ["TIMEOUT", "CANCELLED"];
    if (!(error instanceof ToolError) || over.includes(error.code)) throw error;
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
async function restoreStep(repository: Repository, head: string, step: Step): Promise<boolean> {
  const all = await bothSides(repository, step);
  const known = await knownEntries(repository, head, all, step);
  const found: { readonly both: Both; readonly is: Side }[] = [];
  let parts = 0;
  const contents = await contentsOf(repository, known);
  for (const [index, both] of known.entries()) {
    const hash = contents[index] ?? null;
    const { path, rest, other } = both;
    if (hash === null) continue;
    if (hash === MISSING) found.push({ both, is: NONE });
    else if (hash === rest.hash) found.push({ both, is: rest });
    else if (hash === other.hash) found.push({ both, is: other });
    else if (parts++ < MOST_PARTS) {
      const part = await partOf(repository, path, [rest, other].filter((side) => side !== NONE));
      if (part !== null) found.push({ both, is: await kept(repository, part) });
    }
  }
  if (found.length === 0) return all.length === 0;
  const set = (entries: readonly (readonly [Uint8Array, Side])[]) =>
    repository.git(["update-index", "-z", "--replace", "--index-info"], {
      stdin: joinedBytes(entries.map((entry) => entryOf(entry, head.length))),
      changes: "git",
    });
  const tree = async () =>
    textOf((await repository.git(["write-tree"], { changes: "git" })).bytes).trim();
  await set(found.map(({ both: { path, rest } }) => [path, rest]));
  const after = await tree();
  await set(found.map(({ both: { path }, is }) => [path, is]));
  const before = await tree();
  await repository.git(["update-index", "-q", "--refresh"], { changes: "git", good: [0, 1] });
  // Refuses, and changes nothing, where a file is not any more what it was just now.
  await repository.git(["read-tree", "-m", "-u", "--no-recurse-submodules", before, after], {
    changes: "files",
  });
  return found.length === all.length;
}

const NONE: Side = { mode: "0", hash: "" };
const SUBMODULE = "160000";

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
): Promise<readonly Both[]> {
  const staged = byName(await changesStaged(repository, head));
  const moved = rest === head ? new Map() : byName(await changesBetween(repository, rest, head));
  return all.filter(({ path, rest, other }) => {
    const name = nameOf(path);
    const now = staged.get(name);
    if (now === undefined) return !moved.has(name);
    const { hash } = sideOf(now);
    return hash === rest.hash || hash === other.hash;
  });
}

const MISSING = "missing";

/** The hash of what is there, as git would stage it; {@linkcode MISSING}; or null for what is no file. */
async function contentsOf(
  repository: Repository,
  all: readonly Both[],
): Promise<readonly (string | null)[]> {
  const { files, root } = repository;
  const found = all.map(({ path }) => look(files, within(root, textOf(path))));
  const names = all.filter((_, index) => found[index]?.type === "file")
    .map(({ path }) => `${quotedPath(path)}\n`).join("");
  const { bytes } = await repository.git(["hash-object", "--stdin-paths"], {
    stdin: encoded(names),
  });
  const hashes = textOf(bytes).split("\n").values();
  return found.map((one, index) => {
    if (one?.type === "file") return hashes.next().value ?? null;
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
async function kept(repository: Repository, { side: { mode }, bytes: part }: Part): Promise<Side> {
  const { bytes } = await repository.git(["hash-object", "-w", "--no-filters", "--stdin"], {
    stdin: part,
    changes: "git",
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
