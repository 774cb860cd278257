/** What the words of git say that it will change. */

import { assertEquals } from "@std/assert";
import { type GitReach, gitReach, gitWords, spokenTo } from "../../../../src/core/git/words.ts";

function reachOf(line: string): Partial<GitReach> | null {
  const words = gitWords(line.split(" "));
  const reach = words === null ? null : gitReach(words);
  if (reach === null) return null;
  const said = Object.entries(reach).filter(([, value]) =>
    value !== null && value !== false && !(Array.isArray(value) && value.length === 0)
  );
  return Object.fromEntries(said);
}

Deno.test("git's words say what it will change, and perhaps some more", () => {
  const free = "without a commit";
  const rows: readonly (readonly [line: string, reach: Partial<GitReach> | null])[] = [
    ["git checkout b", { trees: ["b"], dirty: free }],
    ["git checkout -", { trees: ["@{-1}"], dirty: free }],
    ["git checkout -f b", { trees: ["b"], dirty: true }],
    ["git checkout b -- a.txt", { trees: ["b"], dirty: true }],
    ["git checkout -b new", null],
    ["git checkout -qB new", null],
    ["git switch -q -c new", null],
    ["git checkout -b new b", { trees: ["new", "b"], dirty: free }],
    ["git checkout -b new -f", { trees: ["new"], dirty: true }],
    ["git switch --orphan new", { trees: ["new"], dirty: free }],
    ["git switch --detach v1", { trees: ["v1"], dirty: free }],
    ["git restore --source=b .", { trees: ["b", "."], dirty: true }],
    ["git reset --soft b", null],
    ["git reset --hard b", { trees: ["b"], dirty: true }],
    ["git merge b", { sides: ["b"] }],
    ["git merge", { sides: ["@{upstream}"] }],
    ["git merge --abort", { dirty: true }],
    ["git rebase --onto=a b c", {
      trees: ["a", "b", "c"],
      commits: ["--symmetric", "a", "b", "c"],
    }],
    ["git cherry-pick a b", { commits: ["--no-walk", "a", "b"] }],
    ["git cherry-pick a..b", { commits: ["--symmetric", "a", "b"] }],
    ["git stash", { dirty: true }],
    ["git stash push -u", { dirty: true, files: ["--others", "--exclude-standard"] }],
    ["git stash -a", { dirty: true, files: ["--others"] }],
    ["git stash pop", { trees: ["stash@{0}"], commits: ["--no-walk", "stash@{0}^3"] }],
    ["git stash list", null],
    ["git am", { unseen: true }],
    ["git am a.patch", { patches: ["a.patch"] }],
    ["git apply --check a.patch", null],
    ["git apply -R a.patch", { patches: ["-R", "a.patch"] }],
    ["git clean -fdx", { files: ["--others", "--"] }],
    ["git clean -fdn", null],
    ["git rm -r a", { files: ["--", "a"] }],
    ["git bisect start a b", { commits: ["--symmetric", "a", "b"], bisects: true }],
    ["git bisect good", { commits: ["--symmetric"], bisects: true }],
    ["git bisect replay x", { commits: ["--symmetric", "x"], bisects: true, unseen: true }],
    ["git bisect log", null],
    ["git commit -m x", null],
    ["git -C sub --no-pager checkout b", { trees: ["b"], dirty: free }],
    ["git -c a.b=c checkout b", null],
    // Who commits says nothing of what is changed; what stands beside it may.
    ["git -c user.name=x -c User.Email=x@x checkout b", { trees: ["b"], dirty: free }],
    // Nor do how it is shown, that nothing is signed, and how a first branch is called.
    ["git -c color.ui=never -c advice.detachedHead=false checkout v1", {
      trees: ["v1"],
      dirty: free,
    }],
    ["git -c commit.gpgSign=false merge b", { sides: ["b"] }],
    ["git -c commit.gpgsign=true merge b", null],
    ["git -c gpg.program=x merge b", null],
    // An editor that is none (git-var(1), GIT_EDITOR).
    ["git -c core.editor=true merge b", { sides: ["b"] }],
    ["git -c core.editor=: merge b", { sides: ["b"] }],
    ["git -c core.editor=truex merge b", null],
    ["git -c core.editor=vi merge b", null],
    ["git -c color.pager=less -c core.pager=x checkout b", null],
    ["git -c user.name checkout b", null],
    ["git -c user.name.x=y checkout b", null],
    ["git -c user.name=x -c core.hooksPath=y checkout b", null],
    ["git", null],
  ];
  for (const [line, reach] of rows) assertEquals([line, reachOf(line)], [line, reach]);
});

Deno.test("git's words say whom it speaks with, whatever stands between them", () => {
  const rows: readonly (readonly [line: string, remotes: readonly string[] | "all" | null])[] = [
    ["git fetch", []],
    ["git fetch --all", "all"],
    ["git fetch -t here main", ["here"]],
    ["git fetch --multiple here there", ["here", "there"]],
    ["git fetch -qo x:y here", ["here"]],
    ["git fetch -ox:y here", ["here"]],
    ["git fetch -j 4 here", ["here"]],
    ["git fetch --filter blob:none here", ["here"]],
    ["git fetch --filt blob:none here", ["here"]],
    ["git fetch --filter=blob:none here", ["here"]],
    ["git pull --rebase here main", ["here"]],
    ["git pull -s ours -X theirs here", ["here"]],
    ["git pull --all", "all"],
    ["git push -u here main", ["here"]],
    ["git push --all here", ["here"]],
    ["git push --push-option x:y here", ["here"]],
    ["git push --repo here", ["here"]],
    ["git push --repo=here", ["here"]],
    ["git push --repo=here there", ["there"]],
    ["git ls-remote --sort x here", ["here"]],
    ["git remote", null],
    ["git remote -v", null],
    ["git remote get-url here", null],
    ["git remote update", "all"],
    ["git remote update -p here", ["here"]],
    ["git remote -v show here", ["here"]],
    ["git remote show", null],
    ["git remote prune here", ["here"]],
    ["git remote set-head here -a", ["here"]],
    ["git remote add x ./y", null],
    ["git remote add -f -t main x ./y", ["./y"]],
    ["git status", null],
  ];
  for (const [line, remotes] of rows) {
    const words = gitWords(line.split(" "));
    assertEquals([line, words && spokenTo(words)?.remotes || null], [line, remotes]);
  }
});
