/**
 * Putting aside: the commits of a stash are made without touching a file, and the files are only then made as they are
 * in HEAD, each where it still is what was put aside. Whenever it is cut short, nothing is lost.
 */

import { joinedBytes } from "../../../core/bytes.ts";
import { ToolError } from "../../../core/errors.ts";
import {
  changesStaged,
  isThere,
  quotedPath,
  requireWhole,
  uncommitted,
} from "../../../toolkit/git/change.ts";
import type { RawChange } from "../../../toolkit/git/raw_changes.ts";
import { moving, RECORDING } from "../../../toolkit/git/moves.ts";
import { nameOf, splitNul, textOf } from "../../../toolkit/git/names.ts";
import { isAllowed } from "../../../toolkit/git/paths.ts";
import type { Repository } from "../../../toolkit/git/repository.ts";
import { headOf } from "../../../toolkit/git/revisions.ts";

/** A file that is put aside. */
export interface Taken {
  readonly path: Uint8Array;
  readonly tracked: boolean;
}

/** What is not committed: what is put aside, and what the policy keeps where it is. */
export async function stashed(
  repository: Repository,
  untracked: boolean,
): Promise<{ readonly taken: readonly Taken[]; readonly leftOut: readonly Uint8Array[] }> {
  const { hash } = await headOf(repository);
  if (hash === null) {
    throw new ToolError("GIT_ERROR", `${repository.tool}: there is no commit yet to go back to`);
  }
  const { bytes: unmerged } = await repository.git(["ls-files", "--unmerged", "-z"]);
  if (unmerged.length > 0) {
    throw new ToolError(
      "GIT_ERROR",
      `${repository.tool}: files are in conflict (git_status names them); settle them first`,
    );
  }
  const { staged, unstaged } = await uncommitted(repository);
  const found = new Map<string, Taken>();
  for (const path of [...staged, ...unstaged]) found.set(nameOf(path), { path, tracked: true });
  if (untracked) {
    const others = await repository.git(["ls-files", "-z", "--others", "--exclude-standard"]);
    requireWhole(repository, others.truncated);
    for (const path of splitNul(others.bytes)) {
      // A repository within this one is no file of it.
      if (path[path.length - 1] !== SLASH) found.set(nameOf(path), { path, tracked: false });
    }
  }
  const all = [...found.values()];
  const takes = ({ path }: Taken) =>
    isAllowed(repository, "read", path) && isAllowed(repository, "write", path);
  return {
    taken: all.filter(takes),
    leftOut: all.filter((one) => !takes(one)).map(({ path }) => path),
  };
}

const SLASH = 0x2f;
const NUL = Uint8Array.of(0);

/** Makes the stash of these files, and makes them as they are in HEAD. */
export async function putAside(
  repository: Repository,
  taken: readonly Taken[],
  message: string | null,
): Promise<void> {
  const { hash: head, branch } = await headOf(repository);
  if (head === null) throw new Error("HEAD was there and is not");
  const names = new Set(taken.map(({ path }) => nameOf(path)));
  const untracked = new Set(taken.flatMap(({ path, tracked }) => tracked ? [] : nameOf(path)));
  const staged = await changesStaged(repository, head);
  // A removal (also that of a rename) that is staged is in neither place any more, which git refuses to be told of.
  const gone = new Set(
    staged.flatMap(({ letter, path }) =>
      letter === "D" && !isThere(repository, path) ? nameOf(path) : []
    ),
  );
  const added = taken.filter(({ path }) => !gone.has(nameOf(path)));
  if (added.length > 0) {
    await moving(repository, RECORDING, () =>
      repository.git(
        ["--literal-pathspecs", "add", "--all", "--pathspec-from-file=-", "--pathspec-file-nul"],
        { stdin: joinedBytes(added.flatMap(({ path }) => [path, NUL])), changes: "git" },
      ));
  }
  const now = await changesStaged(repository, head);
  const among = (changes: readonly RawChange[], wanted: (name: string) => boolean) =>
    changes.filter(({ path }) => wanted(nameOf(path)));
  const subject = textOf(
    (await repository.git([
      ...["log", "-1", "--format=%h %s", "--no-show-signature", "--no-patch", head, "--"],
    ])).bytes,
  ).trim();
  const on = branch ?? "(no branch)";
  const text = message === null ? `WIP on ${on}: ${subject}` : `On ${on}: ${message}`;
  const stays = among(staged, (name) => !names.has(name));
  const commits = await makeCommits(repository, head, [
    {
      text: `index on ${on}: ${subject}`,
      parents: [head],
      changes: among(staged, (name) => names.has(name)),
    },
    ...(untracked.size === 0 ? [] : [{
      text: `untracked files on ${on}: ${subject}`,
      parents: [],
      changes: among(now, (name) => untracked.has(name)),
    }]),
    {
      text,
      parents: untracked.size === 0 ? [head, ":1"] : [head, ":1", ":2"],
      changes: among(now, (name) => names.has(name) && !untracked.has(name)),
    },
    // What the policy keeps where it is stays staged.
    ...(stays.length === 0 ? [] : [{ text: "what stays", parents: [head], changes: stays }]),
  ]);
  const stash = commits[untracked.size === 0 ? 1 : 2] ?? "";
  await repository.git(["stash", "store", "--quiet", `--message=${text}`, stash], {
    changes: "git",
  });
  const { bytes } = await repository.git(["write-tree"], { changes: "git" });
  const after = stays.length === 0 ? head : commits[commits.length - 1] ?? head;
  const aside = textOf(bytes).trim();
  // What was put aside is kept: cut short, the rest of it goes there too.
  await moving(repository, { head, steps: [{ rest: after, other: aside }] }, () =>
    // Refuses, and changes nothing, where a file is not any more what was just put aside.
    repository.git(
      ["read-tree", "-m", "-u", "--no-recurse-submodules", aside, `${after}^{tree}`],
      { changes: "files" },
    ));
}

interface Made {
  readonly text: string;
  /** Hashes, and `:1` for the first of them all; the tree begins as that of the first parent. */
  readonly parents: readonly string[];
  readonly changes: readonly RawChange[];
}

/** Makes commits that no branch names, without an index; their hashes. git-fast-import(1). */
async function makeCommits(
  repository: Repository,
  head: string,
  commits: readonly Made[],
): Promise<readonly string[]> {
  const who = await repository.git(["var", "GIT_COMMITTER_IDENT"], { good: [0, 128] });
  // As git-stash itself does where nobody is named.
  const committer = who.status === 0
    ? textOf(who.bytes).trim()
    : `git stash <git@stash> ${Math.floor(repository.now().getTime() / 1000)} +0000`;
  const lines = commits.map(({ text, parents: [first, ...others], changes }, index) =>
    [
      `commit ${REF}${index}`,
      `mark :${index + 1}`,
      `committer ${committer}`,
      `data ${new TextEncoder().encode(text).length}`,
      text,
      ...(first === undefined ? [] : [`from ${first}`]),
      ...others.map((parent) => `merge ${parent}`),
      ...changes.filter(({ letter }) => letter === "D").map(({ path }) => `D ${quotedPath(path)}`),
      ...changes.filter(({ letter }) => letter !== "D").map(({ mode, hash, path }) =>
        `M ${mode} ${hash} ${quotedPath(path)}`
      ),
      "",
      `get-mark :${index + 1}`,
      // No name of it stays.
      `reset ${REF}${index}`,
      `from ${"0".repeat(head.length)}`,
      "",
    ].join("\n")
  );
  const { bytes } = await repository.git(
    ["fast-import", "--quiet", "--date-format=raw", "--done"],
    { stdin: new TextEncoder().encode(`${lines.join("\n")}\ndone\n`), changes: "git" },
  );
  return textOf(bytes).split("\n").filter((line) => line !== "");
}

const REF = "refs/toolgate/";
