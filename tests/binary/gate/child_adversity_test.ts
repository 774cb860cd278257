/** Child agents where it goes wrong: full disks, odd repositories, children of children, descriptors that nobody asked for. */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import {
  CHILD_POLICY,
  git,
  repository,
  results,
  spawn,
  type Spawned,
  spawning,
  stopped,
  tool,
  worktreeIsThere,
} from "./_child_agent.ts";
import { Gate, python } from "../_gate.ts";
import { stillRunning, untilRunning } from "../_processes.ts";
import type { Answer, Workspace } from "../toolgate.ts";

/** But for what keeps git from showing a folder of worktrees. */
const names = (workspace: Workspace, path: string) =>
  [...Deno.readDirSync(workspace.path(path))].map(({ name }) => name)
    .filter((name) => name !== ".gitignore");

const COMMITS = ['call git_add {"all": true}', 'call git_commit {"message": "m"}'];

Deno.test({
  name: "a disk that is full while a worktree is made: it is told, and nothing of it is left",
  ignore: Deno.uid() !== 0,
  fn: async () => {
    const worktrees = ".toolgate/worktrees";
    await using workspace = await repository({ "big.txt": "x".repeat(2_000_000) });
    Deno.mkdirSync(workspace.path(worktrees), { recursive: true });
    const run = async (program: string, args: readonly string[]) =>
      (await new Deno.Command(program, { args: [...args] }).output()).success;
    const size = ["-t", "tmpfs", "-o", "size=1m", "tmpfs", workspace.path(worktrees)];
    assert(await run("mount", size));
    try {
      // With files that are left out and without: git lays them out in two ways.
      for (const policy of [CHILD_POLICY, CHILD_POLICY.replace(/^.*secret.*\n/m, "")]) {
        const gate = await Gate.start(workspace, { policy });
        const caller = await gate.connect();
        for (const _ of [1, 2]) {
          const { error } = await caller.ask(spawning(["exit 0"]));
          assertEquals(error?.code, "GIT_ERROR");
          assert(/big\.txt|space/.test(error?.message ?? ""), error?.message);
          assertEquals(names(workspace, worktrees), []);
          assertEquals(await git(workspace, "branch", "--list", "toolgate/*"), "");
        }
        assertEquals((await tool(caller, "list_active_agents", { all: true })).output.agents, []);
        await stopped(gate, caller);
      }
    } finally {
      assert(await run("umount", [workspace.path(worktrees)]));
    }
  },
});

Deno.test({
  name:
    "a clone on a disk of its own: it is made where there is room, and leaves nothing where there is none",
  ignore: Deno.uid() !== 0,
  fn: async () => {
    const worktrees = ".toolgate/worktrees";
    await using workspace = await repository({ "big.txt": "x".repeat(300_000) });
    Deno.mkdirSync(workspace.path(worktrees), { recursive: true });
    const run = async (program: string, args: readonly string[]) =>
      (await new Deno.Command(program, { args: [...args] }).output()).success;
    for (const [size, made] of [["4k", false], ["16k", false], ["64k", false], ["2m", true]]) {
      const mount = ["-t", "tmpfs", "-o", `size=${size}`, "tmpfs", workspace.path(worktrees)];
      assert(await run("mount", mount));
      try {
        const gate = await Gate.start(workspace, { policy: CHILD_POLICY });
        const caller = await gate.connect();
        const code = await caller.codeOf(spawning(["exit 0"], { isolation: "clone" }));
        assertEquals(code, made ? null : "GIT_ERROR", `${size}`);
        await results(caller);
        assertEquals(names(workspace, worktrees), [], `${size}`);
        await stopped(gate, caller);
      } finally {
        assert(await run("umount", [workspace.path(worktrees)]));
      }
    }
  },
});

Deno.test("a gate that is killed while it makes working files: the next one removes them", async () => {
  const files = Array.from({ length: 600 }, (_, at) => [`files/${at % 50}/${at}.txt`, `${at}\n`]);
  const worktrees = ".toolgate/worktrees";
  for (const isolation of ["worktree", "clone"]) {
    // Where the child had begun by then it is another matter: it is tried again.
    for (let half = false; !half;) {
      await using workspace = await repository(Object.fromEntries(files));
      Deno.mkdirSync(workspace.path(worktrees), { recursive: true });
      const there = () => names(workspace, worktrees);
      const gate = await Gate.start(workspace, { policy: CHILD_POLICY });
      const caller = await gate.connect();
      await caller.send(spawning(["grandchild 610.0911", "wait"], { isolation }));
      while (!there().includes("child-1")) await new Promise((resolve) => setTimeout(resolve, 1));
      gate.process.kill("SIGKILL");
      await gate.process.status;
      caller.close();
      half = there().includes("child-1") && there().some((name) => name.startsWith(".making-"));
      assertEquals(await stillRunning("610.0911"), []);
      const next = await Gate.start(workspace, { policy: CHILD_POLICY });
      const asking = await next.connect();
      while (there().length > 0) await new Promise((resolve) => setTimeout(resolve, 20));
      const branches = () => git(workspace, "branch", "--list", "toolgate/*");
      while (half && await branches() !== "") await new Promise((go) => setTimeout(go, 20));
      // Its name and its branch can be had again.
      const child = await spawn(asking, ["exit 0"], { isolation });
      const { results: [result] } = await results(asking);
      assertEquals(result.status, "done");
      await stopped(next, asking);
      assertEquals(there(), []);
      if (!half) continue;
      assertEquals(child.agent_id, "child-1");
      assertEquals(await branches(), "");
      await git(workspace, "fsck");
    }
  }
});

Deno.test("what somebody has put into what a killed gate had begun to make stays, and is told; the rest goes", async () => {
  const worktrees = ".toolgate/worktrees";
  await using workspace = await repository({ "a.txt": "a\n", "folder/b.txt": "b\n" });
  const base = await git(workspace, "rev-parse", "HEAD");
  const at = (path: string) => workspace.path(`${worktrees}/${path}`);
  Deno.mkdirSync(workspace.path(worktrees), { recursive: true });
  const lay = async (child: string, isolation: string) => {
    const branch = `toolgate/${child}`;
    if (isolation === "worktree") {
      await git(workspace, "worktree", "add", "-q", "-b", branch, at(child));
    } else {
      await git(workspace, "clone", "-q", "--no-hardlinks", ".", at(child));
      await git(workspace, "-C", at(child), "checkout", "-q", "-b", branch);
      await git(workspace, "-C", at(child), "remote", "remove", "origin");
      for (const gone of ["main", "master"]) {
        if ((await git(workspace, "-C", at(child), "branch", "--list", gone)) !== "") {
          await git(workspace, "-C", at(child), "branch", "-q", "-D", gone);
        }
      }
    }
    // As far as a process that is none any more had come.
    Deno.removeSync(at(`${child}/folder/b.txt`));
    Deno.truncateSync(at(`${child}/a.txt`), 1);
    Deno.writeTextFileSync(at(`.making-1-1-${child}`), "");
  };
  const isolations = ["worktree", "clone"];
  for (const [of, isolation] of isolations.entries()) {
    await lay(`child-${2 * of + 1}`, isolation);
    await lay(`child-${2 * of + 2}`, isolation);
    Deno.writeTextFileSync(at(`child-${2 * of + 2}/mine.txt`), "nowhere else\n");
  }
  const gate = await Gate.start(workspace, { policy: CHILD_POLICY });
  const caller = await gate.connect();
  // Children wait for what earlier gates have left.
  await spawn(caller, ["exit 0"]);
  await results(caller);
  await stopped(gate, caller);
  const told = await gate.told;
  for (const child of ["child-2", "child-4"]) {
    assertStringIncludes(told, `begun to make for ${child} is kept: `);
  }
  for (const child of ["child-1", "child-3"]) {
    assertStringIncludes(told, `begun to make for ${child} is removed`);
  }
  assertEquals(names(workspace, worktrees).sort(), ["child-2", "child-4"]);
  for (const child of ["child-2", "child-4"]) {
    assertEquals(Deno.readTextFileSync(at(`${child}/mine.txt`)), "nowhere else\n");
    assertEquals(await git(workspace, "-C", at(child), "status", "--porcelain"), "?? mine.txt");
    assertEquals(await git(workspace, "-C", at(child), "rev-parse", "HEAD"), base);
  }
  assertEquals(
    await git(workspace, "branch", "--list", "--format=%(refname:short)", "toolgate/*"),
    "toolgate/child-2",
  );
  await git(workspace, "fsck");
});

Deno.test("a gate that is killed while working files are removed: the next one ends it, or keeps them whole", async () => {
  const files = Array.from({ length: 3_000 }, (_, at) => [`files/${at % 50}/${at}.txt`, `${at}\n`]);
  const worktrees = ".toolgate/worktrees";
  for (const [isolation, came] of [["worktree", false], ["worktree", true], ["clone", false]]) {
    // Where it was killed before or after that it is another matter: it is tried again.
    for (let half = false; !half;) {
      await using workspace = await repository(Object.fromEntries(files));
      const place = `${worktrees}/child-1`;
      const there = () => names(workspace, worktrees);
      const isMarked = () => there().some((name) => name.startsWith(".removing-"));
      const gate = await Gate.start(workspace, { policy: CHILD_POLICY });
      const caller = await gate.connect();
      await spawn(caller, ["exit 0"], { isolation });
      const isWhole = () => names(workspace, `${place}/files`).length === 50;
      const began = () => isMarked() && (isolation === "clone" || !isWhole());
      while (there().includes("child-1") && !began()) {
        await new Promise((resolve) => setTimeout(resolve, 1));
      }
      gate.process.kill("SIGKILL");
      await gate.process.status;
      caller.close();
      const left = there();
      half = left.some((name) => name.startsWith(".removing-")) &&
        (isolation === "clone" || left.includes("child-1"));
      if (!half) continue;
      if (came) {
        Deno.mkdirSync(workspace.path(`${place}/files`), { recursive: true });
        Deno.writeTextFileSync(workspace.path(`${place}/files/mine.txt`), "mine");
      }
      const next = await Gate.start(workspace, { policy: CHILD_POLICY });
      const asking = await next.connect();
      // Children wait for what earlier gates have left.
      await spawn(asking, ["exit 0"], { isolation });
      await results(asking);
      await stopped(next, asking);
      assertEquals(there(), came ? ["child-1"] : []);
      if (came) {
        const status = await git(workspace, "-C", place, "status", "--porcelain");
        assertEquals(status, "?? files/mine.txt");
      }
      const branches = await git(workspace, "branch", "--list", "toolgate/*");
      assertEquals(branches.includes("child-1"), came);
      assertEquals((await git(workspace, "worktree", "list")).includes("child-1"), came);
      await git(workspace, "fsck");
    }
  }
});

Deno.test("a gate that is killed between a worktree's end and its branch's: the next one ends that too", async () => {
  await using workspace = await repository();
  const base = await git(workspace, "rev-parse", "HEAD");
  await git(workspace, "branch", "toolgate/child-1");
  await git(workspace, "branch", "toolgate/child-2");
  const left = workspace.path(".toolgate/worktrees");
  Deno.mkdirSync(left, { recursive: true });
  // Of a process that is none any more; nothing says that of the other branch.
  Deno.writeTextFileSync(`${left}/.leaving-1-1-child-1`, base);
  const gate = await Gate.start(workspace, { policy: CHILD_POLICY });
  const branches = () =>
    git(workspace, "branch", "--list", "--format=%(refname:short)", "toolgate/*");
  while ((await branches()).includes("child-1")) await new Promise((go) => setTimeout(go, 20));
  await stopped(gate);
  assertEquals([await branches(), names(workspace, ".toolgate/worktrees")], [
    "toolgate/child-2",
    [],
  ]);
});

Deno.test("who begins a child while an earlier gate's are swept away gets one of his own", async () => {
  await using workspace = await repository();
  const left = workspace.path(".toolgate/worktrees");
  Deno.mkdirSync(left, { recursive: true });
  for (let at = 1; at <= 30; at++) Deno.writeTextFileSync(`${left}/.making-1-1-child-${at}`, "");
  const gate = await Gate.start(workspace, { policy: CHILD_POLICY });
  const caller = await gate.connect();
  for (let id = 1; id <= 4; id++) await caller.send({ ...spawning(["wait 1"]), id });
  for (let id = 1; id <= 4; id++) assertEquals((await caller.next())?.error, null);
  const { results: all } = await results(caller);
  assertEquals(all.map(({ status }: { status: string }) => status), [
    "done",
    "done",
    "done",
    "done",
  ]);
  await stopped(gate, caller);
  assertEquals([
    await git(workspace, "branch", "--list", "toolgate/*"),
    names(workspace, ".toolgate/worktrees"),
  ], ["", []]);
});

Deno.test("a repository with a submodule, and one with more names than an answer may hold", async () => {
  await using within = await repository();
  const folder = "of-a-name-that-is-rather-long-so-that-few-files-make-many-bytes";
  await using workspace = await repository(
    Object.fromEntries(Array.from({ length: 400 }, (_, at) => [`${folder}/${at}/x`, "1\n"])),
  );
  const allowed = ["-c", "protocol.file.allow=always"];
  await git(workspace, ...allowed, "submodule", "add", "-q", within.root, "sub");
  await git(workspace, "commit", "-qm", "sub");
  const policy = `${CHILD_POLICY}limits: { output: 16KiB }\n`;
  const gate = await Gate.start(workspace, { policy });
  const caller = await gate.connect();
  const child = await spawn(caller, ["write b.txt x", ...COMMITS]);
  const { results: [result], compared } = await results(caller);
  assertEquals([result.status, compared], ["done", "lines"]);
  assertEquals(result.files, [{ path: "b.txt", change: "added" }]);
  assertEquals(worktreeIsThere(workspace, child), false);
  assertEquals(await git(workspace, "ls-tree", "--name-only", child.branch, "sub"), "sub");
  await stopped(gate, caller);
});

Deno.test("what a child was let write where it was given nothing to work on is kept, and told", async () => {
  await using workspace = await repository();
  const gate = await Gate.start(workspace, { policy: CHILD_POLICY });
  const caller = await gate.connect();
  for (const isolation of ["worktree", "clone"]) {
    const task = 'call write_file {"path": "kept/x", "content": "mine"}';
    await caller.send({ ...spawning([]), args: { task, isolation } });
    let spawned: Spawned | null = null;
    let approval = "";
    while (spawned === null || approval === "") {
      const line = await caller.next() as unknown as Answer & { readonly approval: string };
      if (line.event === undefined) spawned = line.output;
      else approval = line.approval;
    }
    assertEquals(await caller.codeOf({ id: 2, op: "approve", approval }), null);
    const { results: [result] } = await results(caller, [spawned.agent_id]);
    assertEquals(result.files, [{ path: "kept/x", change: "modified" }]);
    assertEquals(Deno.readTextFileSync(workspace.path(spawned.worktree, "kept/x")), "mine");
  }
  assertEquals(workspace.read("kept/x"), "kept\n");
  await stopped(gate, caller);
});

Deno.test("a child's child: it ends with the first, and neither does more than both", async () => {
  await using workspace = await repository();
  const gate = await Gate.start(workspace, {
    policy: CHILD_POLICY.replace("max: 4", "max: 4, depth: 2"),
  });
  const caller = await gate.connect();
  const below = (...task: readonly string[]) =>
    `call spawn_child_agent ${JSON.stringify({ task: task.join("\n") })}`;
  const first = await spawn(caller, [
    below(
      'call write_file {"path": "b.txt", "content": "x"}',
      below("exit 0"),
      "grandchild 610.0901",
      "wait",
    ),
    "grandchild 610.0902",
    "wait",
  ], { permissions: ["file_read", "agent_spawn"] });
  await untilRunning("610.0901", 1);
  await untilRunning("610.0902", 1);
  const { output } = await tool(caller, "get_agent_status", { agent_id: "child-1-1" });
  assertEquals(output.log_tail.trim().split("\n"), [
    "write_file PERMISSION_DENIED",
    "spawn_child_agent AGENT_LIMIT",
  ]);
  const ended = await tool(caller, "terminate_agent", { agent_id: first.agent_id });
  assertEquals(ended.output.status, "terminated");
  assertEquals([await stillRunning("610.0901"), await stillRunning("610.0902")], [[], []]);
  const all = (await tool(caller, "list_active_agents", { all: true })).output.agents;
  assertEquals(all.map(({ status }: { readonly status: string }) => status), [
    "terminated",
    "terminated",
  ]);
  assertEquals(names(workspace, ".toolgate/worktrees"), []);
  // Killed from outside, with what it had started: it has failed, and the gate goes on.
  const killed = await spawn(caller, ["grandchild 610.0903", "wait"]);
  await untilRunning("610.0903", 1);
  const program = (await python(PROGRAM_IN, [workspace.path(killed.worktree)])).split("\n");
  for (const id of program) Deno.kill(Number(id), "SIGKILL");
  const { results: [last] } = await results(caller, [killed.agent_id]);
  assertEquals(last.status, "failed");
  assertEquals(await stillRunning("610.0903"), []);
  await stopped(gate, caller);
});

/** Processes of Python whose working folder is the named one. */
const PROGRAM_IN = `
import os, sys
for id in filter(str.isdigit, os.listdir("/proc")):
    try:
        if os.readlink(f"/proc/{id}/cwd") == sys.argv[1] and b"agent.py" in open(f"/proc/{id}/cmdline", "rb").read(): print(id)
    except OSError: pass
`;

Deno.test("descriptors that come with what a caller sends are nobody's: none is kept", async () => {
  await using workspace = await repository();
  const gate = await Gate.start(workspace, { policy: CHILD_POLICY });
  const said = await python(SENDS_DESCRIPTORS, [gate.socket, String(gate.pid)]);
  // What was sent, held back in the socket or taken in, is not open in the gate; and the bytes were heard.
  assertEquals(said, "0\n20");
  assertEquals(await gate.stop(), 0);
});

const SENDS_DESCRIPTORS = `
import os, socket, sys
opened = os.open("/etc/passwd", os.O_RDONLY)
callers = []
heard = 0
for _ in range(20):
    caller = socket.socket(socket.AF_UNIX)
    caller.connect(sys.argv[1])
    for _ in range(3): socket.send_fds(caller, [b'{"id": 1, "op": "ping"}\\n'], [opened] * 200)
    if b'"pong":true' in caller.recv(1000): heard += 1
    callers.append(caller)
folder = f"/proc/{sys.argv[2]}/fd"
print(sum(os.readlink(f"{folder}/{one}") == "/etc/passwd" for one in os.listdir(folder)))
print(heard)
`;
