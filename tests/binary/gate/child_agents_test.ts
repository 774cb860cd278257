/** Child agents of a gate: begun, asked, told, ended. */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { Ajv } from "ajv";
import { toStandardSchema } from "../../../src/core/schema.ts";
import { createRegistry } from "../../../src/tools/registry.ts";
import { inTime } from "../../in_time.ts";
import { comesToBe } from "../../until.ts";
import { Gate } from "../_gate.ts";
import { running, stillRunning, untilRunning } from "../_processes.ts";
import { call, Workspace } from "../toolgate.ts";
import {
  CHILD_POLICY,
  git,
  repository,
  results,
  spawn,
  spawning,
  stopped,
  tool,
  untilLog,
  worktreeIsThere,
} from "./_child_agent.ts";

/** Held against the schema that the tool says its answers fit. */
async function assertFits(name: string, output: unknown): Promise<void> {
  const { output: schema } = await createRegistry().get(name);
  const validate = new Ajv({ strict: true }).compile(toStandardSchema(schema));
  assert(validate(output), `${name}: ${JSON.stringify(validate.errors)}`);
}

Deno.test("a child does its task in its own working files, and a receipt says what it did", async () => {
  await using workspace = await repository();
  const gate = await Gate.start(workspace, { policy: CHILD_POLICY });
  const caller = await gate.connect();
  workspace.write("a.txt", "not committed\n");
  const child = await spawn(caller, [
    "context",
    'call read_file {"path": "a.txt"}',
    'call read_file {"path": "secret/key"}',
    'call write_file {"path": "new.txt", "content": "n"}',
    'call run_command {"command": "seq 3"}',
    'call git_add {"all": true}',
    'call git_commit {"message": "work"}',
    'result {"said": "done"}',
  ], { context: { why: [1, null] } });
  assertEquals([child.agent_id, child.branch], ["child-1", "toolgate/child-1"]);
  const all = await results(caller);
  const { results: [result], conflicts, mergeable, unknown } = all;
  const status = (await tool(caller, "get_agent_status", { agent_id: "child-1" })).output;
  const listed = (await tool(caller, "list_active_agents", { all: true })).output;
  await assertFits("spawn_child_agent", child);
  await assertFits("aggregate_agent_results", all);
  await assertFits("get_agent_status", status);
  await assertFits("list_active_agents", listed);
  assertEquals(result.status, "done", JSON.stringify(status));
  assertEquals(result.result, { said: "done" });
  assertEquals(
    status.log_tail.split("\n").slice(0, 7),
    [
      '{"why": [1, null]}',
      "read_file ok",
      "read_file PATH_DENIED",
      "write_file ok",
      "run_command ok",
      "git_add ok",
      "git_commit ok",
    ],
  );
  assertEquals([result.receipt.calls, result.receipt.failed], [6, 1]);
  assert(result.receipt.files_read.includes("a.txt"));
  assertEquals(result.receipt.files_written.includes("new.txt"), true);
  assertEquals(result.receipt.commands, [{ command: "seq 3", exit_code: 0 }]);
  assertEquals(result.commits.map(({ subject }: { subject: string }) => subject), ["work"]);
  assertEquals(result.files, [{ path: "new.txt", change: "added" }]);
  assertEquals([conflicts, mergeable, unknown], [[], true, undefined]);
  // All of it is on the branch: the working files are gone, and the parent's are as they were.
  assertEquals(worktreeIsThere(workspace, child), false);
  assertEquals(await git(workspace, "show", "toolgate/child-1:new.txt"), "n");
  assertEquals(workspace.read("a.txt"), "not committed\n");
  assertEquals(status.worktree.kept, false);
  const merged = await tool(caller, "git_merge", { branch: "toolgate/child-1" });
  assertEquals(merged.error, null);
  assertStringIncludes(workspace.read("new.txt"), "n");
  await stopped(gate, caller);
});

Deno.test("a child has no more than its parent, whatever it tries", async () => {
  await using workspace = await repository();
  const gate = await Gate.start(workspace, { policy: CHILD_POLICY });
  const caller = await gate.connect();
  const codes = async (child: string) => {
    await results(caller, [child]);
    const { output } = await tool(caller, "get_agent_status", { agent_id: child });
    return output.log_tail as string;
  };
  const tries = [
    'call write_file {"path": "b.txt", "content": "x"}',
    'call read_file {"path": "../../../a.txt"}',
    `call read_file {"path": "${workspace.path("a.txt")}"}`,
    `call read_file {"path": "${workspace.outside}/sentinel.txt"}`,
    'call write_file {"path": ".git", "content": "gitdir: /"}',
    'call spawn_child_agent {"task": "more"}',
    'call run_command {"command": "seq 1"}',
  ];
  const child = await spawn(caller, tries, { permissions: ["file_read", "agent_spawn"] });
  assertEquals((await codes(child.agent_id)).trim().split("\n"), [
    "write_file PERMISSION_DENIED",
    "read_file PATH_OUTSIDE_WORKSPACE",
    "read_file PATH_OUTSIDE_WORKSPACE",
    "read_file PATH_OUTSIDE_WORKSPACE",
    "write_file PERMISSION_DENIED",
    "spawn_child_agent AGENT_LIMIT",
    "run_command PERMISSION_DENIED",
  ]);
  // Nor may it be somebody else, or anything that concerns the gate.
  const posing = await spawn(caller, [
    'raw {"id": 1, "tool": "read_file", "args": {"path": "a.txt"}, "agent": "root"}',
    'raw {"id": 1, "op": "stop"}',
    'raw {"id": 1, "op": "token"}',
    'raw {"id": 1, "op": "approve", "approval": "ap_0"}',
  ]);
  const answers = (await codes(posing.agent_id)).trim().split("\n").map((line) => JSON.parse(line));
  assertEquals(answers.map(({ error }) => error?.code), [
    "PERMISSION_DENIED",
    "GATE_REQUIRED",
    "GATE_REQUIRED",
    "INVALID_REQUEST",
  ]);
  // What its parent lacks it lacks.
  const { output: { token } } = await caller.ask({
    id: 1,
    op: "token",
    permissions: ["file_read", "agent_spawn"],
    paths: ["a.txt", "agent.py"],
  });
  const narrow = await gate.connect();
  await narrow.ask({ id: 0, op: "hello", token });
  const below = await spawn(narrow, [
    'call read_file {"path": "a.txt"}',
    'call read_file {"path": "kept/x"}',
    'call write_file {"path": "a.txt", "content": ""}',
  ]);
  await results(narrow, [below.agent_id]);
  const { output } = await tool(narrow, "get_agent_status", { agent_id: below.agent_id });
  assertEquals(output.log_tail.trim().split("\n"), [
    "read_file ok",
    "read_file PATH_DENIED",
    "write_file PERMISSION_DENIED",
  ]);
  // Nobody sees the children of others.
  const unseen = await tool(narrow, "get_agent_status", { agent_id: child.agent_id });
  assertEquals(unseen.error?.code, "AGENT_NOT_FOUND");
  await stopped(gate, caller, narrow);
  workspace.assertOutsideUntouched();
});

Deno.test("however a child ends, nothing of it runs on and what it had is told", async () => {
  await using workspace = await repository();
  const gate = await Gate.start(workspace, { policy: CHILD_POLICY });
  const caller = await gate.connect();
  const ends: readonly [
    task: readonly string[],
    more: Record<string, unknown>,
    status: string,
    exit: number | null,
  ][] = [
    [["grandchild 610.0811", "exit 0"], {}, "done", 0],
    [["grandchild 610.0812", "exit 3"], {}, "failed", 3],
    [["grandchild 610.0813", "wait"], { timeout_ms: 2_500 }, "timed_out", null],
    [["grandchild 610.0814", "half", "wait"], { timeout_ms: 2_500 }, "timed_out", null],
    [["grandchild 610.0818", "flood"], { timeout_ms: 2_500 }, "timed_out", null],
    [["grandchild 610.0815", "spend 30", "spend 30", "wait"], { tokens: 50 }, "failed", null],
  ];
  for (const [task, more, status, exit] of ends) {
    const child = await spawn(caller, task, more);
    const { results: [result] } = await results(caller, [child.agent_id]);
    const { output } = await tool(caller, "get_agent_status", { agent_id: child.agent_id });
    assertEquals([result.status, output.exit_code], [status, exit], JSON.stringify(output));
    assertEquals(await stillRunning((task[0] ?? "").split(" ")[1] ?? ""), []);
    assertEquals(worktreeIsThere(workspace, child), false, output.worktree.why);
    // Without commits of its own there is no branch either.
    assertEquals(await git(workspace, "branch", "--list", child.branch), "");
    const message = { agent_id: child.agent_id, message: "late" };
    const late = await tool(caller, "send_message_to_agent", message);
    assertEquals(late.output.delivered, false);
    await assertFits("send_message_to_agent", late.output);
  }
  const ended = await spawn(caller, [
    "grandchild 610.0816",
    "write x.txt mine",
    "log ready",
    "wait",
  ]);
  await untilRunning("610.0816", 1);
  await untilLog(caller, ended.agent_id, "ready");
  const { output } = await tool(caller, "terminate_agent", {
    agent_id: ended.agent_id,
    reason: "enough",
  });
  await assertFits("terminate_agent", output);
  assertEquals([output.status, output.worktree.kept], ["terminated", true]);
  assertStringIncludes(output.worktree.why, "x.txt");
  assertEquals(await stillRunning("610.0816"), []);
  const none = await tool(caller, "list_active_agents");
  assertEquals(none.output.agents, []);
  assertEquals((await tool(caller, "list_active_agents", { all: true })).output.agents.length, 7);
  // With the gate, too.
  const last = await spawn(caller, ["grandchild 610.0817", "wait"]);
  await untilRunning("610.0817", 1);
  await stopped(gate, caller);
  assertEquals(await stillRunning("610.0817"), []);
  assertEquals(worktreeIsThere(workspace, last), false);
});

Deno.test("with a token that is over the children end that its bearer had, and theirs", async () => {
  await using workspace = await repository();
  const gate = await Gate.start(workspace, {
    policy: CHILD_POLICY.replace("max: 4", "max: 4, depth: 2"),
  });
  const caller = await gate.connect();
  const groups = ["file_read", "agent_spawn", "code_execution"];
  // The control: another's stays.
  const other = "610.0843";
  const kept = await spawn(caller, [`grandchild ${other}`, "wait"]);
  await untilRunning(other, 1);
  const [first, second] = ["610.0841", "610.0842"];
  const below = { task: `grandchild ${second}\nwait` };
  const task = [
    `call spawn_child_agent ${JSON.stringify(below)}`,
    `grandchild ${first}`,
    "wait",
  ];
  /** Null where a token of so many milliseconds was over before both had begun. */
  const ended = async (ms: number | null): Promise<true | null> => {
    const began = performance.now();
    const isOver = () => ms !== null && performance.now() - began >= ms;
    const expires = ms === null ? {} : { expires: `${ms}ms` };
    const { output } = await caller.ask({ id: 1, op: "token", permissions: groups, ...expires });
    const bearer = await gate.connect();
    await bearer.send({ id: 0, op: "hello", token: output.token }, spawning(task));
    await bearer.next();
    const spawned = await bearer.next();
    const areThere = () => [first, second].every((one) => running(one).length > 0);
    if (spawned?.error === null) assert(await comesToBe(() => areThere() || isOver()));
    const tokens = (await caller.ask({ id: 1, op: "gate" })).output.tokens;
    const counts = spawned?.error === null && !isOver();
    if (counts) assertEquals(tokens.at(-1).connections, 1);
    if (ms === null) await caller.codeOf({ id: 1, op: "revoke", token: output.id });
    if (spawned?.error === null) {
      const { agent_id } = spawned.output;
      const { results: [result] } = await results(caller, [agent_id]);
      const { output: status } = await tool(caller, "get_agent_status", { agent_id });
      assertEquals(result.status, "terminated");
      assertStringIncludes(status.why, "the token");
    }
    assertEquals([await stillRunning(first), await stillRunning(second)], [[], []]);
    bearer.close();
    return counts ? true : null;
  };
  assertEquals(await ended(null), true);
  await inTime(5_000, ended);
  // Looked at as it is, and not waited for.
  const stays = await tool(caller, "get_agent_status", { agent_id: kept.agent_id });
  assertEquals([stays.output.status, running(other).length], ["running", 1]);
  await tool(caller, "terminate_agent", { agent_id: kept.agent_id });
  await stopped(gate, caller);
});

Deno.test("messages come in order, questions go to the parent, and tokens count for both", async () => {
  await using workspace = await repository();
  const gate = await Gate.start(workspace, { policy: CHILD_POLICY });
  const caller = await gate.connect();
  const child = await spawn(caller, [
    "message",
    "message",
    "spend 300",
    'call write_file {"path": "kept/y", "content": "y"}',
    "result 1",
  ]);
  for (const message of ["one", "two"]) {
    const { output } = await tool(caller, "send_message_to_agent", {
      agent_id: child.agent_id,
      message,
    });
    assertEquals(output.delivered, true);
  }
  const asked = await caller.next() as unknown as Record<string, unknown>;
  assertEquals([asked["event"], asked["agent"]], ["approval_required", child.agent_id]);
  const waiting = await tool(caller, "get_agent_status", { agent_id: child.agent_id });
  assertEquals(waiting.output.status, "waiting_for_approval");
  assertStringIncludes(waiting.output.waiting_for, "kept/y");
  assertEquals(waiting.output.tokens, { used: 300, limit: null });
  await caller.ask({ id: 2, op: "approve", approval: asked["approval"] });
  const { results: [{ result, receipt }] } = await results(caller);
  assertEquals([result, receipt.tokens], [1, 300]);
  const { output } = await tool(caller, "get_agent_status", { agent_id: child.agent_id });
  const [first, second] = output.log_tail.split("\n").map((line: string) =>
    line.startsWith("{") ? JSON.parse(line) : line
  );
  assertEquals([first, second].map(({ event, from, message }) => [event, from, message]), [
    ["message", "root", "one"],
    ["message", "root", "two"],
  ]);
  const stats = await caller.ask({ id: 1, op: "stats" });
  const spent = stats.output.tokens as { readonly agent: string; readonly spent: number }[];
  assertEquals(spent.map(({ agent, spent }) => [agent, spent]).sort(), [
    ["child-1", 300],
    ["root", 300],
  ]);
  await stopped(gate, caller);
});

Deno.test("children are bounded, and need what the policy says of them", async () => {
  await using workspace = await repository();
  const few = CHILD_POLICY.replace("max: 4", "max: 1, depth: 2");
  const gate = await Gate.start(workspace, { policy: few });
  const caller = await gate.connect();
  const spent = ["grandchild 610.0821", "wait"];
  await spawn(caller, spent);
  assertEquals(await caller.codeOf(spawning(["exit 0"])), "AGENT_LIMIT");
  await tool(caller, "terminate_agent", { agent_id: "child-1" });
  assertEquals(await caller.codeOf(spawning(["exit 0"], { base: "nowhere" })), "GIT_ERROR");
  assertEquals((await tool(caller, "list_active_agents")).output.agents, []);
  assertEquals(await caller.codeOf({ ...spawning(["exit 0"]), agent: "child-9" }), null);
  await stopped(gate, caller);
  const table: readonly [policy: string, code: string][] = [
    [CHILD_POLICY.replace(/^children:.*\n/m, ""), "PROVIDER_NOT_CONFIGURED"],
    [CHILD_POLICY.replace("[python3, agent.py]", "[no-such-agent]"), "failed"],
    [`${CHILD_POLICY}limits: { concurrency: 1 }\n`, "AGENT_LIMIT"],
    [CHILD_POLICY.replace(/^ {2}"child-\*".*\n/m, ""), "PERMISSION_DENIED"],
  ];
  for (const [policy, code] of table) {
    const other = await Gate.start(workspace, { policy });
    const asking = await other.connect();
    const { error } = await asking.ask(spawning(["exit 0"]));
    if (code === "failed") {
      const { results: [result] } = await results(asking);
      assertEquals(result.status, code);
    } else assertEquals(error?.code, code);
    await stopped(other, asking);
  }
  await using bare = new Workspace({ "agent.py": "" });
  const nowhere = await Gate.start(bare, { policy: CHILD_POLICY });
  const asking = await nowhere.connect();
  assertEquals(await asking.codeOf(spawning(["exit 0"])), "NOT_A_REPOSITORY");
  await stopped(nowhere, asking);
  const called = await call(["list_active_agents", "--policy", bare.policy(CHILD_POLICY)], {
    cwd: bare.root,
  });
  assertEquals([called.status, called.answer.error?.code], [1, "GATE_REQUIRED"]);
});

Deno.test("what a gate that was killed has left is found by the next one", async () => {
  await using workspace = await repository();
  // As in the policy that is built in: their names are those of agents that have worktrees of their own.
  const policy = CHILD_POLICY.replace('"child-*": {', '"child-*": { worktree: true,');
  assert(policy !== CHILD_POLICY);
  const first = await Gate.start(workspace, { policy });
  const caller = await first.connect();
  const clean = await spawn(caller, ["grandchild 610.0831", "wait"]);
  const dirty = await spawn(caller, ["write x.txt mine", "grandchild 610.0832", "wait"]);
  const committed = await spawn(caller, [
    'call write_file {"path": "y.txt", "content": "y"}',
    'call git_add {"all": true}',
    'call git_commit {"message": "y"}',
    "grandchild 610.0833",
    "wait",
  ]);
  for (const seconds of ["610.0831", "610.0832", "610.0833"]) await untilRunning(seconds, 1);
  // It begins at what is on no other branch than that.
  const below = await spawn(caller, ["grandchild 610.0834", "wait"], { base: committed.branch });
  await untilRunning("610.0834", 1);
  first.process.kill("SIGKILL");
  await first.process.status;
  caller.close();
  for (const seconds of ["610.0831", "610.0832", "610.0833", "610.0834"]) {
    assertEquals(await stillRunning(seconds), []);
  }
  // Who comes meanwhile leaves it to the next gate.
  await call(["read_file", "path=a.txt", "--policy", workspace.policy(policy)], {
    cwd: workspace.root,
  });
  const second = await Gate.start(workspace, { policy });
  const asking = await second.connect();
  for (const one of [clean, committed, below]) {
    assert(await comesToBe(() => !worktreeIsThere(workspace, one)), one.worktree);
  }
  assertEquals(Deno.readTextFileSync(workspace.path(dirty.worktree, "x.txt")), "mine\n");
  // A name that something of its agent is left of is not given again.
  const next = await spawn(asking, ["exit 0"]);
  assert(![committed.agent_id, dirty.agent_id].includes(next.agent_id), next.agent_id);
  await results(asking);
  // Of a branch that came to nothing nothing stays.
  const branches =
    (await git(workspace, "branch", "--list", "--format=%(refname:short)", "toolgate/*"))
      .split("\n");
  assertEquals(branches, [dirty.branch, committed.branch].sort());
  await stopped(second, asking);
});
