/** Hooks of repositories: those that a policy lets run, held as programs are, and no other by any word of a repository. */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { git, makeRepository, said } from "../../unit/tools/git/_history.ts";
import { agreeToHook } from "./_asked_hook.ts";
import { Pipe, Workspace } from "../toolgate.ts";

const policyOf = (commands: string, hooks = "allow") =>
  `version: 1
paths:
  - { allow: [read, write], match: ["**"] }
  - { deny: [write], match: ["**/.git/**", "shut"] }
  - { deny: [read, write], match: ["**/.env"] }
commands: [${commands}]
risk: { allow: dangerous, ask: dangerous }
environment: { pass: [PATH] }
agents: { "*": { permissions: [all] } }
git: { hooks: ${hooks}, protocols: [file] }
`;

const ALL = '{ allow: [".git/hooks/*"] }';

interface World {
  readonly workspace: Workspace;
  readonly root: string;
  /** A hook of the repository, as a script of the shell. */
  readonly hook: (name: string, script: string) => void;
  readonly pipe: Pipe;
  readonly ask: (
    tool: string,
    args?: Record<string, unknown>,
    preview?: boolean,
    // deno-lint-ignore no-explicit-any
  ) => Promise<{ readonly output: any; readonly code: string | null; readonly message: string }>;
  readonly stage: (name: string, text?: string) => Promise<void>;
}

async function inWorld(policy: string, test: (world: World) => Promise<void>): Promise<void> {
  await using workspace = new Workspace({});
  const { root } = workspace;
  await makeRepository(root);
  Deno.writeTextFileSync(`${root}/a`, "one\n");
  await git(root, ["add", "a"]);
  await git(root, ["commit", "-qm", "first"]);
  const pipe = new Pipe(["--policy", workspace.policy(policy)], { cwd: root });
  await test({
    workspace,
    root,
    pipe,
    hook(name, script) {
      Deno.mkdirSync(`${root}/.git/hooks`, { recursive: true });
      Deno.writeTextFileSync(`${root}/.git/hooks/${name}`, `#!/bin/sh\n${script}\n`, {
        mode: 0o755,
      });
    },
    async ask(tool, args = {}, preview = false) {
      const { output, error } = await pipe.ask({ id: tool, tool, args, preview });
      return { output, code: error?.code ?? null, message: error?.message ?? "" };
    },
    async stage(name, text = `${name}\n`) {
      Deno.writeTextFileSync(`${root}/${name}`, text);
      await git(root, ["add", name]);
    },
  });
  await pipe.close();
  await git(root, ["fsck", "--strict"]);
}

Deno.test("hooks: those of a commit run in git's order, change the message, and stop it", async () => {
  await inWorld(policyOf(ALL), async ({ root, hook, ask, stage }) => {
    for (const name of ["pre-commit", "post-commit", "post-rewrite", "post-checkout"]) {
      hook(name, `echo "${name} $*" >> ran; cat >> ran`);
    }
    hook("prepare-commit-msg", 'echo "prepare $2" >> ran; echo prepared >> "$1"');
    hook("commit-msg", 'echo "message $#" >> ran; sed -i s/hello/Hello/ "$1"');
    await stage("b");
    const shown = await ask("git_commit", { message: "hello" }, true);
    assertEquals([shown.output?.hooks_run, shown.output?.hooks_skipped], [undefined, undefined]);
    assert(!has(`${root}/ran`));
    const made = await ask("git_commit", { message: "hello" });
    assertEquals(made.output?.hooks_run, [
      ...["pre-commit", "prepare-commit-msg", "commit-msg", "post-commit"],
    ], made.message);
    assertEquals(await said(root, ["log", "-1", "--format=%B"]), "Hello\nprepared\n");
    assertEquals(made.output.subject, "Hello");
    assertEquals(
      Deno.readTextFileSync(`${root}/ran`),
      "pre-commit \nprepare message\nmessage 1\npost-commit \n",
    );
    const before = await said(root, ["rev-parse", "HEAD"]);
    const again = await ask("git_commit", { message: "hello again", amend: true });
    assertEquals(again.output?.hooks_run.at(-1), "post-rewrite", again.message);
    assertStringIncludes(
      Deno.readTextFileSync(`${root}/ran`),
      `post-rewrite amend\n${before} ${again.output.hash}\n`,
    );
    const gone = await ask("git_checkout", { branch_or_commit: "side", create: true });
    assertEquals(gone.output?.hooks_run, ["post-checkout"], gone.message);
    const at = again.output.hash;
    assertStringIncludes(Deno.readTextFileSync(`${root}/ran`), `post-checkout ${at} ${at} 1\n`);
    // One that says no.
    await stage("c");
    hook("pre-commit", "echo 'lint: not so'; exit 3");
    const refused = await ask("git_commit", { message: "no" });
    assertEquals(refused.code, "GIT_ERROR");
    assertStringIncludes(refused.message, "the hook pre-commit ended with 3");
    assertStringIncludes(refused.message, "lint: not so");
    assertEquals(await said(root, ["rev-parse", "HEAD"]), at);
  });
});

Deno.test("hooks: a push and a merge run theirs, and a merge's commit has the message that hooks left", async () => {
  await inWorld(policyOf(ALL), async ({ root, hook, ask, stage }) => {
    await git(root, ["init", "-q", "--bare", "there.git"]);
    await git(root, ["remote", "add", "origin", "there.git"]);
    hook("pre-push", 'echo "$1 $2" > pushed; cat >> pushed');
    const tip = await said(root, ["rev-parse", "HEAD"]);
    const pushed = await ask("git_push");
    assertEquals(pushed.output?.hooks_run, ["pre-push"], pushed.message);
    assertEquals(
      Deno.readTextFileSync(`${root}/pushed`),
      `origin there.git\nrefs/heads/main ${tip} refs/heads/main ${"0".repeat(40)}\n`,
    );
    await git(root, ["checkout", "-qb", "side"]);
    await stage("b");
    await git(root, ["commit", "-qm", "b"]);
    await git(root, ["checkout", "-q", "main"]);
    await stage("c");
    await git(root, ["commit", "-qm", "c"]);
    hook("pre-push", "exit 1");
    const kept = await ask("git_push");
    assertStringIncludes(kept.message, "the hook pre-push ended with 1");
    assertEquals(await said(`${root}/there.git`, ["rev-parse", "main"]), tip);
    hook("post-merge", 'echo "merged $1" > merged');
    hook("commit-msg", 'echo more >> "$1"');
    const merged = await ask("git_merge", { branch: "side" });
    assertEquals(merged.output?.hooks_run, ["commit-msg", "post-merge"], merged.message);
    assertEquals(await said(root, ["log", "-1", "--format=%B"]), "Merge branch 'side'\nmore\n");
    assertEquals(Deno.readTextFileSync(`${root}/merged`), "merged 0\n");
  });
});

Deno.test("hooks: one before a merge's commit sees it as it will be, and stops it as git does", async () => {
  await inWorld(policyOf(`${ALL}, { allow: [git] }`), async ({ root, hook, ask, stage }) => {
    await git(root, ["checkout", "-qb", "side"]);
    await stage("b");
    await git(root, ["commit", "-qm", "b"]);
    await git(root, ["checkout", "-q", "main"]);
    await stage("c");
    await git(root, ["commit", "-qm", "c"]);
    const before = await said(root, ["rev-parse", "HEAD"]);
    hook("pre-merge-commit", "cat b > seen; git diff --cached --name-only >> seen; exit 4");
    hook("commit-msg", 'echo more >> "$1"');
    const looked = await ask("git_merge", { branch: "side" }, true);
    assertEquals(looked.output?.merged, true, looked.message);
    assert(!has(`${root}/seen`));
    const stopped = await ask("git_merge", { branch: "side" });
    assertStringIncludes(stopped.message, "the hook pre-merge-commit ended with 4, and the merge");
    assertEquals(Deno.readTextFileSync(`${root}/seen`), "b\nb\n");
    assertEquals(await said(root, ["rev-parse", "HEAD"]), before);
    assertEquals((await ask("git_status")).output.operation, "merge");
    assertEquals((await ask("git_merge", { abort: true })).code, null);
    hook("pre-merge-commit", "echo yes > seen");
    const merged = await ask("git_merge", { branch: "side" });
    assertEquals(merged.output?.hooks_run, ["pre-merge-commit", "commit-msg"], merged.message);
    assertEquals(await said(root, ["log", "-1", "--format=%B"]), "Merge branch 'side'\nmore\n");
    const tips = [before, await said(root, ["rev-parse", "side"])].join(" ");
    assertEquals(await said(root, ["log", "-1", "--format=%P"]), tips);
    assertEquals(merged.output.hash, await said(root, ["rev-parse", "HEAD"]));
  });
});

Deno.test("hooks: a rebase asks before, and says afterwards what became of each commit", async () => {
  await inWorld(policyOf(ALL), async ({ root, hook, ask, stage }) => {
    await git(root, ["branch", "theirs"]);
    await git(root, ["remote", "add", "origin", "."]);
    await stage("b");
    await git(root, ["commit", "-qm", "b"]);
    const own = await said(root, ["rev-parse", "HEAD"]);
    await git(root, ["checkout", "-q", "theirs"]);
    await stage("c");
    await git(root, ["commit", "-qm", "c"]);
    const onto = await said(root, ["rev-parse", "HEAD"]);
    await git(root, ["checkout", "-q", "main"]);
    const pull = { branch: "theirs", strategy: "rebase" };
    for (const name of ["post-checkout", "post-rewrite", "post-commit"]) {
      hook(name, `echo "${name} $*" >> ran; cat >> ran`);
    }
    hook("pre-rebase", 'echo "pre-rebase $*" > ran; exit 2');
    const stopped = await ask("git_pull", pull);
    assertStringIncludes(stopped.message, "pre-rebase ended with 2, and nothing was rebased");
    assertEquals(await said(root, ["rev-parse", "HEAD"]), own);
    hook("pre-rebase", 'echo "pre-rebase $*" > ran');
    const { output, message } = await ask("git_pull", pull);
    const ran = ["pre-rebase", "post-checkout", "post-rewrite"];
    assertEquals([output?.hooks_run, output?.hooks_skipped], [ran, ["post-commit"]], message);
    assertEquals(
      Deno.readTextFileSync(`${root}/ran`),
      `pre-rebase ${onto}\npost-checkout ${own} ${output.to} 1\n` +
        `post-rewrite rebase\n${own} ${output.to}\n`,
    );
  });
});

Deno.test("hooks: those of a repository run in its worktrees, by the same rule", async () => {
  await inWorld(policyOf(ALL), async ({ root, hook, ask }) => {
    hook("post-checkout", 'echo "$*" > made');
    hook("pre-commit", "pwd > where; exit 0");
    const added = await ask("git_worktree", { action: "add", branch: "side" });
    assertEquals(added.output?.hooks_run, ["post-checkout"], added.message);
    const at = `${root}/.toolgate/worktrees/side`;
    const tip = await said(root, ["rev-parse", "HEAD"]);
    assertEquals(Deno.readTextFileSync(`${at}/made`), `${"0".repeat(40)} ${tip} 1\n`);
    const repository = ".toolgate/worktrees/side";
    const made = await ask("git_commit", { repository, message: "x", allow_empty: true });
    assertEquals(made.output?.hooks_run, ["pre-commit"], made.message);
    assertEquals(Deno.readTextFileSync(`${at}/where`), `${Deno.realPathSync(at)}\n`);
    // A worktree that leads to a repository elsewhere has that one's hooks, which no rule names.
    const inner = `${root}/inner`;
    await makeRepository(inner);
    await git(inner, ["commit", "-q", "--allow-empty", "-m", "x"]);
    await git(inner, ["worktree", "add", "-q", "-b", "other", `${root}/other`]);
    Deno.mkdirSync(`${inner}/.git/hooks`, { recursive: true });
    Deno.writeTextFileSync(`${inner}/.git/hooks/pre-commit`, "#!/bin/sh\necho x > sprung\n", {
      mode: 0o755,
    });
    const apart = await ask("git_commit", { repository: "other", message: "x", allow_empty: true });
    assertEquals(apart.output?.hooks_skipped, ["pre-commit"], apart.message);
    assert(!has(`${root}/other/sprung`));
  });
});

Deno.test("hooks: what the policy does not let run does not, and what runs is held by the policy", async () => {
  // Where hooks are denied, where no rule allows them, and where one rule allows one of them.
  const rows = [
    [policyOf(ALL, "deny"), undefined, ["pre-commit", "commit-msg"]],
    [policyOf("{ allow: [git] }"), undefined, ["pre-commit", "commit-msg"]],
    [
      policyOf(`{ deny: [".git/hooks/pre-commit"] }, ${ALL}`),
      ["commit-msg"],
      ["pre-commit"],
    ],
  ] as const;
  for (const [policy, run, skipped] of rows) {
    await inWorld(policy, async ({ root, hook, ask, stage }) => {
      hook("pre-commit", "echo never > never");
      hook("commit-msg", "true");
      await stage("b");
      const { output, message } = await ask("git_commit", { message: "x" });
      assertEquals([output?.hooks_run, output?.hooks_skipped], [run, skipped], message);
      assert(!has(`${root}/never`));
    });
  }
  await inWorld(policyOf(ALL), async ({ workspace, root, hook, ask, stage }) => {
    const marks = workspace.outside;
    Deno.writeTextFileSync(`${root}/.env`, "SECRET=sentinel\n");
    Deno.writeTextFileSync(`${root}/shut`, "as it was\n");
    await git(root, ["config", "alias.x", "status"]);
    const before = Deno.readTextFileSync(`${root}/.git/config`);
    hook(
      "pre-commit",
      [
        `echo x > ${marks}/mark`,
        "echo x > shut",
        "cat .env > copy",
        "echo '[core] fsmonitor = true' >> .git/config",
        "echo x > .git/hooks/post-checkout",
        "git config core.pager evil",
        "echo done > done",
        "exit 0",
      ].join("\n"),
    );
    // In place of the message what it cannot read itself, and a pipe that nobody writes to.
    const links = [`ln -sf "$PWD/.env" "$1"`, `rm "$1"; mkfifo "$1"`, 'rm "$1"'];
    for (const script of links) {
      hook("commit-msg", script);
      await stage("b", `${script}\n`);
      const { code, message } = await ask("git_commit", { message: "x" });
      assertEquals([code, message.includes("left no text")], ["GIT_ERROR", true], message);
    }
    assertEquals(Deno.readTextFileSync(`${root}/done`), "done\n");
    assert(!has(`${marks}/mark`));
    assertEquals(Deno.readTextFileSync(`${root}/shut`), "as it was\n");
    assertEquals(Deno.readTextFileSync(`${root}/copy`), "");
    assertEquals(Deno.readTextFileSync(`${root}/.git/config`), before);
    assert(!has(`${root}/.git/hooks/post-checkout`));
    // By hand it does all of it.
    assertEquals(
      (await new Deno.Command(`${root}/.git/hooks/pre-commit`, { cwd: root }).output()).code,
      0,
    );
    assert(has(`${marks}/mark`));
    assertEquals(Deno.readTextFileSync(`${root}/copy`), "SECRET=sentinel\n");
  });
});

Deno.test("hooks: nothing that a repository says widens which of them run, or where they lie", async () => {
  await inWorld(policyOf(`${ALL}, { allow: [git] }`), async ({ root, hook, ask, stage, pipe }) => {
    Deno.mkdirSync(`${root}/elsewhere`);
    for (const name of ["pre-commit", "post-commit", "post-checkout"]) {
      Deno.writeTextFileSync(`${root}/elsewhere/${name}`, `#!/bin/sh\necho x > sprung\n`, {
        mode: 0o755,
      });
    }
    hook("pre-commit", "echo y > usual");
    await git(root, ["config", "core.hooksPath", "elsewhere"]);
    await stage("b");
    const { output, message } = await ask("git_commit", { message: "x" });
    assertEquals([output?.hooks_run, output?.hooks_skipped], [
      undefined,
      ["pre-commit", "post-commit"],
    ], message);
    // A rule names those of the workspace's own repository, not of one within.
    const inner = `${root}/inner`;
    await makeRepository(inner);
    Deno.mkdirSync(`${inner}/.git/hooks`, { recursive: true });
    Deno.copyFileSync(`${root}/elsewhere/pre-commit`, `${inner}/.git/hooks/pre-commit`);
    const within = { repository: "inner", message: "x", allow_empty: true };
    const apart = await ask("git_commit", within);
    assertEquals(apart.output?.hooks_skipped, ["pre-commit"], apart.message);
    assert(!has(`${inner}/sprung`));
    // Nor do those that git itself would start: the tools' git and that of a line have none.
    await git(root, ["config", "--unset", "core.hooksPath"]);
    await stage("c");
    for (const name of ["post-index-change", "reference-transaction", "fsmonitor-watchman"]) {
      hook(name, "echo z > sprung");
    }
    await Deno.remove(`${root}/.git/hooks/pre-commit`);
    assertEquals((await ask("git_commit", { message: "y" })).output?.hooks_run, undefined);
    const line = {
      id: 1,
      tool: "run_command",
      args: { command: "git commit --allow-empty -qm z" },
    };
    hook("pre-commit", "echo x > came");
    const ran = await pipe.ask(line);
    assertEquals(ran.success, true, JSON.stringify(ran));
    assert(has(`${root}/came`));
    assert(!has(`${root}/sprung`) && !has(`${root}/usual`));
  });
});

Deno.test("hooks: one that is asked for is asked for with the call", async () => {
  await inWorld(policyOf('{ ask: [".git/hooks/*"] }'), async ({ root, hook, pipe, stage }) => {
    hook("pre-commit", "echo x > ran");
    await stage("b");
    await agreeToHook(
      pipe,
      { tool: "git_commit", args: { message: "x" } },
      () => has(`${root}/ran`),
    );
  });
});

function has(path: string): boolean {
  try {
    Deno.lstatSync(path);
    return true;
  } catch {
    return false;
  }
}
