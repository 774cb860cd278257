/** Hooks that a git of a line comes to: run where git would run them, as programs of their own, as far as the policy lets them. */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { inTime } from "../../in_time.ts";
import { git, makeRepository, said } from "../../unit/tools/git/_history.ts";
import { agreeToHook } from "./_asked_hook.ts";
import { Pipe, Workspace } from "../toolgate.ts";

const policyOf = (commands: string, hooks = "allow", denies = true) =>
  `version: 1
paths:
  - { allow: [read, write], match: ["**"] }
${
    denies
      ? '  - { deny: [write], match: ["**/.git/**", "shut"] }\n  - { deny: [read, write], match: ["**/.env"] }'
      : ""
  }
commands: [{ allow: [git, sh, cd, cat, sleep] }, ${commands}]
risk: { allow: dangerous, ask: dangerous }
environment: { pass: [PATH] }
agents: { "*": { permissions: [all] } }
git: { hooks: ${hooks}, protocols: [file] }
`;

const ALL = '{ allow: [".git/hooks/*"] }';

interface World {
  readonly root: string;
  readonly outside: string;
  readonly pipe: Pipe;
  /** A hook of the repository in a folder of the workspace, as a script of the shell. */
  readonly hook: (name: string, script: string, at?: string) => void;
  // deno-lint-ignore no-explicit-any
  readonly line: (command: string | readonly string[]) => Promise<any>;
}

async function inWorld(policy: string, test: (world: World) => Promise<void>): Promise<void> {
  await using workspace = new Workspace({});
  const { root, outside } = workspace;
  await makeRepository(root);
  Deno.writeTextFileSync(`${root}/a`, "one\n");
  await git(root, ["add", "a"]);
  await git(root, ["commit", "-qm", "first"]);
  const pipe = new Pipe(["--policy", workspace.policy(policy)], { cwd: root });
  await test({
    root,
    outside,
    pipe,
    hook: (name, script, at = root) => writeHook(at, name, script),
    async line(command) {
      const args = typeof command === "string" ? { command } : { argv: command };
      const { output, error } = await pipe.ask({ id: 1, tool: "run_command", args });
      return { ...output, message: error?.message ?? "" };
    },
  });
  await pipe.close();
  await git(root, ["fsck", "--strict"]);
}

function writeHook(at: string, name: string, script: string): void {
  Deno.mkdirSync(`${at}/.git/hooks`, { recursive: true });
  Deno.writeTextFileSync(`${at}/.git/hooks/${name}`, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
}

function has(path: string): boolean {
  try {
    Deno.lstatSync(path);
    return true;
  } catch {
    return false;
  }
}

/** What each hook that git has says of how it was called: beside `ran`, which no commit takes up. */
const TELLING = [
  'echo "$(basename "$0") $(echo "$*" | sed "s#[^ ]*/\\(COMMIT_EDITMSG\\|MERGE_MSG\\|message\\)#MSG#g;s/[0-9a-f]\\{40\\}/H/g")" >> ran',
  'echo "in $(basename "$PWD") $(basename "${GIT_INDEX_FILE:-none}" | tr -d 0-9) ${GIT_PREFIX:-none}" >> ran',
  'sed "s/[0-9a-f]\\{40\\}/H/g" >> ran',
  "exit 0",
].join("\n");
const HOOKS = [
  ...["pre-commit", "prepare-commit-msg", "commit-msg", "post-commit", "post-checkout"],
  ...["pre-merge-commit", "post-merge", "post-rewrite", "pre-rebase"],
];

Deno.test("hooks in lines: git comes to the same ones as without Toolgate, with the same words", async () => {
  const lines = [
    "git commit -q --allow-empty -m x",
    "git commit -qam y",
    "git commit -q -m z a",
    "git commit --amend --no-edit -q --allow-empty",
    "git commit -nq --allow-empty -m w",
    "git checkout -qb side",
    "git commit -q --allow-empty -m side",
    "git switch -q main",
    "git merge -q --no-ff --no-edit side",
    "git checkout -q -- a",
    "git switch -qc late HEAD~1",
    "git commit -q --allow-empty -m late",
    "git rebase -q main",
    "git cherry-pick --allow-empty side",
    "git status --short",
  ];
  for (const denies of [true, false]) {
    await inWorld(policyOf(ALL, "allow", denies), async ({ root, hook, line }) => {
      for (const name of HOOKS) hook(name, TELLING);
      Deno.writeTextFileSync(`${root}/.git/info/exclude`, "ran\n");
      const plain = `${root}/../plain/${root.split("/").pop()}`;
      Deno.mkdirSync(`${root}/../plain`);
      await new Deno.Command("cp", { args: ["-a", root, plain] }).output();
      for (const [at, one] of lines.entries()) {
        for (const place of [root, plain]) Deno.writeTextFileSync(`${place}/a`, `${at}\n`);
        const { exit_code, message, stderr } = await line(one);
        const control = await new Deno.Command("sh", {
          args: ["-c", `cd '${plain}'; ${one} </dev/null`],
          clearEnv: true,
          env: { PATH: "/usr/bin:/bin", HOME: "/nonexistent", GIT_EDITOR: ":" },
        }).output();
        assertEquals(exit_code, control.code, `${one}: ${message} ${stderr}`);
        const [ran, came] = [root, plain].map((place) => {
          const text = has(`${place}/ran`) ? Deno.readTextFileSync(`${place}/ran`) : "";
          Deno.writeTextFileSync(`${place}/ran`, "");
          return text;
        });
        assertEquals(ran, came, one);
      }
    });
  }
});

Deno.test("hooks in lines: a message is what hooks make of it, and one that says no stops git", async () => {
  await inWorld(policyOf(ALL), async ({ root, hook, line }) => {
    hook("prepare-commit-msg", 'echo prepared >> "$1"');
    hook("commit-msg", 'sed -i s/hello/Hello/ "$1"; echo "seen: $(head -1 "$1")"');
    for (
      const command of [
        "git commit -q --allow-empty -m hello",
        "cd .git/..; git commit -q --allow-empty -m hello",
      ]
    ) {
      const { hooks_run, stderr, message } = await line(command);
      assertEquals(hooks_run, ["prepare-commit-msg", "commit-msg"], message);
      assertStringIncludes(stderr, "seen: Hello");
      assertEquals(await said(root, ["log", "-1", "--format=%B"]), "Hello\nprepared\n");
    }
    // Words as they are, and from below.
    Deno.mkdirSync(`${root}/below`);
    for (
      const words of [["git", "commit", "-q", "--allow-empty", "-m", "hello"], [
        "git",
        "-C",
        "below",
        "commit",
        "-q",
        "--allow-empty",
        "-m",
        "hello",
      ]]
    ) {
      assertEquals((await line(words)).hooks_run, ["prepare-commit-msg", "commit-msg"]);
      assertEquals(await said(root, ["log", "-1", "--format=%B"]), "Hello\nprepared\n");
    }
    const before = await said(root, ["rev-parse", "HEAD"]);
    hook("pre-commit", "echo 'lint: not so'; exit 3");
    const refused = await line("git commit -q --allow-empty -m no");
    assertEquals([refused.exit_code, refused.hooks_run], [1, ["pre-commit"]]);
    assertStringIncludes(refused.stderr, "lint: not so");
    assertEquals(await said(root, ["rev-parse", "HEAD"]), before);
    hook("pre-commit", "exit 0");
    // In place of the message what it cannot read itself, a pipe that nobody writes to, and nothing.
    Deno.writeTextFileSync(`${root}/.env`, "SECRET=sentinel\n");
    for (const script of ['ln -sf "$PWD/.env" "$1"', 'rm "$1"; mkfifo "$1"', 'rm "$1"']) {
      hook("commit-msg", script);
      assertEquals((await line("git commit -q --allow-empty -m no")).exit_code, 1, script);
      assertEquals(await said(root, ["rev-parse", "HEAD"]), before);
    }
  });
});

Deno.test("hooks in lines: what the policy does not let run does not, and the answer names it", async () => {
  const rows = [
    [policyOf(ALL, "deny"), undefined, ["pre-commit", "commit-msg"]],
    [policyOf("{ allow: [git] }"), undefined, ["pre-commit", "commit-msg"]],
    [policyOf("{ allow: [git] }", "allow", false), undefined, ["pre-commit", "commit-msg"]],
    [policyOf(`{ deny: [".git/hooks/pre-commit"] }, ${ALL}`), ["commit-msg"], ["pre-commit"]],
  ] as const;
  for (const [policy, run, skipped] of rows) {
    await inWorld(policy, async ({ root, hook, line }) => {
      assertEquals((await line("git commit -q --allow-empty -m x")).hooks_skipped, undefined);
      hook("pre-commit", `touch ${root}/ran; exit 1`);
      hook("commit-msg", "true");
      hook("pre-push.sample", "");
      for (
        const command of [
          "git commit -q --allow-empty -m x",
          "git commit -q --allow-empty -m x; git commit -q --allow-empty -m y",
        ]
      ) {
        const { exit_code, hooks_run, hooks_skipped, message } = await line(command);
        assertEquals([exit_code, hooks_run, hooks_skipped], [0, run, skipped], message);
      }
      const unverified = await line("git commit --no-verify -q --allow-empty -m x");
      assertEquals([unverified.hooks_run, unverified.hooks_skipped], [undefined, undefined]);
      assertEquals((await line("git log -1 --format=%s")).hooks_skipped, undefined);
      assert(!has(`${root}/ran`));
      // Where the repository's settings say that they lie elsewhere none runs, whatever rules allow.
      Deno.mkdirSync(`${root}/.husky`);
      Deno.writeTextFileSync(`${root}/.husky/pre-commit`, `touch ${root}/ran\n`, { mode: 0o755 });
      await git(root, ["config", "core.hooksPath", ".husky"]);
      assertEquals((await line("git commit -q --allow-empty -m x")).hooks_skipped, ["pre-commit"]);
      assert(!has(`${root}/ran`));
      // The control: whoever commits without Toolgate runs it.
      await git(root, ["commit", "-q", "--allow-empty", "-m", "x"]);
      assert(has(`${root}/ran`));
    });
  }
});

Deno.test("hooks in lines: one runs as a program of its own, with nothing of what its git may", async () => {
  await inWorld(policyOf(ALL), async ({ root, outside, hook, line }) => {
    Deno.writeTextFileSync(`${root}/.env`, "SECRET=sentinel\n");
    Deno.writeTextFileSync(`${root}/shut`, "as it was\n");
    const before = Deno.readTextFileSync(`${root}/.git/config`);
    const tip = await said(root, ["rev-parse", "HEAD"]);
    await git(root, ["branch", "kept"]);
    const script = [
      `echo x > ${outside}/mark`,
      "echo x > shut",
      "cat .env > copy",
      "echo '[core] fsmonitor = true' >> .git/config",
      "echo x > .git/hooks/post-checkout",
      "git config core.pager evil",
      // Git may record here: whoever git starts may not, nor a git that it starts in its turn.
      "git update-ref -d refs/heads/kept",
      "exec git branch -D kept",
    ].join("\n");
    hook("post-commit", script);
    const { hooks_run, message } = await line("git commit -q --allow-empty -m x");
    assertEquals(hooks_run, ["post-commit"], message);
    assert(!has(`${outside}/mark`));
    assertEquals(Deno.readTextFileSync(`${root}/shut`), "as it was\n");
    assertEquals(Deno.readTextFileSync(`${root}/copy`), "");
    assertEquals(Deno.readTextFileSync(`${root}/.git/config`), before);
    assert(!has(`${root}/.git/hooks/post-checkout`));
    assertEquals(await said(root, ["rev-parse", "kept"]), tip);
    // By hand it does all of it.
    await new Deno.Command(`${root}/.git/hooks/post-commit`, { cwd: root }).output();
    assert(has(`${outside}/mark`));
    assertEquals(Deno.readTextFileSync(`${root}/copy`), "SECRET=sentinel\n");
    const gone = await git(root, ["rev-parse", "--verify", "--quiet", "kept"]).then(
      () => false,
      () => true,
    );
    assert(gone);
  });
});

Deno.test("hooks in lines: what stands in for one nobody but git starts, and nobody changes", async () => {
  await inWorld(policyOf(ALL), async ({ root, hook, line }) => {
    Deno.writeTextFileSync(`${root}/.env`, "SECRET=sentinel\n");
    Deno.writeTextFileSync(`${root}/shut`, "as it was\n");
    hook("commit-msg", 'echo called >> called; cat "$1" >> read; echo x >> "$1"; exit 0');
    // What git runs for a rebase is held as git is, and finds what git starts.
    Deno.writeTextFileSync(
      `${root}/evil.sh`,
      [
        'found="${TMPDIR%/*}/hooks"',
        'stand="$found/commit-msg"',
        'for word in .env "$PWD/.env" shut .git/config .git/../.env .git/hooks/commit-msg; do "$stand" "$word"; done',
        'ln -s ../.env .git/COMMIT_EDITMSG; "$stand" .git/COMMIT_EDITMSG',
        'cp /bin/true "$stand"; echo x > "$found/pre-push"',
        "exit 0",
      ].join("\n"),
    );
    const before = Deno.readTextFileSync(`${root}/.git/config`);
    const { stderr, message } = await line(
      "git commit -q --allow-empty -m x; git rebase -q -x 'sh evil.sh' HEAD~1",
    );
    // By git alone, once: there it is, and nobody else may.
    assertStringIncludes(stderr, "hooks/commit-msg: Permission denied", message);
    assertEquals(Deno.readTextFileSync(`${root}/called`), "called\n");
    assert(!Deno.readTextFileSync(`${root}/read`).includes("sentinel"));
    assertEquals(Deno.readTextFileSync(`${root}/.env`), "SECRET=sentinel\n");
    assertEquals(Deno.readTextFileSync(`${root}/shut`), "as it was\n");
    assertEquals(Deno.readTextFileSync(`${root}/.git/config`), before);
    assertStringIncludes(Deno.readTextFileSync(`${root}/.git/hooks/commit-msg`), "#!/bin/sh");
  });
});

Deno.test("hooks in lines: those of worktrees are their repository's, and a repository within has none that a rule names", async () => {
  await inWorld(policyOf(ALL), async ({ root, hook, line }) => {
    hook("pre-commit", "pwd >> where; exit 0");
    await git(root, ["worktree", "add", "-q", "-b", "side", `${root}/tree`]);
    const made = await line("cd tree && git commit -q --allow-empty -m x");
    assertEquals(made.hooks_run, ["pre-commit"], made.message);
    assertEquals(
      Deno.readTextFileSync(`${root}/tree/where`),
      `${Deno.realPathSync(`${root}/tree`)}\n`,
    );
    const inner = `${root}/inner`;
    await makeRepository(inner);
    hook("pre-commit", "echo x > sprung", inner);
    const apart = await line("cd inner && git commit -q --allow-empty -m x");
    assertEquals(
      [apart.hooks_run, apart.hooks_skipped],
      [undefined, ["pre-commit"]],
      apart.message,
    );
    assert(!has(`${inner}/sprung`));
  });
});

Deno.test("hooks in lines: one that is asked for is asked for with the call, and one that hangs ends with it", async () => {
  await inWorld(policyOf('{ ask: [".git/hooks/*"] }'), async ({ root, hook, pipe }) => {
    hook("pre-commit", "echo x > ran");
    const args = { command: "git commit -q --allow-empty -m x" };
    await agreeToHook(pipe, { tool: "run_command", args }, () => has(`${root}/ran`));
  });
  await inWorld(policyOf(ALL), async ({ hook, pipe, root }) => {
    hook("pre-commit", "echo $$ > number; exec sleep 600");
    // As long as this machine needs to come to the hook.
    const number = await inTime(1_500, async (timeout_ms) => {
      const args = { command: "git commit -q --allow-empty -m x", timeout_ms };
      const { error } = await pipe.ask({ id: 1, tool: "run_command", args });
      assertEquals(error?.code, "TIMEOUT");
      return has(`${root}/number`) ? Deno.readTextFileSync(`${root}/number`).trim() : null;
    });
    assert(
      !has(`/proc/${number}`) || !Deno.readTextFileSync(`/proc/${number}/cmdline`).includes("600"),
    );
    const { success } = await pipe.ask({ id: 2, tool: "git_status", args: {} });
    assert(success);
  });
});
