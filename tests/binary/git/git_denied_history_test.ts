/** What commits and the index hold under denied names: git in lines leaves it out, or is refused by the name. */

import { assert, assertEquals } from "@std/assert";
import { plainShell, type RunLine, withGitGround } from "./_git_ground.ts";
import type { Workspace } from "../toolgate.ts";

const POLICY = `version: 1
paths:
  - { allow: [read, write], match: ["**"] }
  - { deny: [write], match: ["**/.git/**"], reason: internals }
  - { deny: [read, write], match: ["**/.env", "**/*.pem"], reason: secrets }
commands: [{ allow: ["*"] }]
risk: { allow: dangerous, ask: dangerous }
git: { protocols: [https, file] }
timeouts: { default: 1h, kill_grace: 1h }
`;
const CLEAN = POLICY.replace(`"**/.env", "**/*.pem"`, `"**/.secret"`);

/** Contents of denied names have `HUSH` in them, and those of no other. */
const HISTORY = `set -e
git init -q -b main && mkdir src keys
echo one > src/a.txt && echo open > keys/readme && echo HUSH key > keys/x.pem
seq 100 130 > .env && echo HUSH one >> .env
git add -f . && git commit -qm one
echo two > src/a.txt && git rm -q keys/x.pem && git commit -qam two
git mv .env plain.txt && seq 100 130 > plain.txt && echo said >> plain.txt && git commit -qam moved
echo three > src/a.txt && git commit -qam three
echo HUSH two > .env && git add -f .env && git commit -qm secret
git tag -m x of-file HEAD:.env && git tag of-folder HEAD~4:keys
git rm -q --cached .env && rm .env && git commit -qm gone
echo four > src/a.txt && echo HUSH three > y.pem && git add y.pem && git stash -q
echo HUSH four > z.pem && git add z.pem && echo two > src/a.txt
blob=$(git rev-parse HEAD~1:.env)
printf 'diff --git a/.env b/src/got\\nsimilarity index 100%%\\nrename from z.pem\\nrename to src/got\\n' > moves.patch
sed -i s,a/.env,a/z.pem, moves.patch
printf 'diff --git a/src/had b/src/had\\nnew file mode 100644\\nindex %040d..%s\\nGIT binary patch\\n' 0 $blob > objects.patch
printf 'literal 1\\nIcmZPo000310RR91\\n\\nliteral 0\\nHcmV?d00001\\n\\n' >> objects.patch
git config alias.st 'log -p' && echo '*.patch' >> .git/info/exclude
`;

/** What is shown without what is denied, and a part of what is. */
const LEFT_OUT: readonly (readonly [line: string, shows: string])[] = [
  ["git log -p", "+three"],
  ["git log -p --graph --all --oneline", "+three"],
  ["git log --oneline -p HEAD~1 | head -20", "secret"],
  ["git -C src log -p", "+three"],
  ["git --literal-pathspecs log -p", ""],
  ["git -c core.pager=cat log -p -3", "+three"],
  ["git log -p -1 HEAD~1 -- '*.env'", ""],
  ["git log -p -1 HEAD~1 -- ':(icase,glob)**/.E*V'", ""],
  ["git log -1 -p -S 'HUSH two'", ""],
  ["git show HEAD~1", "secret"],
  ["git show --format=%s HEAD~3", "+said"],
  ["git show -M --binary HEAD~3", "moved"],
  ["for c in HEAD~1 HEAD~2; do git show $c; done", "+three"],
  ["sh -c 'git show HEAD~1'", "secret"],
  ["env git show HEAD~1", "secret"],
  ["timeout 9 git log -p", "+three"],
  ["git diff HEAD~2", "+two"],
  ["git diff HEAD~5 HEAD~3 -C --find-copies-harder", "+said"],
  ["git diff --cached", ""],
  ["git diff HEAD~1 --output=out.txt; cat out.txt", "+two"],
  ["git diff 4b825dc642cb6eb9a060e54bf8d69288fbee4904 HEAD~1", "+three"],
  ["git diff-tree -p HEAD~1", ""],
  ["git diff-index -p HEAD~1", "+two"],
  ["git format-patch HEAD~3 --stdout", "+three"],
  ["git format-patch -2 --stdout HEAD~1", "+three"],
  ["git grep -e HUSH -e three HEAD~1", "src/a.txt:three"],
  ["git grep -rn 'HUSH\\|open' HEAD~5 -- .", "keys/readme:1:open"],
  ["git grep --cached -e HUSH -e three", "src/a.txt:three"],
  ["git archive HEAD~1 | tar xO", "three"],
];

/** What is refused, by a name that it would show. Before each, what makes it ready. */
const REFUSED: readonly (readonly [line: string, name: string])[] = [
  ["git show :z.pem", "z.pem"],
  ["git show :0:z.pem", "z.pem"],
  ["git show :./z.pem", "z.pem"],
  ["git show HEAD~5:keys/x.pem", "keys/x.pem"],
  ["git -C keys show HEAD~5:./x.pem", "x.pem"],
  ["git show $(git rev-parse HEAD~5^{tree}):keys/x.pem", "keys/x.pem"],
  ["git show of-file", ".env"],
  ["git show $(git rev-parse of-file^{})", ".env"],
  ["git log -p --follow plain.txt", ".env"],
  ["git log -L29,32:plain.txt", ".env"],
  ["git log -L30,32:.env HEAD~4", ".env"],
  ["git whatchanged -p -4", ".env"],
  ["git diff HEAD:src/a.txt HEAD~5:keys/x.pem", "keys/x.pem"],
  ["git diff HEAD:src/a.txt..HEAD~5:keys/x.pem", "keys/x.pem"],
  ["git diff HEAD~5:keys HEAD:keys", "keys/x.pem"],
  ["git grep HUSH of-folder", "keys/x.pem"],
  ["git archive of-folder | tar xO", "keys/x.pem"],
  ["git blame HEAD~5 -- keys/x.pem", "keys/x.pem"],
  ["git blame keys/x.pem HEAD~5", "keys/x.pem"],
  ["git cat-file -p HEAD~5:keys/x.pem", "keys/x.pem"],
  ["git cat-file blob of-file", ".env"],
  ["echo of-file^{} | git cat-file --batch", ".env"],
  ["git stash show -p", "y.pem"],
  ["git stash list -p", "y.pem"],
  ["git reflog -p", ".env"],
  ["git st", ".env"],
  ["git for-each-ref --format='%(*raw)'", ".env"],
  ["git fast-export HEAD", ".env"],
  ["git status -v", "z.pem"],
  ["git commit --dry-run -v", "z.pem"],
  ["git --git-dir=.git log -p", "--git-dir"],
  ["git --work-tree=src diff HEAD~1", "--work-tree"],
  ["env -v git show HEAD~1", ".env"],
  ["timeout 9 timeout 9 git log -p", ".env"],
  ["git submodule foreach 'git log -p'; git log -p", "foreach"],
  ["git notes add -f -C $(git rev-parse of-file^{}) && git notes show", ".env"],
  ["git notes add -f -C$(git rev-parse of-file^{}) && git notes show", ".env"],
  [
    "git update-index --add --cacheinfo 100644,$(git rev-parse of-file^{}),src/n && git show :src/n",
    ".env",
  ],
  ["git read-tree --prefix=q/ HEAD~5:keys && git show :q/x.pem", "keys/x.pem"],
  ["git reset -q HEAD~1; git diff", ".env"],
  ["git reset -q HEAD~5 -- keys; git diff", "keys/x.pem"],
  ["git apply --cached moves.patch && git show :src/got", "z.pem"],
  ["git apply --cached < moves.patch && git show :src/got", "apply"],
  ["git apply objects.patch && cat src/had", ".env"],
];

/** What is told as ever, as nothing of it is denied. */
const WORKS: readonly (readonly [line: string, shows: string])[] = [
  ["git log --oneline --stat", "three"],
  ["git log -p -1 HEAD~2", "+three"],
  ["git log -p -- src", "+three"],
  ["git log -p src keys/readme", "+open"],
  ["git log -p --follow src/a.txt", "+three"],
  ["git log --oneline HEAD~2 -- src", "three"],
  ["git show HEAD~2", "+three"],
  ["git show HEAD:src/a.txt", "three"],
  ["git show HEAD~4:keys", "readme"],
  ["git -C src show HEAD:./a.txt", "three"],
  ["git show $(git rev-parse HEAD:src/a.txt)", "three"],
  ["git diff -- src", "+two"],
  ["git diff HEAD~3 HEAD~2", "+three"],
  ["git diff --no-index src/a.txt keys/readme; true", "+open"],
  ["git grep -n three HEAD -- src", "three"],
  ["git cat-file -p HEAD", "gone"],
  ["git cat-file -t of-file", "tag"],
  ["echo of-file | git cat-file --batch-check", "tag"],
  ["git blame src/a.txt", "two"],
  ["git stash list && git reflog --oneline && git status -s", "gone"],
  ["timeout 9 git show HEAD~2", "+three"],
  ["git archive HEAD keys | tar xO", "open"],
  ["git reset -q HEAD~2 -- src && git reset -q HEAD src && git diff -- src", "+two"],
  ["git diff -- src > d.patch && git apply -R d.patch && git diff --quiet -- src", ""],
];

/** Of those that are refused some that are told whole where nothing of it is denied. */
const CLOSED = [
  "git st",
  "git stash show -p",
  "git log -p --follow plain.txt",
  "git cat-file -p HEAD~5:keys/x.pem",
  "git show $(git rev-parse of-file^{})",
  "git fast-export HEAD",
  "timeout 9 git log -p",
];

async function shell(workspace: Workspace, script: string): Promise<string> {
  return (await plainShell(workspace, script)).stdout;
}

async function withHistory(
  policy: string,
  use: (workspace: Workspace, run: RunLine) => Promise<void>,
): Promise<void> {
  await withGitGround({ history: HISTORY, policy }, use);
}

/** What a line would be without Toolgate. */
async function plainly(workspace: Workspace, line: string): Promise<string> {
  return await shell(workspace, `{ ${line}\n} 2>&1`);
}

/** Without what the line itself says. */
function withoutLine(answer: unknown, line: string): string {
  return JSON.stringify(answer).replaceAll(JSON.stringify(line).slice(1, -1), "");
}

Deno.test("git in a line leaves out of what it shows what commits hold of denied names", async () => {
  await withHistory(POLICY, async (workspace, run) => {
    for (const [line, shows] of LEFT_OUT) {
      const answer = await run(line);
      const text = withoutLine(answer, line);
      assert(!text.includes("HUSH"), `${line}: ${text}`);
      assert(answer.output?.left_out !== undefined, `${line}: ${text}`);
      assert(String(answer.output?.stdout).includes(shows), `${line}: ${text}`);
      assert((await plainly(workspace, line)).includes("HUSH"), `${line} is no attack`);
    }
  });
});

Deno.test("git in a line is refused, by the name, where it would show what commits hold of it and takes no paths", async () => {
  await withHistory(POLICY, async (workspace, run) => {
    const state = () => shell(workspace, "git status --porcelain; git ls-files -s; git notes list");
    for (const [line, name] of REFUSED) {
      const before = await state();
      const answer = await run(line);
      const text = withoutLine(answer, line);
      assert(!text.includes("HUSH"), `${line}: ${text}`);
      assertEquals([line, answer.error?.code], [line, "PATH_DENIED"], text);
      assert(answer.error?.message.includes(name), `${line}: ${text}`);
      assertEquals(await state(), before, line);
    }
    for (const [line] of REFUSED) {
      assert((await plainly(workspace, line)).includes("HUSH"), `${line} is no attack`);
      await shell(workspace, "rm -rf src/got src/had src/n; git reset -q; git add z.pem");
    }
  });
});

Deno.test("git in a line shows whole what holds nothing denied", async () => {
  await withHistory(POLICY, async (_, run) => {
    for (const [line, shows] of WORKS) {
      const answer = await run(line);
      const text = JSON.stringify(answer);
      assertEquals([line, answer.success], [line, true], text);
      assertEquals(answer.output?.left_out, undefined, text);
      assert(String(answer.output?.stdout).includes(shows), `${line}: ${text}`);
    }
  });
  await withHistory(CLEAN, async (workspace, run) => {
    for (const line of [...LEFT_OUT.map(([line]) => line), ...CLOSED]) {
      const { output, error } = await run(line);
      const stdout = String(output?.stdout ?? error?.details?.stdout);
      assertEquals([line, stdout], [line, await shell(workspace, line)], error?.message);
    }
  });
});

/** A commit of a tree whose names nobody counts: ten folders in each other's ten, nine deep. */
const ENDLESS = `blob=$(echo x | git hash-object -w --stdin)
leaf=$(printf '100644 blob %s\\tf\\n' $blob | git mktree)
for deep in 1 2 3 4 5 6 7 8 9; do
  leaf=$(for name in 0 1 2 3 4 5 6 7 8 9; do printf '040000 tree %s\\t%s\\n' $leaf d$name; done | git mktree)
done
git branch -f endless $(git commit-tree -p HEAD -m endless $leaf)`;

Deno.test("git in a line that cannot be looked at to its end is ended with the call, and needs no killing", async () => {
  await withHistory(POLICY, async (workspace, run) => {
    await shell(workspace, ENDLESS);
    for (const command of ["git merge endless", "git show endless", "git grep x endless"]) {
      const { error } = await run(command, { timeout_ms: 1000 });
      assertEquals([command, error?.code], [command, "TIMEOUT"], error?.message);
      assert(!error?.message.includes("SIGKILL"), `${command}: ${error?.message}`);
    }
    const { error } = await run(["git", "show", "endless"], { timeout_ms: 1000 });
    assertEquals(error?.code, "TIMEOUT", error?.message);
  });
});

/** Each would print what is denied, as its gits do on their way. */
const FOLLOWED: readonly (readonly [tool: string, args: Readonly<Record<string, unknown>>])[] = [
  ["git_show", { ref: "HEAD~1" }],
  ["git_diff", { from: "HEAD~1" }],
  ["git_log", { path: "." }],
  ["git_status", {}],
  ["git_stash", { action: "show" }],
  ["git_add", { all: true }],
  ["git_merge", { branch: "nope" }],
];

Deno.test("who follows a git tool hears nothing of what its gits print", async () => {
  await withGitGround({ history: HISTORY, policy: POLICY }, async (_workspace, _run, pipe) => {
    const follow = async (tool: string, args: Readonly<Record<string, unknown>>) => {
      const said: string[] = [];
      await pipe.send({ id: tool, tool, args, stream: true });
      while (said.at(-1) !== "answer") {
        const line = await pipe.next() as { readonly event?: string } | null;
        assert(!JSON.stringify(line).includes("HUSH"), `${tool}: ${JSON.stringify(line)}`);
        said.push(line?.event ?? "answer");
      }
      return said.filter((one) => one !== "progress");
    };
    for (const [tool, args] of FOLLOWED) {
      assertEquals([tool, await follow(tool, args)], [tool, ["answer"]]);
    }
    // What programs print is what a line answers: that is told as it comes.
    const [first] = await follow("run_command", { command: "git show HEAD~1" });
    assertEquals(first, "stdout");
  });
});
