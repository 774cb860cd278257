/** Whose a child agent is: its maker's, on whatever connection he comes, and nobody else's. */

import { assert, assertEquals } from "@std/assert";
import {
  CHILD_POLICY,
  repository,
  results,
  spawn,
  spawning,
  stopped,
  tool,
  untilLog,
} from "./_child_agent.ts";
import { type Caller, Gate } from "../_gate.ts";
import { type Answer, BINARY } from "../toolgate.ts";

const ASKS = 'call write_file {"path": "kept/x", "content": "agreed"}';

/** The next thing that is asked on a connection. */
async function asked(
  caller: Caller,
): Promise<{ readonly approval: string; readonly agent: string }> {
  const line = await caller.next() as unknown as Answer & {
    readonly approval: string;
    readonly agent: string;
  };
  assertEquals(line.event, "approval_required");
  return line;
}

Deno.test("a child goes on without the connection that it was made on, and asks its maker on another", async () => {
  await using workspace = await repository();
  const gate = await Gate.start(workspace, { policy: CHILD_POLICY });
  const [maker, minder, stranger] = await Promise.all([1, 2, 3].map(() => gate.connect()));
  assert(maker && minder && stranger);
  const token = await maker.ask({
    id: 1,
    op: "token",
    agent: "root",
    permissions: ["agent_spawn"],
  });
  const bearer = await gate.connect();
  assertEquals(await bearer.codeOf({ id: 1, op: "hello", token: token.output.token }), null);
  const child = await spawn(maker, ["message", ASKS, "message", ASKS]);
  // Who has something else to do is not asked, and who has a token of the same name is another.
  assertEquals((await tool(stranger, "read_file", { path: "a.txt" })).success, true);
  assertEquals((await tool(bearer, "list_active_agents")).output.agents, []);
  const listed = (await tool(minder, "list_active_agents")).output.agents;
  assertEquals(listed.map((one: { agent_id: string }) => one.agent_id), [child.agent_id]);
  const go = { agent_id: child.agent_id, message: "go on" };
  assertEquals((await tool(maker, "send_message_to_agent", go)).success, true);
  // As long as it is there it is asked; with it the question goes on.
  const first = await asked(maker);
  assertEquals(first.agent, child.agent_id);
  maker.close();
  const again = await asked(minder);
  assertEquals(again, first);
  assertEquals(await minder.codeOf({ id: 2, op: "approve", approval: again.approval }), null);
  await untilLog(minder, child.agent_id, "write_file ok");
  assertEquals((await tool(minder, "send_message_to_agent", go)).success, true);
  const second = await asked(minder);
  assertEquals(await minder.codeOf({ id: 2, op: "reject", approval: second.approval }), null);
  const { results: [result] } = await results(minder);
  assertEquals([result.status, result.receipt.failed], ["done", 1]);
  const { output } = await tool(minder, "get_agent_status", { agent_id: child.agent_id });
  assertEquals(
    output.log_tail.trim().split("\n").filter((line: string) => line.startsWith("write_file")),
    ["write_file ok", "write_file APPROVAL_REJECTED"],
  );
  // Neither was told of it.
  for (const other of [stranger, bearer]) {
    assertEquals((await other.ask({ id: 9, op: "ping" })).id, 9);
  }
  await stopped(gate, minder, stranger, bearer);
});

Deno.test("a call that agrees to all that it asks agrees to nothing that a child asks meanwhile", async () => {
  await using workspace = await repository();
  const gate = await Gate.start(workspace, { policy: CHILD_POLICY });
  const caller = await gate.connect();
  const child = await spawn(caller, ["message", ASKS]);
  const called = new Deno.Command(BINARY, {
    args: [
      ...["call", "aggregate_agent_results", "wait_ms=600000", "--approve", "--gate", gate.socket],
      ...["--format", "json"],
    ],
    cwd: workspace.root,
    stdin: "null",
    stdout: "piped",
    stderr: "null",
  }).spawn();
  // Itself, while it asks, and the call.
  const busy = async () =>
    (await caller.ask({ id: 1, op: "gate" })).output.connections
      .filter(({ running }: { running: number }) => running > 0).length;
  while (await busy() < 2) await new Promise((resolve) => setTimeout(resolve, 20));
  const go = { agent_id: child.agent_id, message: "go on" };
  await caller.send(
    { id: 5, tool: "send_message_to_agent", args: go },
  );
  assertEquals((await caller.next())?.id, 5);
  caller.close();
  const said = JSON.parse(new TextDecoder().decode((await called.output()).stdout));
  assertEquals([said.id, said.success], [null, true]);
  const [{ status: ended, receipt }] = said.output.results;
  assertEquals([ended, receipt.failed], ["done", 1]);
  assertEquals(workspace.read("kept/x"), "kept\n");
  const asking = await gate.connect();
  assertEquals(await asking.codeOf(spawning(["exit 0"])), null);
  await stopped(gate, asking);
});
