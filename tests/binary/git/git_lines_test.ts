/** Git in lines, where `.git` is denied and a secret lies beside: done whole, or refused whole and by name. */

import { assert, assertEquals } from "@std/assert";
import { plainShell, type RunLine, withGitGround } from "./_git_ground.ts";
import type { Workspace } from "../toolgate.ts";

const POLICY = `version: 1
paths:
  - { allow: [read, write], match: ["**"] }
  - { deny: [write], match: ["**/.git/**"], reason: internals }
  - { deny: [read, write], match: ["**/.env", "**/*.pem"], reason: secrets }
commands: [{ allow: [git, cat, echo, sh, test, ls, cp, mkdir] }]
risk: { allow: dangerous, ask: dangerous }
git: { protocols: [https, file] }
`;

/** `leaky` brings a denied name with other files; `topic` and `conflict` bring none. */
const HISTORY = `set -e
git init -q -b main
echo .env > .gitignore
for name in a b c; do echo one > $name.txt; done
git add . && git commit -qm one
git checkout -qb topic && echo topic > a.txt && git commit -qam topic
git checkout -qb conflict main && echo conflict > a.txt && git commit -qam conflict
git checkout -qb leaky main
echo leaky > a.txt && mkdir keys && echo key > keys/x.pem && git add -f . && git commit -qm "Leak"
git format-patch -q -1 --stdout > ../leak.mbox
git rm -qr keys && echo later > b.txt && git commit -qam "Hide it"
git checkout -qb deep && echo deep > c.txt && git commit -qam deep && git checkout -q main
git branch done
cp ../leak.mbox leak.mbox
echo KEY=secret > .env
echo "*.mbox" >> .git/info/exclude
`;

/** Everything that could have been left half done. */
const STATE = `git status --porcelain; git rev-parse HEAD; git symbolic-ref HEAD; git ls-files -s
git for-each-ref; git stash list; ls -a .git | grep -E 'MERGE|rebase|CHERRY|REVERT|sequencer'
cat .env a.txt b.txt c.txt`;

const WORKS: readonly (readonly [line: string, prints: string])[] = [
  ["git checkout -q topic && cat a.txt", "topic\n"],
  ["git switch -q - && cat a.txt", "one\n"],
  ["git merge -q topic && cat a.txt && git reset -q --hard HEAD~1 && cat a.txt", "topic\none\n"],
  [
    "git merge -q conflict; git merge -q topic > /dev/null; git merge --abort; cat a.txt",
    "conflict\n",
  ],
  ["git reset -q --hard HEAD~1 && cat a.txt", "one\n"],
  ["echo x > b.txt; git stash -q && cat b.txt && git stash pop -q && cat b.txt", "one\nx\n"],
  ["git checkout -q b.txt && cat b.txt", "one\n"],
  ["echo y > c.txt; git restore . && cat c.txt", "one\n"],
  ["git checkout -q conflict && git rebase -q main && git log -1 --format=%s", "conflict\n"],
  ["git checkout -q main && git cherry-pick topic -n && cat a.txt", "topic\n"],
  ["git reset -q --hard && git branch -q -D done && git mv b.txt d.txt && git rm -q c.txt", ""],
  ["git reset -q --hard && git clean -qfd && cat b.txt c.txt", "one\none\n"],
  ["git init -q sub && cd sub && echo x > x && git add x && git commit -qm x && git status -s", ""],
  ["cd sub && git log --format=%s && git init -q && git config core.filemode", "x\ntrue\n"],
  ["git clone -q . copy && cd copy && cat a.txt && git status -sb", "one\n## main...origin/main\n"],
  ["cd copy && echo y > b.txt && git commit -qam y && git log -1 --format=%s", "y\n"],
  [
    "cd copy && echo w > c.txt && git -c user.name=W -c user.email=w@w commit -qam w && git log -1 --format=%s",
    "w\n",
  ],
  ["git clone -q --bare copy bare && git clone -q -b main bare again && cat again/b.txt", "y\n"],
  ["git clone -q --no-checkout . none && ls none && ls none/.git/hooks; echo $?", "2\n"],
  [
    "git worktree add -q wt topic && cat wt/a.txt && git worktree list --porcelain -z > l",
    "topic\n",
  ],
  ["cd wt && echo z > b.txt && git commit -qam z && git log -1 --format=%s topic", "z\n"],
  ["git -C wt checkout -q --detach main && cat wt/a.txt && git -C wt switch -q topic", "one\n"],
  ["git worktree add -q -b new wt/in && git worktree lock wt/in && git worktree unlock wt/in", ""],
  ["git worktree remove wt/in && git worktree remove wt && git worktree prune && ls -d wt", ""],
  [
    "git bisect start conflict main~0 > l; git bisect good > l; git bisect reset; cat a.txt",
    "one\n",
  ],
  [
    "git bisect start topic main > l && git bisect run sh -c 'test -s a.txt' > l; git bisect reset; cat a.txt",
    "one\n",
  ],
];

/** What would have to write settings, hooks, or where nobody looks, and what is said of it. */
const BEYOND: readonly (readonly [line: string, says: string])[] = [
  ["git init --template=. x", "--template"],
  ["git init --separate-git-dir=x y", "--separate-git-dir"],
  ["git init --shared x", "--shared"],
  ["git init -q .git/x", ".git/x"],
  ["git -C .git init", "own folder"],
  ["git -C .git clone . x", "own folder"],
  ["git clone -c core.pager=echo . x", "-c"],
  ["git clone --recurse-submodules . x", "--recurse-submodules"],
  ["git clone -u echo . x", "-u"],
  ["git clone leak.mbox x", "unbundle"],
  ["git clone -b leaky~1 . x; git clone -b leak . x", "keys/x.pem"],
  ["git worktree add x leaky~1", "keys/x.pem"],
  ["git worktree add leak", "keys/x.pem"],
  ["git worktree move topic x", "git worktree move"],
  ["git worktree repair", "git worktree repair"],
  ["git worktree remove other", ".env"],
  ["git worktree remove -f other", ".env"],
  ["git worktree remove strange", "no worktree"],
  ["git pull -q . topic", "git pull"],
  ["git submodule add ./copy x", "git submodule add"],
  ["git bisect start deep main", "keys/x.pem"],
  ["git bisect replay leak.mbox", "replay"],
];

/** What each would write that is denied. */
const REFUSED: readonly (readonly [line: string, names: string])[] = [
  ["git checkout leaky~1", "keys/x.pem"],
  ["git switch --detach leaky~1", "keys/x.pem"],
  ["git checkout leaky~1 -- .", "keys/x.pem"],
  ["git restore --source=leaky~1 .", "keys/x.pem"],
  ["git reset --hard leaky~1", "keys/x.pem"],
  ["git merge leaky~1", "keys/x.pem"],
  ["git merge topic leaky~1", "keys/x.pem"],
  // It comes and goes between the two ends.
  ["git rebase leaky", "keys/x.pem"],
  ["git rebase main leaky", "keys/x.pem"],
  ["git cherry-pick topic leaky~1", "keys/x.pem"],
  ["git cherry-pick main..deep", "keys/x.pem"],
  ["git revert --no-edit leaky~1", "keys/x.pem"],
  ["git apply leak.mbox", "keys/x.pem"],
  ["git am leak.mbox", "keys/x.pem"],
  ["git clean -fdx", ".env"],
  ["git stash -a", ".env"],
  ["git --no-pager -C . checkout leaky~1", "keys/x.pem"],
  ["git am < leak.mbox", "standard input"],
];

/** Beside what `STATE` tells: settings, hooks, worktrees, and all that lies there. */
const MORE_STATE = `find . -name .git -prune -o -print | sort; cat .git/config; ls .git .git/hooks
git worktree list; git -C other status --porcelain`;

async function shell(workspace: Workspace, script: string): Promise<string> {
  const { success, stdout, stderr } = await plainShell(workspace, script);
  assert(success || script === STATE, stderr);
  return stdout;
}

async function withRepository(
  use: (workspace: Workspace, run: RunLine) => Promise<void>,
  policy = POLICY,
): Promise<void> {
  await withGitGround({ history: HISTORY, policy }, async (workspace, run) => {
    await use(workspace, run);
    assertEquals(workspace.read(".env"), "KEY=secret\n");
  });
}

Deno.test("git in a line changes working files and its own folder, with a secret beside", async () => {
  await withRepository(async (_, run) => {
    for (const [line, prints] of WORKS) {
      const { output, error } = await run(line);
      assertEquals([line, output?.stdout], [line, prints], JSON.stringify([error, output]));
    }
  });
});

Deno.test("git status in a line is refused nothing that it could do without", async () => {
  await withRepository(async (workspace, run) => {
    // What was touched has to be read again, and git would write down that it is the same.
    await shell(workspace, "touch -d tomorrow a.txt");
    const { output } = await run("git status -s");
    assertEquals([output?.stdout, output?.denied], ["", undefined]);
  });
});

Deno.test("git in a line settles who commits and what a branch follows, and nothing else", async () => {
  await withRepository(async (workspace, run) => {
    const settings = () => workspace.read(".git/config");
    const said = async (line: string) => {
      const { output, error } = await run(line);
      return String(output?.stdout ?? error?.details?.stdout);
    };
    assertEquals(await said("git config user.name Bob && git config user.name"), "Bob\n");
    assertEquals(
      await said("git branch -u main topic > /dev/null; git config branch.topic.merge"),
      "refs/heads/main\n",
    );
    assertEquals(
      await said("git branch -m topic other && git config branch.other.merge"),
      "refs/heads/main\n",
    );
    assertEquals(await said("git branch -D other > /dev/null; git config branch.other.merge"), "");
    const before = settings();
    const refused = [
      "git config core.pager 'touch pwned'",
      "git config user.name x && git config alias.st '!touch pwned'",
      "git config user.signingKey x",
      "git config --add user.name y",
      "git config include.path ../x",
      "echo 'git config user.name z' > s.sh; sh s.sh",
      "echo '[core]' > .git/config.lock; git config user.name z",
      "cat .git/config > .git/config",
    ];
    for (const line of refused) {
      await run(line);
      assertEquals([line, settings().replace("name = x", "name = Bob")], [line, before]);
    }
  });
});

Deno.test("git in a line is refused before it starts where it would write a denied name", async () => {
  await withRepository(async (workspace, run) => {
    const before = await shell(workspace, STATE);
    for (const [line, names] of REFUSED) {
      const { success, error } = await run(line);
      assertEquals([line, success, error?.code], [line, false, "PATH_DENIED"], error?.message);
      assert(error?.message.includes(names), `${line}: ${error?.message}`);
      assertEquals(await shell(workspace, STATE), before, line);
    }
    // The control: git alone does what was refused.
    await shell(workspace, "git checkout -q leaky~1 && cat keys/x.pem && git clean -qfdx");
    assert((await shell(workspace, STATE)) !== before);
    workspace.write(".env", "KEY=secret\n");
  });
});

Deno.test("git in a line makes no repository and no worktree that takes more than it is given", async () => {
  await withRepository(async (workspace, run) => {
    await shell(
      workspace,
      `git branch leak leaky~1
git worktree add -q other topic && echo KEY=other > other/.env
mkdir ../elsewhere && git init -q ../elsewhere && cd ../elsewhere && git commit -qm x --allow-empty
git worktree add -q ../workspace/strange`.replace("../workspace", workspace.root),
    );
    const before = await shell(workspace, `${STATE}\n${MORE_STATE}`);
    for (const [line, says] of BEYOND) {
      const { success, error } = await run(line);
      assertEquals([line, success, error?.code], [line, false, "PATH_DENIED"], error?.message);
      assert(error?.message.includes(says), `${line}: ${error?.message}`);
      assertEquals(await shell(workspace, `${STATE}\n${MORE_STATE}`), before, line);
    }
  });
});

Deno.test("what git in a line has made is no more open to others than what was there", async () => {
  await withRepository(async (workspace, run) => {
    await shell(workspace, "mkdir -p lure/hooks && echo 'touch pwned' > lure/hooks/post-checkout");
    await shell(workspace, "chmod +x lure/hooks/post-checkout; cp .git/HEAD head");
    const lines = [
      "git init -q sub; git clone -q . copy; git worktree add -q wt",
      ...["sub", "copy"].flatMap((name) => [
        `echo '[core]' > ${name}/.git/config.lock`,
        `cp leak.mbox ${name}/.git/config`,
        `mkdir ${name}/.git/hooks; cp lure/hooks/post-checkout ${name}/.git/hooks/`,
        `cd ${name}; git config core.pager id; git config alias.x '!id'`,
        `echo 'cp head ${name}/.git/HEAD' > s.sh; sh s.sh`,
        `echo 'git -C ${name} config core.fsmonitor id; git init lured' > s.sh; sh s.sh`,
      ]),
      "echo 'gitdir: x' > wt/.git; cp leak.mbox .git/worktrees/wt/gitdir",
      "cp leak.mbox .git/worktrees/wt/config.worktree; git -C wt config core.pager id",
      "git -C wt checkout -q topic",
    ];
    for (const line of lines) await run(line);
    const { stdout } = new Deno.Command("sh", {
      args: [
        "-c",
        "cat */.git/config wt/.git; find . -path '*/.git/*' \\( -name 'hooks' -o -name 'config.*' \\); ls -d pwned",
      ],
      cwd: workspace.root,
    }).outputSync();
    const said = new TextDecoder().decode(stdout);
    assert(said.includes("[remote"), said);
    assert(!/pager|alias|fsmonitor|From |config\.|pwned|gitdir: x/.test(said), said);
    assertEquals(said.match(/hooks/g)?.length, 1, said);
  });
});

Deno.test("git in a line copies no repository by a path where git.protocols does not name file", async () => {
  await withRepository(async (workspace, run) => {
    const { error } = await run("git clone . copy");
    assertEquals(error?.code, "NETWORK_DENIED");
    assert(
      error?.message.includes("git.protocols does not name file; it names https"),
      error?.message,
    );
    assertEquals(await shell(workspace, "ls -d copy; true"), "");
  }, POLICY.replace(/git: .*\n/, ""));
});
