/** What git in a line shows is what was looked at, whatever moves meanwhile; and what was found once holds until it changes. */

import { assert, assertEquals } from "@std/assert";
import { plainShell, withGitGround } from "./_git_ground.ts";

const POLICY = `version: 1
paths:
  - { allow: [read, write], match: ["**"] }
  - { deny: [write], match: ["**/.git/**"], reason: internals }
  - { deny: [read, write], match: ["**/.env"], reason: secrets }
commands: [{ allow: ["*"] }]
risk: { allow: dangerous, ask: dangerous }
`;

/** `open` has nothing denied; `closed`, beside it, has a file of that name. */
const HISTORY = `set -e
git init -q -b main && mkdir src && echo one > src/a.txt && git add . && git commit -qm one
echo two > src/a.txt && git commit -qam two && git tag -m said open
echo HUSH > .env && git add -f .env && git commit -qm secret && git tag closed
git reset -q --hard open && echo three > src/a.txt && git commit -qam three
git branch to open && git branch side main~1 && echo four > src/a.txt && git stash -q
`;

/** Flips a branch until it is ended. */
const FLIP = `o=$(git rev-parse open^{commit}) c=$(git rev-parse closed)
while :; do echo $o > .git/refs/heads/to; echo $c > .git/refs/heads/to; done`;

const RACED = [
  "git show to",
  "git log -p -1 to",
  "git log -p -1 --branches=to --not main~2",
  "git diff main~2 to",
  "git diff main~2..to",
  "git diff-tree -p to~1 to",
  "git format-patch -1 --stdout to",
  "git archive to | tar xO",
];

Deno.test("git in a line shows commits that were looked at, though a branch is moved before it starts", async () => {
  await withGitGround({ history: HISTORY, policy: POLICY }, async (workspace, run) => {
    const flipping = new AbortController();
    const flipper = plainShell(workspace, FLIP, flipping.signal);
    let shown = 0;
    for (let round = 0; round < 12; round++) {
      for (const line of RACED) {
        const answer = await run(line);
        const text = JSON.stringify(answer);
        assert(!text.includes("HUSH"), `${line}: ${text}`);
        if (answer.success) shown++;
      }
    }
    assert(shown > RACED.length, `${shown} were shown`);
    // It has something to show, sooner or later.
    const plain = "n=0; until git show to 2>&1 | grep HUSH || [ $n = 2000 ]; do n=$((n + 1)); done";
    assert((await plainShell(workspace, plain)).stdout.includes("HUSH"), "is no attack");
    flipping.abort();
    await flipper.catch(() => {});
  });
});

/** As git shows them, though they are given hashes for their names. */
const AS_GIT = [
  "git show open",
  "git show -s --format=%s",
  "git show :/two",
  "git show HEAD^!",
  "git show main main~1",
  "git show HEAD -- src/a.txt",
  "git log -p",
  "git log -p -1 src/a.txt",
  "git log -p ^HEAD~1 HEAD",
  "git log -p HEAD~1..",
  "git log -p HEAD...side --left-right",
  "git log -p --branches=main --not side",
  "git log -p --tags=open --oneline",
  "git log -p --glob main --decorate=no",
  "git log -p -S three --oneline",
  "git diff",
  "git diff HEAD~1",
  "git diff --cached HEAD~1",
  "git diff HEAD~1...main",
  "git diff-tree -p HEAD",
  "git stash show -p",
  "git stash show -p 0",
  "git stash show -p stash@{0}",
  "git format-patch --stdout HEAD~1",
  "git format-patch --stdout -1",
  "git grep -n three HEAD",
  "git cat-file -p main",
  "git cat-file -p HEAD:src/a.txt",
  "git archive HEAD src | tar xO",
  "git log -p -- gone; git diff src; git log --oneline -p src",
];

Deno.test("git in a line shows what git does, with hashes in the place of its revisions", async () => {
  await withGitGround({ history: HISTORY, policy: POLICY }, async (workspace, run) => {
    for (const line of [...AS_GIT, ...AS_GIT]) {
      const { output, error } = await run(line);
      const told = output ?? error?.details;
      const plain = await plainShell(workspace, line);
      assertEquals([line, told?.stdout], [line, plain.stdout], error?.message);
      assertEquals([line, told?.stderr], [line, plain.stderr], error?.message);
    }
  });
});

/** What changes a look's answer, and a line that shows it. */
const CHANGES: readonly (readonly [change: string, line: string])[] = [
  ["git update-index --add --cacheinfo 100644,$(git rev-parse closed:.env),.env", "git diff"],
  ["git reset -q --soft closed", "git diff --cached"],
  ["git reset -q --soft closed", "git log -p -1"],
  ["git reset -q --soft closed", "git show"],
  ["git branch -f side closed", "git diff side"],
  ["git branch -f side closed", "git grep HUSH side"],
  ["git stash -q && git read-tree closed", "git grep --cached HUSH"],
  [
    "git -C sub init -q && cp -r .git/. sub/.git && git -C sub reset -q --soft closed",
    "git -C sub show",
  ],
  ["git rev-list --max-count=1 closed > .git/shallow", "git log -p -1 --branches=side"],
];

Deno.test("what a look at a repository found is not taken for what it is after a change", async () => {
  for (const [change, line] of CHANGES) {
    await withGitGround({ history: HISTORY, policy: POLICY }, async (workspace, run) => {
      await plainShell(workspace, "mkdir sub; git branch -f side closed~1");
      // What was changed a moment ago is looked at each time.
      for (let round = 0; round < 2; round++) {
        await run(line);
        await new Promise((resolve) => setTimeout(resolve, 150));
      }
      const made = await plainShell(workspace, change);
      assertEquals([change, made.success], [change, true], made.stderr);
      const text = JSON.stringify(await run(line));
      assert(!text.includes("HUSH"), `${line}: ${text}`);
    });
  }
});
