/** An agent with a worktree of its own: what it works in, what of the repository it reaches, and who may take it away. */

import { assert, assertEquals } from "@std/assert";
import { git, makeRepository, said } from "../../unit/tools/git/_history.ts";
import { type Answer, call, Pipe, start } from "../toolgate.ts";

const POLICY = `
version: 1
name: apart
risk: { allow: dangerous, ask: dangerous }
paths:
  - { allow: [read, write], match: ["**"] }
  - { deny: [write], match: [".git/**", ".toolgate/**"] }
  - { deny: [read, write], match: ["**/.env"] }
commands: [{ allow: [git, sh, cat, echo, touch] }]
environment: { pass: [PATH] }
git: { identity: { name: Agent, email: agent@example.org } }
audit: { file: .toolgate/audit.ndjson }
agents:
  root: { permissions: [all] }
  "child-*": { permissions: [all], worktree: true }
`;

const PLACE = ".toolgate/worktrees/child-1";

/** A repository with a policy outside of it; `flags` for an agent. */
async function inRepository(
  test: (root: string, flags: (agent?: string) => readonly string[]) => Promise<void>,
): Promise<void> {
  const outer = Deno.realPathSync(Deno.makeTempDirSync());
  try {
    Deno.writeTextFileSync(`${outer}/policy.yaml`, POLICY);
    const root = `${outer}/workspace`;
    await makeRepository(root);
    await git(root, ["config", "--unset", "user.name"]);
    await git(root, ["config", "--unset", "user.email"]);
    for (const name of ["a", "b"]) Deno.writeTextFileSync(`${root}/${name}`, "one\n");
    Deno.writeTextFileSync(`${root}/.gitignore`, ".toolgate/*\n!.toolgate/worktrees\n");
    await git(root, ["add", "--all"]);
    await git(root, ["-c", "user.name=A", "-c", "user.email=a@b.c", "commit", "-qm", "one"]);
    const common = ["--policy", `${outer}/policy.yaml`, "--root", root];
    await test(root, (agent) => agent === undefined ? common : [...common, "--agent", agent]);
  } finally {
    Deno.removeSync(outer, { recursive: true });
  }
}

async function asked(
  pipe: Pipe,
  calls: readonly (readonly [tool: string, args: Record<string, unknown>])[],
): Promise<readonly Answer[]> {
  const answers: Answer[] = [];
  for (const [tool, args] of calls) {
    answers.push(await pipe.ask({ id: answers.length, tool, args }));
  }
  return answers;
}

function succeeded(answers: readonly Answer[]): readonly Answer[] {
  for (const { tool, error } of answers) assertEquals(error, null, `${tool}`);
  return answers;
}

Deno.test("an agent's worktree: programs and tools commit there, and the repository's own files stay", async () => {
  await inRepository(async (root, flags) => {
    Deno.mkdirSync(`${root}/.git/hooks`, { recursive: true });
    const hook = "#!/bin/sh\ntouch ran\nexit 1\n";
    Deno.writeTextFileSync(`${root}/.git/hooks/pre-commit`, hook, { mode: 0o755 });
    const pipe = new Pipe(flags("child-1"));
    const [status, line, , , log, read, commit] = succeeded(
      await asked(pipe, [
        ["git_status", {}],
        ["run_command", { command: "echo two > a && git add a && git commit -qm two" }],
        ["write_file", { path: "folder/c", content: "three\n" }],
        ["git_add", { all: true }],
        ["git_log", { limit: 1 }],
        ["read_file", { path: "a" }],
        ["git_commit", { message: "three" }],
        ["run_command", { command: "git checkout -q --detach && git checkout -q -" }],
        ["git_diff", { from: "HEAD~1", to: "HEAD" }],
        ["git_branch", { action: "list" }],
      ]),
    );
    assertEquals([status?.output.branch, status?.output.clean], ["toolgate/child-1", true]);
    // None runs there, and each way says so.
    assertEquals([line, commit].map((one) => one?.output.hooks_skipped), [["pre-commit"], [
      "pre-commit",
    ]]);
    assertEquals([log?.output.commits[0].subject, read?.output.content], ["two", "two\n"]);
    assertEquals(
      await said(root, ["log", "--format=%s %an", "toolgate/child-1"]),
      [
        "three Agent",
        "two Agent",
        "one A",
      ].join("\n"),
    );
    assertEquals(await said(root, ["status", "--porcelain"]), "");
    assertEquals(Deno.readTextFileSync(`${root}/a`), "one\n");
    // Nobody takes it away while it is worked in.
    const remove = ["git_worktree", "action=remove", `path=${PLACE}`];
    const inUse = await call([...remove, ...flags()]);
    assert(inUse.answer.error?.message.includes("is locked"), inUse.stdout);
    const byGit = await git(root, ["worktree", "remove", PLACE], { good: [128] });
    assertEquals(byGit.length, 0);
    await pipe.close();
    // Nor afterwards while it holds what is nowhere else.
    Deno.writeTextFileSync(`${root}/${PLACE}/b`, "changed\n");
    const dirty = await call([...remove, ...flags()]);
    assert(dirty.answer.error?.message.includes("not committed"), dirty.stdout);
    Deno.writeTextFileSync(`${root}/${PLACE}/b`, "one\n");
    const gone = await call([...remove, ...flags()]);
    assertEquals(gone.answer.error, null);
    assertEquals(gone.answer.output.removed.unmerged, 2);
    // The next call finds the branch as it was left.
    const again = await call(["read_file", "path=folder/c", ...flags("child-1")]);
    assertEquals(again.answer.output?.content, "three\n");
    await git(root, ["fsck", "--strict"]);
    const records = Deno.readTextFileSync(`${root}/.toolgate/audit.ndjson`);
    assert(records.includes('"git_worktree"') && records.includes("child-1"));
  });
});

Deno.test("an agent's worktree: nothing else of the repository can be changed from it", async () => {
  await inRepository(async (root, flags) => {
    await call(["get_timestamp", ...flags("child-2")]);
    const pipe = new Pipe(flags("child-1"));
    succeeded(await asked(pipe, [["git_status", {}]]));
    const targets = [
      ...["config", "config.lock", "hooks/pre-commit", "info/attributes", "info/exclude", "HEAD"],
      ...["index", "packed-refs", "worktrees/child-2/HEAD", "worktrees/child-2/index"],
      ...["worktrees/child-1/commondir", "worktrees/child-1/gitdir", "worktrees/child-1/locked"],
      ...["worktrees/child-1/config.worktree", "worktrees/child-2/new", "new"],
    ].map((name) => `${root}/.git/${name}`);
    const others = [`${root}/a`, `${root}/new`, `${root}/.toolgate/worktrees/child-2/a`];
    const ties = [`${root}/${PLACE}/.git`];
    const all = [...targets, ...others, ...ties];
    const before = all.map(contentOf);
    for (const path of all) {
      const lines = [`echo x >> ${path}`, `sh -c 'echo x >> ${path}; rm -f ${path}'`];
      const answers = await asked(pipe, [
        ...lines.map((command) => ["run_command", { command }] as const),
        ["write_file", { path, content: "x" }],
        ["delete_file", { path }],
      ]);
      assertEquals(all.map(contentOf), before, `${path}: ${JSON.stringify(answers)}`);
    }
    // The files of others are not to be read either, and what the policy denies is denied here too.
    const reads = await asked(pipe, [
      ["read_file", { path: `${root}/a` }],
      ["run_command", { command: `cat ${root}/a` }],
      ["read_file", { path: ".env" }],
    ]);
    assertEquals(reads.map(({ success }) => success), [false, false, false]);
    // What it may change, it can: the attack above fails for no other reason.
    const free = `${root}/.git/worktrees/child-1/note`;
    succeeded(await asked(pipe, [["run_command", { command: `sh -c 'echo x >> ${free}'` }]]));
    assertEquals(contentOf(free), "x\n");
    await pipe.close();
    // Without Toolgate each of them is changed.
    for (const path of all) {
      await new Deno.Command("mkdir", { args: ["-p", path.replace(/\/[^/]*$/, "")] }).output();
      await new Deno.Command("sh", { args: ["-c", `echo x >> ${path}`] }).output();
    }
    assertEquals(all.filter((path, index) => contentOf(path) === before[index]), []);
  });
});

Deno.test("an agent's worktree: who was killed leaves no lock, and another agent's process does not speak for it", async () => {
  await inRepository(async (root, flags) => {
    const pipe = new Pipe(flags("child-1"));
    succeeded(await asked(pipe, [["git_status", {}]]));
    pipe.process.kill("SIGKILL");
    await pipe.close();
    assert(contentOf(`${root}/.git/worktrees/child-1/locked`) !== null);
    const pipeOfOther = new Pipe(flags("child-2"));
    const apart = await pipeOfOther.ask({ id: 1, tool: "git_status", args: {}, agent: "child-1" });
    assertEquals(apart.error?.code, "PERMISSION_DENIED");
    assert(apart.error?.message.includes("speaks for agent child-2"), apart.error?.message);
    await pipeOfOther.close();
    const removed = await call([
      ...["git_worktree", "action=remove", `path=${PLACE}`],
      ...flags(),
    ]);
    assertEquals(removed.answer.error, null);
    // What stands in its place is not taken for one.
    Deno.mkdirSync(`${root}/${PLACE}`, { recursive: true });
    Deno.writeTextFileSync(`${root}/${PLACE}/.git`, `gitdir: ${root}/.git\n`);
    const wrong = await start(["call", "git_status", ...flags("child-1")]);
    assertEquals([wrong.status, wrong.stdout], [2, ""]);
    assert(wrong.stderr.includes("no worktree of this repository"), wrong.stderr);
  });
});

Deno.test("an agent's worktree: it is made whatever is wrong with those of others, which are not looked through for it", async () => {
  await inRepository(async (root, flags) => {
    await git(root, ["worktree", "add", "-q", "-b", "broken", ".toolgate/worktrees/broken"]);
    Deno.writeTextFileSync(`${root}/.git/worktrees/broken/index`, "no index");
    const pipe = new Pipe(flags("child-1"));
    succeeded(await asked(pipe, [["read_file", { path: "a" }], ["git_status", {}]]));
    await pipe.close();
    assertEquals(Deno.readTextFileSync(`${root}/${PLACE}/a`), "one\n");
    // The control: who asks for all of them hears of it.
    const all = await call(["git_worktree", "action=list", ...flags()]);
    assertEquals(all.answer.error?.code, "GIT_ERROR");
  });
});

function contentOf(path: string): string | null {
  try {
    return Deno.readTextFileSync(path);
  } catch {
    return null;
  }
}
