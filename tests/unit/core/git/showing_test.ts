import { assertEquals } from "@std/assert";
import { ledGit } from "../../../../src/core/git/leading.ts";
import { gitShowing } from "../../../../src/core/git/showing.ts";
import { splitCommand } from "../../../../src/policy/match/argv.ts";

/** What a line shows: its kind, with what git is asked for. */
function shown(line: string): string {
  const led = ledGit(splitCommand(line));
  const showing = led === null ? null : gitShowing(led);
  switch (showing?.kind) {
    case undefined:
      return "nothing";
    case "differences":
      return [showing.subcommand, ...showing.selecting, "|", ...showing.operands].join(" ");
    case "files":
      return ["files", ...showing.operands, "or", showing.otherwise].join(" ");
    case "staging":
      return [showing.kind, ...showing.operands].join(" ");
    case "objects":
      return ["objects", ...showing.operands].join(" ");
    case "paths":
    case "patches":
      return [showing.kind, ...showing.words].join(" ");
    default:
      return showing!.kind;
  }
}

const SHOWN: readonly (readonly [line: string, shown: string])[] = [
  ["git log --oneline --graph -n 5 --stat HEAD -- a", "nothing"],
  ["git log -p -5 --grep x main -- a", "log --grep x -5 | main a"],
  ["git log -n 5 --format=%s -u a..b", "log -n 5 | a..b"],
  // What is counted hangs on what is found.
  ["git log -n 5 -Sx --skip=2 main", "log -Sx | main"],
  ["git log -p --diff-filter D -1", "log --diff-filter D |"],
  ["git log --follow -p a", "log --follow | a"],
  ["git log -L1,2:a", "anything"],
  ["git log -p --stdin", "anything"],
  ["git log --pat", "anything"],
  ["git log -p -U5 -w --color-words -M50% x", "log -w -M50% | x"],
  ["git show -s HEAD", "show | HEAD"],
  ["git show", "show |"],
  ["git diff --cached --stat -- a b", "diff --cached | a b"],
  ["git diff --no-index a b", "nothing"],
  ["git diff --submodule=diff", "elsewhere"],
  ["git diff --ext-diff", "anything"],
  ["git diff-tree -r HEAD", "nothing"],
  ["git diff-tree -p HEAD", "diff-tree | HEAD"],
  ["git format-patch -o out main", "log --no-merges | main..HEAD"],
  ["git format-patch -3 --stdout main", "log --no-merges -3 | main"],
  ["git format-patch -n main..side", "log --no-merges | main..side"],
  ["git grep x", "files or index"],
  ["git grep -rnC3 x HEAD -- a", "files HEAD a or index"],
  ["git grep -e x -e y HEAD", "files HEAD or index"],
  ["git grep --open-files-in-pager=x y", "anything"],
  ["git grep --recurse-submodules x", "elsewhere"],
  ["git archive --format=zip -o x.zip HEAD a", "files HEAD or nothing"],
  ["git archive --remote=x HEAD", "elsewhere"],
  ["git blame -L 1,2 HEAD -- a", "paths 1,2 HEAD a"],
  ["git reset HEAD~1", "staging HEAD~1"],
  ["git reset -q HEAD -- a", "staging HEAD a"],
  ["git reset --soft HEAD~1", "nothing"],
  ["git reset", "nothing"],
  ["git reset -p", "anything"],
  ["git cat-file -p HEAD:a", "objects HEAD:a"],
  ["git cat-file -t HEAD:a", "nothing"],
  ["git cat-file --batch-check", "nothing"],
  ["git cat-file --batch-all-objects --batch", "anything"],
  ["git cat-file --bat", "anything"],
  ["git stash", "nothing"],
  ["git stash show -p 1", "diff | stash@{1}^1 stash@{1}"],
  ["git stash show -u", "diff | stash@{0}^1 stash@{0}"],
  ["git stash list --format=%gd", "nothing"],
  ["git stash list -p", "anything"],
  ["git reflog -5", "nothing"],
  ["git reflog show -p", "anything"],
  ["git apply --check a.patch", "patches --check a.patch"],
  ["git apply", "anything"],
  ["git apply -3 a.patch", "anything"],
  ["git am --continue", "nothing"],
  ["git am a.mbox", "patches a.mbox"],
  ["git add -A", "nothing"],
  ["git add -p", "anything"],
  ["git commit -am x", "nothing"],
  ["git commit -v", "anything"],
  ["git status -sb", "nothing"],
  ["git status -vv", "anything"],
  ["git tag -l", "nothing"],
  ["git for-each-ref --format=%(raw)", "anything"],
  ["git notes add -m x", "nothing"],
  ["git notes add -Cx", "anything"],
  ["git update-index --refresh", "nothing"],
  ["git update-index --cacheinfo 1,2,3", "anything"],
  ["git hash-object a", "nothing"],
  ["git hash-object -t tree a", "anything"],
  ["git rebase main", "nothing"],
  ["git rebase --show-current-patch", "anything"],
  ["git submodule status", "nothing"],
  ["git submodule foreach 'cd x; git log'", "elsewhere"],
  ["git submodule foreach make", "nothing"],
  ["git bisect run make", "nothing"],
  ["git bisect run git show", "anything"],
  ["git rebase -x make main", "nothing"],
  ["git rebase -x 'git show' main", "anything"],
  ["git fsck --strict", "nothing"],
  ["git fsck --lost-found", "elsewhere"],
  ["git bundle verify x", "nothing"],
  ["git bundle create x HEAD", "anything"],
  ["git fast-export HEAD", "anything"],
  ["git st", "anything"],
  ["git", "nothing"],
  ["git log --help", "nothing"],
  ["git -c a=b -C x --no-pager show", "show |"],
];

Deno.test("git: what a command shows of commits is told by its words, and what is not understood is everything", () => {
  for (const [line, expected] of SHOWN) assertEquals([line, shown(line)], [line, expected]);
});

Deno.test("git: what stands before the subcommand is told apart", () => {
  const of = (line: string) => {
    const led = ledGit(splitCommand(line));
    return led && [led.folders, led.leading, led.elsewhere, led.at, led.subcommand, led.rest];
  };
  assertEquals(of("git -C a -c x=y -C b -P log -p"), [
    ["a", "b"],
    ["-c", "x=y", "-P"],
    null,
    8,
    "log",
    ["-p"],
  ]);
  assertEquals(of("git --git-dir x log"), [[], [], "--git-dir", 3, "log", []]);
  assertEquals(of("git --work-tree=x log"), [[], [], "--work-tree", 2, "log", []]);
  assertEquals(of("git --bare log"), [[], [], "--bare", 2, "log", []]);
  assertEquals(of("git -c diff.Submodule=diff log")?.[2], "-c diff.Submodule=diff");
  assertEquals(of("git --version"), null);
});
