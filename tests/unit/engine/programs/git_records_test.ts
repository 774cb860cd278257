/** Which of git's commands may record, where, and what that is. */

import { assertEquals } from "@std/assert";
import type { CanonicalPath, Program } from "../../../../src/core/capability.ts";
import { recordsIn } from "../../../../src/engine/programs/_git_records.ts";
import { type GitFolder, isRecord } from "../../../../src/host/broker/git_folder.ts";
import type { PathEntry } from "../../../../src/host/paths/canonicalize.ts";

const ENTRIES: Readonly<Record<string, PathEntry>> = {
  "/w/.git": "directory",
  "/w/sub/deep": "directory",
  "/w/sub": "directory",
  "/w/module/.git": "other",
  "/w/wt/.git": "other",
  "/w/wt": "directory",
  "/w/stray/.git": "other",
  "/w/stray": "directory",
  "/w/strange/.git": "other",
  "/w/strange": "directory",
  "/w/odd/.git": "other",
  "/w/odd": "directory",
  "/w/.git/worktrees/wt": "directory",
  "/w/.git/worktrees": "directory",
  "/elsewhere/.git/worktrees/strange": "directory",
  "/elsewhere/.git/worktrees": "directory",
  "/elsewhere/.git": "directory",
  "/elsewhere": "directory",
  "/w/module": "directory",
  "/w/linked": { link: "/elsewhere" },
  "/w/linked/.git": { link: "/elsewhere/.git" },
  "/w": "directory",
};
const TEXTS: Readonly<Record<string, string>> = {
  "/w/module/.git": "gitdir: ../.git/modules/module\n",
  "/w/wt/.git": "gitdir: /w/.git/worktrees/wt\n",
  "/w/stray/.git": "gitdir: /w/.git/worktrees/gone\n",
  "/w/strange/.git": "gitdir: /elsewhere/.git/worktrees/strange\n",
  "/w/odd/.git": "gitdir: /w/.git/worktrees/../hooks\n",
};
const probe = {
  entryAt: (path: string): PathEntry => ENTRIES[path] ?? "missing",
  text: (path: string) => TEXTS[path] ?? null,
};

function programAt(path: string): Program {
  return { path: path as CanonicalPath, start: path as CanonicalPath, names: [path] };
}

Deno.test("git may record by a command that does nothing else, in the repository that it stands in", () => {
  const rows: readonly (readonly [words: string, from: string, folder: string | null])[] = [
    ["git add a", "/w", "/w/.git"],
    ["git commit -m x", "/w/sub/deep", "/w/.git"],
    ["git --no-pager commit", "/w", "/w/.git"],
    ["git -C sub -C deep tag v1", "/w", "/w/.git"],
    ["git -C /w/sub notes add", "/w/module", "/w/.git"],
    // A file there names another repository's folder.
    ["git add a", "/w/module", null],
    ["git -C /elsewhere add a", "/w", null],
    ["git -C", "/w", null],
    ["git -c core.hooksPath=x commit", "/w", null],
    ["git --git-dir=x commit", "/w", null],
    ["git --exec-path=x commit", "/w", null],
    // They note in the index what they found unchanged.
    ["git status", "/w", "/w/.git"],
    ["git diff", "/w", "/w/.git"],
    ["git log", "/w", null],
    ["git config user.name x", "/w", "/w/.git"],
    ["git config --local user.email x", "/w", "/w/.git"],
    ["git config user.name", "/w", null],
    ["git config user.name x y", "/w", null],
    ["git config --global user.name x", "/w", null],
    ["git config user.name --unset", "/w", null],
    ["git config core.pager x", "/w", null],
    ["git remote update", "/w", "/w/.git"],
    ["git remote -v update --prune", "/w", "/w/.git"],
    ["git remote prune origin", "/w", "/w/.git"],
    ["git remote", "/w", null],
    ["git remote add x y", "/w", null],
    ["git remote show update", "/w", null],
    ["git checkout b", "/w", "/w/.git"],
    ["git stash", "/w", "/w/.git"],
    ["git reset --hard", "/w", "/w/.git"],
    ["git branch b", "/w", "/w/.git"],
    ["git branch -D b", "/w", "/w/.git"],
    ["git branch -m b", "/w", "/w/.git"],
    ["git branch --set-upstream-to=a", "/w", "/w/.git"],
    ["git checkout --track o/b", "/w", "/w/.git"],
    ["git", "/w", null],
    ["git add a", "/other", null],
    ["git add a", "/w/wt", "/w/.git"],
    ["git add a", "/w/stray", null],
    ["git add a", "/w/strange", null],
    ["git add a", "/w/odd", null],
    ["git bisect start a b", "/w", "/w/.git"],
    ["git init", "/w", "/w/.git"],
    ["git init new", "/w", "/w/new/.git"],
    ["git init", "/w/module", null],
    ["git init --bare new", "/w", null],
    ["git init --template=x new", "/w", null],
    ["git init ../x", "/w", null],
    ["git -C sub clone .. x", "/w", "/w/sub/x/.git"],
    ["git worktree add x", "/w/sub", "/w/.git"],
    ["git worktree add x", "/w/strange", null],
    ["git worktree move wt x", "/w", null],
  ];
  for (const [words, from, folder] of rows) {
    const argv = words.split(" ");
    const starting = { program: programAt("/usr/bin/git"), argv, directory: from as CanonicalPath };
    const found = recordsIn(starting, "/w" as CanonicalPath, probe);
    assertEquals([words, found?.folder ?? null], [words, folder]);
  }
  const argv = ["git", "commit"];
  for (const path of ["/usr/bin/gitk", "/usr/bin/sh"]) {
    const starting = { program: programAt(path), argv, directory: "/w" as CanonicalPath };
    assertEquals(recordsIn(starting, "/w" as CanonicalPath, probe), null);
  }
});

Deno.test("what git records is no hook, no setting and nothing of another repository", () => {
  const git: GitFolder = {
    folder: "/w/.git" as CanonicalPath,
    programs: [],
    settles: "nothing",
    worktrees: "none",
    link: null,
  };
  const records = "index index.lock HEAD HEAD.lock COMMIT_EDITMSG packed-refs.lock objects/ab/cd " +
    "objects/pack/x.pack refs/heads/a/b logs/HEAD logs gc.pid next-index-12.lock ORIG_HEAD info/refs";
  const others = "config config.lock config.worktree hooks/pre-commit hooks info/attributes " +
    "info/exclude modules/a/HEAD worktrees/a/HEAD description index/x HEADx objectsx/a .git x";
  for (const [names, expected] of [[records, true], [others, false]] as const) {
    for (const name of names.split(" ")) {
      assertEquals([name, isRecord(git, `/w/.git/${name}`)], [name, expected]);
    }
  }
  const begins = { ...git, settles: "beginning" } as const;
  for (const name of ["", "/tAb3dE_", "/tAb3dE1", "/hooks", "/hooks/pre-commit", "/info/exclude"]) {
    const expected = name === "" || name === "/tAb3dE1";
    assertEquals([name, isRecord(begins, `/w/.git${name}`)], [name, expected]);
    assertEquals([name, isRecord(git, `/w/.git${name}`)], [name, false]);
  }
  const makes = { ...git, worktrees: "all", link: "/w/wt/.git" as CanonicalPath } as const;
  const own = { ...git, worktrees: { name: "wt" } };
  const parts: readonly (readonly [path: string, made: boolean, own: boolean])[] = [
    ["/w/wt/.git", true, false],
    ["/w/x/.git", false, false],
    ["/w/.git/worktrees", true, false],
    ["/w/.git/worktrees/wt", true, false],
    ["/w/.git/worktrees/wt/gitdir", true, false],
    ["/w/.git/worktrees/wt/HEAD", true, true],
    ["/w/.git/worktrees/wt/logs/HEAD", true, true],
    ["/w/.git/worktrees/x/HEAD", true, false],
    ["/w/.git/worktrees/wt/config.worktree", false, false],
    ["/w/.git/worktrees/wt/hooks", false, false],
    ["/w/.git/worktreesx", false, false],
  ];
  for (const [path, made, its] of parts) {
    assertEquals([path, isRecord(makes, path), isRecord(own, path)], [path, made, its]);
    assertEquals([path, isRecord(git, path)], [path, false]);
  }
  assertEquals(isRecord(git, "/w/index"), false);
  assertEquals(isRecord(git, "/w/.gitx/index"), false);
});
