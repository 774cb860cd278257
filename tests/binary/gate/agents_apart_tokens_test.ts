/** Agents with worktrees of their own who come with a token: each works in its own, with what the token leaves. */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { said } from "../../unit/tools/git/_history.ts";
import { type Caller, Gate } from "../_gate.ts";
import { stillRunning, untilRunning } from "../_processes.ts";
import { exists, inRepository, placeOf, POLICY, statusByMcp, until } from "./_agents_apart.ts";

const call = (tool: string, args: Record<string, unknown>) => ({ id: 1, tool, args });
const write = (path: string) => call("write_file", { path, content: "x\n" });
const run = (command: string) => call("run_command", { command });

async function tokenFrom(maker: Caller, terms: Record<string, unknown>) {
  const { output, error } = await maker.ask({ id: 1, op: "token", ...terms });
  assertEquals(error, null);
  return output as { readonly token: string; readonly id: string };
}

async function comeWith(gate: Gate, token: string): Promise<Caller> {
  const caller = await gate.connect();
  assertEquals(await caller.codeOf({ id: 0, op: "hello", token }), null);
  return caller;
}

Deno.test("agents apart with tokens: the first call makes the worktree, all who come with it work there, the last lets go", async () => {
  await inRepository(async (workspace) => {
    const { root } = workspace;
    const place = `${root}/${placeOf("worker-1")}`;
    const lock = `${root}/.git/worktrees/worker-1/locked`;
    // A call whose answer nobody hears would be answered when its time is over.
    const gate = await Gate.start(workspace, { policy: `${POLICY}timeouts: { default: 1h }\n` });
    const maker = await gate.connect();
    const first = { ...write("b"), agent: "worker-2" };
    assertEquals(await maker.codeOf(first), null);
    const { token } = await tokenFrom(maker, { agent: "worker-1" });
    const one = await comeWith(gate, token);
    assert(!exists(place), "made before a call");
    const other = await comeWith(gate, token);
    await Promise.all([one.send(write("b")), other.send(write("c"))]);
    for (const caller of [one, other]) assertEquals((await caller.next())?.error, null);
    assertEquals([exists(`${place}/b`), exists(`${place}/c`), exists(lock)], [true, true, true]);
    assertEquals([exists(`${root}/b`), exists(`${root}/c`)], [false, false]);
    assertEquals((await one.ask(run("pwd"))).output?.stdout.trim(), place);
    const line = "git add b c && git commit -qm token";
    const done = await one.ask(call("run_shell_command", { command: line }));
    assertEquals(done.error, null, `${done.output?.stderr}`);
    const status = await other.ask(call("git_status", {}));
    assertEquals([status.output?.branch, status.output?.clean], ["toolgate/worker-1", true]);
    assertEquals(await said(root, ["log", "-1", "--format=%s", "toolgate/worker-1"]), "token");
    const explained = await one.ask({ ...call("read_file", { path: `${root}/a` }), op: "explain" });
    assertEquals(explained.output?.effect, "deny");
    for (
      const request of [
        call("read_file", { path: `${root}/a` }),
        call("write_file", { path: `${root}/a`, content: "x" }),
        call("write_file", { path: "../../../a", content: "x" }),
        run(`sh -c 'echo x > ${root}/a'`),
        run(`sh -c 'echo x > ${root}/.git/config'`),
        call("git_status", { repository: root }),
        { ...call("read_file", { path: "a" }), agent: "root" },
        { ...call("read_file", { path: "a" }), agent: "worker-2" },
      ]
    ) {
      const { success } = await one.ask(request);
      assertEquals(success, false, JSON.stringify(request));
    }
    assertEquals(Deno.readTextFileSync(`${root}/a`), "one\n");
    one.close();
    assertEquals(await other.codeOf(write("d")), null);
    assert(exists(lock));
    other.close();
    await until(() => !exists(lock));
    // Found again, by MCP too.
    const mcp = await gate.connect();
    await mcp.send({ id: 0, op: "hello", token, protocol: "mcp" });
    await mcp.next();
    assertStringIncludes(await statusByMcp(mcp), "toolgate/worker-1");
    mcp.close();
    await until(() => !exists(lock));
    maker.close();
    assertEquals(await gate.stop(), 0);
  });
});

Deno.test("agents apart with tokens: a token takes away in the worktree what it takes away elsewhere, the repository's contents too", async () => {
  await inRepository(async (workspace) => {
    const { root } = workspace;
    const gate = await Gate.start(workspace, { policy: POLICY });
    const maker = await gate.connect();
    const head = `${root}/.git/HEAD`;
    type Codes = readonly (string | null)[];
    const all: Codes = [null, null, null, null, null];
    const shut = (code: string): Codes => [null, "PATH_DENIED", "PATH_DENIED", code, code];
    const none = "PERMISSION_DENIED";
    const rows: readonly [agent: string, terms: Record<string, unknown>, codes: Codes][] = [
      // The controls: what is not taken away is there, in the worktree as in the folder of all.
      ["worker-1", {}, all],
      ["worker-1", { paths: ["**"] }, all],
      ["root", { paths: ["**"] }, all],
      ["worker-1", { paths: ["src/**"] }, shut("PATH_OUTSIDE_WORKSPACE")],
      ["root", { paths: ["src/**"] }, shut("PATH_DENIED")],
      ["worker-1", { permissions: ["file_read"] }, [none, none, none, null, none]],
      ["worker-1", { commands: ["pwd"] }, [null, null, null, null, "COMMAND_DENIED"]],
    ];
    for (const [agent, terms, codes] of rows) {
      const { token } = await tokenFrom(maker, { agent, ...terms });
      const bearer = await comeWith(gate, token);
      const found: (string | null)[] = [];
      for (
        const request of [
          write("src/new"),
          write("new"),
          call("git_status", {}),
          call("read_file", { path: head }),
          run(`sh -c 'cat ${head}'`),
        ]
      ) {
        found.push(await bearer.codeOf(request));
      }
      assertEquals(found, codes, `${agent} ${JSON.stringify(terms)}`);
      bearer.close();
    }
    maker.close();
    assertEquals(await gate.stop(), 0);
  });
});

Deno.test("agents apart with tokens: what runs in the worktree ends with the token", async () => {
  const policy = POLICY.replace("echo, pwd]", "echo, pwd, sleep]");
  await inRepository(async (workspace) => {
    const { root } = workspace;
    const lock = `${root}/.git/worktrees/worker-1/locked`;
    const gate = await Gate.start(workspace, { policy });
    const maker = await gate.connect();
    const { token, id } = await tokenFrom(maker, { agent: "worker-1" });
    const bearer = await comeWith(gate, token);
    assertEquals(await bearer.codeOf(write("b")), null);
    const mark = "3000.7231";
    await bearer.send({ ...run(`sleep ${mark}`), id: 7 });
    await untilRunning(mark, 1);
    assertEquals(await maker.codeOf({ id: 1, op: "revoke", token: id }), null);
    const codes = new Map<unknown, string | undefined>();
    for (let answer = await bearer.next(); answer !== null; answer = await bearer.next()) {
      codes.set(answer.id, answer.error?.code);
    }
    assertEquals([codes.get(null), codes.get(7)], ["PERMISSION_DENIED", "CANCELLED"]);
    await until(() => !exists(lock));
    assertEquals(await stillRunning(mark), []);
    assert(exists(`${root}/${placeOf("worker-1")}/b`));
    for (const caller of [bearer, maker]) caller.close();
    assertEquals(await gate.stop(), 0);
  }, policy);
});

Deno.test("agents apart with tokens: who works in a worktree does not come to the folder of all by a token", async () => {
  const policy = POLICY.replace("  root:", "  worker-1-help: { permissions: [all] }\n  root:");
  await inRepository(async (workspace) => {
    const { root } = workspace;
    const callers = `callers: [{ uid: ${Deno.uid()}, agent: worker-1 }]\n`;
    const pinned = await Gate.start(workspace, { policy: policy + callers });
    const own = await pinned.connect();
    const help = { id: 1, op: "token", agent: "worker-1-help" };
    const { error } = await own.ask(help);
    assertEquals(error?.code, "PERMISSION_DENIED");
    assertStringIncludes(error?.message ?? "", "which works in the folder of all");
    // One of its own works where it does, and hands on no more.
    const { token } = await tokenFrom(own, {});
    const bearer = await comeWith(pinned, token);
    assertEquals(await bearer.codeOf(write("b")), null);
    assert(exists(`${root}/${placeOf("worker-1")}/b`) && !exists(`${root}/b`));
    assertEquals(await bearer.codeOf(help), "PERMISSION_DENIED");
    for (const caller of [own, bearer]) caller.close();
    assertEquals(await pinned.stop(), 0);
    // The control: who works there hands it on.
    const gate = await Gate.start(workspace, { policy });
    const maker = await gate.connect();
    const helper = await comeWith(gate, (await tokenFrom(maker, { agent: "worker-1-help" })).token);
    assertEquals(await helper.codeOf(write("c")), null);
    assert(exists(`${root}/c`));
    for (const caller of [maker, helper]) caller.close();
    assertEquals(await gate.stop(), 0);
  }, policy);
});
