/** Several agents with worktrees of their own before one process: each works in its own, and in no other's. */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { said } from "../../unit/tools/git/_history.ts";
import { Gate } from "../_gate.ts";
import { Pipe } from "../toolgate.ts";
import { exists, inRepository, placeOf, POLICY, statusByMcp, until } from "./_agents_apart.ts";

Deno.test("agents apart: those of one pipe work each in its own worktree, at once, and root where it did", async () => {
  await inRepository(async ({ root }, policy) => {
    const pipe = new Pipe(["--policy", policy], { cwd: root });
    let last = 0;
    const ask = (agent: string, tool: string, args: Record<string, unknown> = {}) =>
      pipe.ask({ id: `${agent}-${last++}`, tool, args, agent });
    const workers = ["worker-1", "worker-2"];
    // All at once, the first calls among them: each is answered in the folder of who called.
    for (const agent of [...workers, "root"]) {
      const text = `${agent}\n`;
      await pipe.send({ id: agent, tool: "write_file", args: { path: "b", content: text }, agent });
    }
    for (let left = 3; left > 0; left--) {
      const answer = await pipe.next();
      assertEquals(answer?.error, null, JSON.stringify(answer));
    }
    for (const agent of workers) {
      assertEquals(Deno.readTextFileSync(`${root}/${placeOf(agent)}/b`), `${agent}\n`);
      assertEquals(
        (await ask(agent, "run_command", { command: "pwd" })).output?.stdout.trim(),
        `${root}/${placeOf(agent)}`,
      );
      const line = `echo ${agent} > c && git add b c && git commit -qm "${agent}"`;
      const done = await ask(agent, "run_shell_command", { command: line });
      assertEquals(done.error, null, `${agent}: ${done.output?.stderr}`);
      const status = await ask(agent, "git_status");
      assertEquals([status.output?.branch, status.output?.clean], [`toolgate/${agent}`, true]);
      assertEquals(await said(root, ["log", "-1", "--format=%s", `toolgate/${agent}`]), agent);
    }
    assertEquals(Deno.readTextFileSync(`${root}/b`), "root\n");
    assertEquals((await ask("root", "git_status")).output?.branch, "main");
    // Nothing of another's is reached, by no name of it.
    const other = `${root}/${placeOf("worker-2")}`;
    for (
      const [tool, args] of [
        ["read_file", { path: `${other}/b` }],
        ["read_file", { path: "../worker-2/b" }],
        ["write_file", { path: `${other}/b`, content: "x" }],
        ["run_command", { command: `sh -c 'cat ${other}/b'` }],
        ["run_command", { command: `sh -c 'echo x > ${other}/b'` }],
        ["run_command", { command: `sh -c 'echo x > ${root}/.git/worktrees/worker-2/HEAD'` }],
        ["run_command", { command: `sh -c 'echo x > ${root}/a'` }],
        ["git_status", { repository: other }],
      ] as const
    ) {
      const { success, output } = await ask("worker-1", tool, args);
      assertEquals([success, output?.stdout ?? ""], [false, ""], `${tool} ${JSON.stringify(args)}`);
    }
    assertEquals(Deno.readTextFileSync(`${other}/b`), "worker-2\n");
    assertEquals(Deno.readTextFileSync(`${root}/a`), "one\n");
    // In use they are not taken away; an explanation is of the worktree too.
    const removed = await ask("root", "git_worktree", {
      action: "remove",
      path: placeOf("worker-1"),
    });
    assertStringIncludes(removed.error?.message ?? "", "is locked");
    const explain = { id: "e", op: "explain", tool: "read_file", agent: "worker-1" };
    const explained = await pipe.ask({ ...explain, args: { path: `${root}/a` } });
    assertEquals(explained.output?.effect, "deny");
    const { output: stats } = await pipe.ask({ id: "s", op: "stats" });
    assertEquals(stats.tools.git_status.calls, 4, JSON.stringify(stats));
    await pipe.close();
    const locks = workers.map((agent) => exists(`${root}/.git/worktrees/${agent}/locked`));
    assertEquals(locks, [false, false]);
  });
});

Deno.test("agents apart: a worktree whose process was killed is found by the next, and what is in the way is named", async () => {
  await inRepository(async ({ root }, policy) => {
    const open = () => new Pipe(["--policy", policy], { cwd: root });
    const write = {
      id: 1,
      tool: "write_file",
      args: { path: "kept", content: "x\n" },
      agent: "worker-1",
    };
    const killed = open();
    assertEquals((await killed.ask(write)).error, null);
    const lock = `${root}/.git/worktrees/worker-1/locked`;
    assert(exists(lock));
    killed.process.kill("SIGKILL");
    await killed.close();
    const pipe = open();
    // Who comes next lets go of it at the start, and finds what was there.
    assertEquals((await pipe.ask({ id: 1, tool: "get_timestamp", args: {} })).error, null);
    assert(!exists(lock));
    const found = await pipe.ask({
      id: 2,
      tool: "read_file",
      args: { path: "kept" },
      agent: "worker-1",
    });
    assertEquals(found.output?.content, "x\n", JSON.stringify(found.error));
    // A folder that is none refuses that agent alone, until it is gone.
    const other = `${root}/${placeOf("worker-2")}`;
    Deno.mkdirSync(other);
    const ask = () => pipe.ask({ id: 3, tool: "git_status", args: {}, agent: "worker-2" });
    assertStringIncludes((await ask()).error?.message ?? "", "no worktree of this repository");
    assertEquals((await pipe.ask({ id: 4, tool: "git_status", args: {} })).error, null);
    Deno.removeSync(other);
    assertEquals((await ask()).output?.branch, "toolgate/worker-2");
    const unknown = await pipe.ask({ id: 5, tool: "git_status", args: {}, agent: "nobody" });
    assertEquals(unknown.error?.code, "PERMISSION_DENIED");
    await pipe.close();
  });
});

Deno.test("agents apart: callers of a gate work each in his worktree, by NDJSON and MCP, until the last has gone", async () => {
  await inRepository(async (workspace) => {
    const { root } = workspace;
    const lock = (agent: string) => `${root}/.git/worktrees/${agent}/locked`;
    const gate = await Gate.start(workspace, { policy: POLICY });
    const [one, other] = [await gate.connect(), await gate.connect()];
    const write = (agent: string) => ({
      id: agent,
      tool: "write_file",
      args: { path: "b", content: `${agent}\n` },
      agent,
    });
    await Promise.all([
      one.send(write("worker-1"), write("worker-2")),
      other.send(write("worker-1"), write("root")),
    ]);
    for (const caller of [one, one, other, other]) {
      assertEquals((await caller.next())?.error, null);
    }
    for (const agent of ["worker-1", "worker-2"]) {
      assertEquals(Deno.readTextFileSync(`${root}/${placeOf(agent)}/b`), `${agent}\n`);
    }
    assertEquals(Deno.readTextFileSync(`${root}/b`), "root\n");
    one.close();
    // The other is still there for one of them.
    await until(() => !exists(lock("worker-2")));
    assert(exists(lock("worker-1")));
    other.close();
    await until(() => !exists(lock("worker-1")));
    await gate.stop();
    const callers = `callers: [{ uid: ${Deno.uid()}, agent: worker-1 }]\n`;
    const pinned = await Gate.start(workspace, { policy: POLICY + callers });
    const own = await pinned.connect();
    const read = await own.ask({ id: 1, tool: "read_file", args: { path: "b" } });
    assertEquals(read.output?.content, "worker-1\n", JSON.stringify(read.error));
    const mcp = await pinned.connect();
    assertStringIncludes(await statusByMcp(mcp), "toolgate/worker-1");
    mcp.close();
    own.close();
    await until(() => !exists(lock("worker-1")));
    await pinned.stop();
  });
});
