/** Git by the binary, where the kernel holds it too: hostile repositories, and what is agreed to. */

import { assert, assertEquals, assertMatch } from "@std/assert";
import { HOSTILE_REPOSITORIES } from "../../attacks/hostile_repositories.ts";
import { git, makeRepository, said } from "../../unit/tools/git/_history.ts";
import {
  copyFolder,
  isOddOne,
  isSprung,
  layOut,
  makeTemplate,
  together,
} from "../../unit/tools/git/_hostile.ts";
import { call, Pipe, serveAll } from "../toolgate.ts";

const POLICY = `
version: 1
name: git
risk: { allow: dangerous, ask: dangerous }
paths:
  - { allow: [read, write], match: ["**"] }
  - { deny: [write], match: ["**/.git/**"] }
  - { deny: [read, write], match: ["**/.env"] }
commands: [{ allow: [git] }]
environment: { pass: [PATH] }
# No rule of commands lets one of them run.
git: { hooks: allow }
agents: { "*": { permissions: [all] } }
limits: { processes: 64 }
`;

async function inFolder(
  test: (root: string, flags: readonly string[]) => Promise<void>,
  policy = POLICY,
) {
  const outer = Deno.realPathSync(Deno.makeTempDirSync());
  try {
    Deno.writeTextFileSync(`${outer}/policy.yaml`, policy);
    const root = `${outer}/workspace`;
    Deno.mkdirSync(root);
    await test(root, ["--policy", `${outer}/policy.yaml`, "--root", root]);
  } finally {
    Deno.removeSync(outer, { recursive: true });
  }
}

Deno.test("git: no hostile repository runs anything, by the tools and by run_command", async () => {
  await inFolder(async (root, flags) => {
    const template = `${root}/../template`;
    await makeTemplate(template);
    const repositories = together(HOSTILE_REPOSITORIES, root, isOddOne);
    for (const [index, repository] of repositories.entries()) {
      await layOut(template, `${root}/r${index}`, repository, "");
    }
    const calls = repositories.flatMap((_, index) => {
      const repository = `r${index}`;
      const lines = [
        ...["git status", "git diff", "git log -p -2", "git add a", "git stash"],
        ...["git checkout -f side", "git merge main"],
      ];
      return [
        { tool: "git_status", args: { repository } },
        { tool: "git_diff", args: { repository } },
        { tool: "git_add", args: { repository, files: [`${repository}/a`] } },
        { tool: "git_commit", args: { repository, message: "x" } },
        { tool: "git_stash", args: { repository, action: "push", include_untracked: true } },
        { tool: "git_checkout", args: { repository, branch_or_commit: "side" } },
        { tool: "git_merge", args: { repository, branch: "main" } },
        ...lines.map((command) => ({ tool: "run_command", args: { command, cwd: repository } })),
      ];
    });
    const { answers } = await serveAll(calls.map((call, id) => ({ id, ...call })), flags);
    assertEquals(answers.length, calls.length);
    const traps = repositories.flatMap(({ traps }) => traps);
    assertEquals(traps.length, HOSTILE_REPOSITORIES.length);
    const sprung = traps.filter(({ marker }) => isSprung(marker));
    assertEquals(sprung.map(({ name }) => name), []);
    const status = answers.filter(({ tool, success }) => tool === "git_status" && success);
    assertEquals(status.length, repositories.length - 1);
  });
});

Deno.test("git: branches, stashes and merges go through beside a denied file, held by the kernel", async () => {
  await inFolder(async (root, flags) => {
    await makeRepository(root);
    const write = (name: string, text: string) => Deno.writeTextFileSync(`${root}/${name}`, text);
    Deno.mkdirSync(`${root}/src`);
    write(".env", "old\n");
    await git(root, ["add", ".env"]);
    await git(root, ["commit", "-qm", "secrets"]);
    write(".env", "HUSH\n");
    for (const name of ["a", "src/b"]) write(name, "one\n".repeat(9));
    const calls: readonly (readonly [string, Record<string, unknown>, (() => void)?])[] = [
      ["git_add", { all: true }],
      ["git_commit", { message: "one" }],
      ["git_checkout", { branch_or_commit: "topic", create: true }, () => write("a", "two\n")],
      ["git_stash", { action: "push" }],
      ["git_stash", { action: "pop" }],
      ["git_add", { files: ["a"] }],
      ["git_commit", { message: "two" }],
      ["git_checkout", { branch_or_commit: "main" }, () => write("src/b", "three\n")],
      ["git_add", { all: true }],
      ["git_commit", { message: "three" }],
      ["git_merge", { branch: "topic" }],
      ["git_checkout", { branch_or_commit: "HEAD~1", paths: ["a"] }],
      ["git_stash", { action: "push" }],
    ];
    const pipe = new Pipe(flags);
    for (const [id, [tool, args, then]] of calls.entries()) {
      if (tool === "git_merge") {
        const objects = await said(root, ["count-objects", "-v"]);
        const shown = await pipe.ask({ id: `p${id}`, tool, args, preview: true });
        assertEquals([shown.error, shown.output?.merged], [null, true]);
        assertEquals(await said(root, ["count-objects", "-v"]), objects);
        // Git by itself puts aside what is changed before it merges.
        const line = { argv: ["git", "merge", "-m", "x", "topic"] };
        const { error } = await pipe.ask({ id: `l${id}`, tool: "run_command", args: line });
        assertMatch(error?.message ?? "", /stash failed \(reading \.env is denied by .*paths\[2\]/);
      }
      const { success, error } = await pipe.ask({ id, tool, args });
      assert(success, `${tool} ${JSON.stringify(args)}: ${JSON.stringify(error)}`);
      then?.();
    }
    await pipe.close();
    assertEquals(await said(root, ["ls-files"]), ".env\na\nsrc/b");
    assertEquals(Deno.readTextFileSync(`${root}/a`), "two\n");
    assertEquals(
      await said(root, ["log", "--format=%s", "--first-parent"]),
      "Merge branch 'topic'\nthree\none\nsecrets",
    );
    assertEquals(Deno.readTextFileSync(`${root}/.env`), "HUSH\n");
    await git(root, ["fsck", "--strict"]);
  });
});

Deno.test("git: what reads writes nothing, where the index knows nothing of the files' times too", async () => {
  await inFolder(async (root, flags) => {
    await makeTemplate(`${root}/../template`);
    copyFolder(`${root}/../template`, `${root}/r`);
    const index = () => new TextDecoder("latin1").decode(Deno.readFileSync(`${root}/r/.git/index`));
    const before = index();
    const pipe = new Pipe(flags);
    const calls = [
      ["git_diff", {}],
      ["git_diff", { from: "HEAD" }],
      ["git_status", {}],
      ["git_checkout", { branch_or_commit: "side", paths: ["r/a"] }],
    ] as const;
    for (const preview of [true, false]) {
      for (const [tool, args] of preview ? calls : calls.slice(0, 3)) {
        const answer = await pipe.ask({
          id: tool,
          tool,
          args: { repository: "r", ...args },
          preview,
        });
        assertEquals([answer.error, index() === before], [null, true], tool);
      }
    }
    await pipe.close();
    // By itself git does.
    await git(`${root}/r`, ["diff"]);
    assert(index() !== before);
  });
});

const ASKING = POLICY.replace("allow: dangerous", "allow: safe");

Deno.test("git: who agrees to a change agrees to the index and the branches as they are, and to no other file", async () => {
  await inFolder(async (root) => {
    Deno.writeTextFileSync(`${root}/../asking.yaml`, ASKING);
    const pipe = new Pipe(["--policy", `${root}/../asking.yaml`, "--root", root]);
    await makeRepository(`${root}/r`);
    await makeRepository(`${root}/r/inner`);
    const stage = async (name: string, at = "r") => {
      Deno.writeTextFileSync(`${root}/${at}/${name}`, `${name}\n`);
      await git(`${root}/${at}`, ["add", name]);
    };
    /** How often it was asked for, where that happens while it waits for the first answer. */
    const asked = async (meanwhile: () => Promise<void> | void, repository = "r") => {
      await pipe.send({ id: 1, tool: "git_commit", args: { repository, message: "x" } });
      for (let times = 0;;) {
        // deno-lint-ignore no-explicit-any
        const answer = await pipe.next() as any;
        if (answer?.event === "approval_required") {
          if (times++ === 0) await meanwhile();
          await pipe.send({ id: "a", op: "approve", approval: answer.approval });
        } else if (answer?.id === 1 && answer.event === undefined) {
          assert(answer.success, JSON.stringify(answer.error));
          return times;
        }
      }
    };
    await stage("one");
    assertEquals(await asked(() => Deno.writeTextFileSync(`${root}/r/beside`, "x\n")), 1);
    await stage("two");
    assertEquals(await asked(() => stage("three")), 2);
    await stage("four");
    assertEquals(await asked(() => git(`${root}/r`, ["branch", "-q", "made"]).then(() => {})), 2);
    // One that was named by a folder in it.
    Deno.mkdirSync(`${root}/r/below/deeper`, { recursive: true });
    await stage("five");
    assertEquals(await asked(() => stage("six"), "r/below/deeper"), 2);
    await stage("seven", "r/inner");
    assertEquals(await asked(() => stage("eight", "r/inner"), "r/inner"), 2);
    await pipe.close();
  });
});

Deno.test("git: where it is not installed the tools say what to install", async () => {
  await inFolder(async (root, flags) => {
    await makeRepository(`${root}/r`);
    const args = ["git_status", "--json", '{"repository":"r"}', ...flags];
    const { answer } = await call(args, { env: { PATH: "/nonexistent" } });
    assertEquals(answer.error?.code, "COMMAND_NOT_FOUND");
    assert(answer.error?.message.includes("apt-get install git"), answer.error?.message);
  });
});

Deno.test("git: the first worktree is made beside a denied file, in a folder that is not there yet", async () => {
  await inFolder(async (root, flags) => {
    await makeRepository(root);
    Deno.writeTextFileSync(`${root}/a`, "one\n");
    await git(root, ["add", "a"]);
    await git(root, ["commit", "-qm", "one"]);
    Deno.writeTextFileSync(`${root}/.env`, "SECRET=1\n");
    const add = { id: 1, tool: "git_worktree", args: { action: "add", branch: "apart" } };
    const { answers: [answer] } = await serveAll([add], flags);
    assert(answer?.success === true, answer?.error?.message);
    assertEquals(Deno.readTextFileSync(`${root}/.toolgate/worktrees/apart/a`), "one\n");
  });
});
