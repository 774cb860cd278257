/** Child agents that speak the Agent Client Protocol: what they ask their client for is done under the policy. */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { CHILD_POLICY, repository, results, spawn, stopped, tool } from "./_child_agent.ts";
import { Gate } from "../_gate.ts";
import { stillRunning, untilRunning } from "../_processes.ts";

/** Does what its prompt says, a step a line: `METHOD PARAMS`, `say TEXT`, `stop REASON`, `line TEXT`, `sleep N`, `until FILE`. */
const ACP_AGENT = `import json, os, subprocess, sys, time

last = 100
def receive():
    line = sys.stdin.readline()
    if not line: sys.exit(9)
    return json.loads(line)

def send(message): print(json.dumps({"jsonrpc": "2.0", **message}), flush=True)

def ask(method, params):
    global last
    last += 1
    send({"id": last, "method": method, "params": params})
    while True:
        answer = receive()
        if answer.get("id") == last and "method" not in answer: return answer

def turn(id, prompt):
    texts = [block["text"] for block in prompt]
    for text in texts[1:]: print("context", text, file=sys.stderr, flush=True)
    reason, terminal = "end_turn", None
    for step in texts[0].split("\\n"):
        word, _, rest = step.partition(" ")
        if word == "say":
            chunk = {"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": rest}}
            send({"method": "session/update", "params": {"sessionId": "s", "update": chunk}})
        elif word == "stop": reason = rest
        elif word == "line": print(rest, flush=True)
        elif word == "sleep": subprocess.run(["sleep", rest])
        elif word == "until":
            while not os.path.exists(rest): time.sleep(0.02)
        elif "/" in word:
            params = {"sessionId": "s", **json.loads(rest or "{}")}
            if "path" in params: params["path"] = os.path.join(os.getcwd(), params["path"])
            if word.startswith("terminal/") and word != "terminal/create": params["terminalId"] = terminal
            answer = ask(word, params)
            terminal = answer.get("result", {}).get("terminalId", terminal)
            said = answer["error"]["message"].split(":")[0] if "error" in answer else answer["result"]
            print(word, json.dumps(said), file=sys.stderr, flush=True)
    send({"id": id, "result": {"stopReason": reason}})

while True:
    message = receive()
    method, params = message.get("method"), message.get("params", {})
    if method == "initialize":
        send({"id": message["id"], "result": {"protocolVersion": int(os.environ.get("SPEAKS", "1")), "agentCapabilities": {}}})
    elif method == "session/new":
        assert params["cwd"] == os.getcwd(), params
        send({"id": message["id"], "result": {"sessionId": "s"}})
    elif method == "session/prompt": turn(message["id"], params["prompt"])
`;

const POLICY = CHILD_POLICY.replace("[python3, agent.py]", "[python3, acp.py], protocol: acp");

Deno.test("a child of another tongue: files, terminals and leave by the policy, turns and their end", async () => {
  await using workspace = await repository({ "acp.py": ACP_AGENT, "lines.txt": "1\n2\n3\n4\n" });
  const gate = await Gate.start(workspace, { policy: POLICY });
  const caller = await gate.connect();
  const options = ["allow_once", "allow_always", "reject_once"]
    .map((kind) => ({ optionId: `o-${kind}`, name: kind, kind }));
  const leave = (title: string) =>
    `session/request_permission ${
      JSON.stringify({ toolCall: { toolCallId: "1", title }, options })
    }`;
  const child = await spawn(caller, [
    'fs/read_text_file {"path": "lines.txt", "line": 2, "limit": 2}',
    'fs/read_text_file {"path": "none.txt"}',
    'fs/read_text_file {"path": "secret/key"}',
    'fs/read_text_file {"path": "../../../a.txt"}',
    'fs/write_text_file {"path": "new.txt", "content": "n\\n"}',
    'terminal/create {"command": "seq", "args": ["2"]}',
    "terminal/wait_for_exit",
    "terminal/output",
    'terminal/create {"command": "sleep 610.0951"}',
    "terminal/kill",
    "terminal/wait_for_exit",
    "terminal/release",
    "terminal/output",
    'terminal/create {"command": "touch x"}',
    "session/none",
    leave("Edit the moon"),
    leave("Edit the sun"),
    'line {"jsonrpc": "2.0", "id": 5}',
    "say Hello, ",
    "say world",
  ], { context: { why: 1 } });
  for (const op of ["approve", "reject"]) {
    const asked = await caller.next() as unknown as Record<string, unknown>;
    assertEquals([asked["event"], asked["agent"]], ["approval_required", child.agent_id]);
    assertEquals(asked["remember"], ["once"]);
    const { error } = await caller.ask({ id: 2, op, approval: asked["approval"] });
    assertEquals(error, null);
  }
  const { results: [result] } = await results(caller);
  const { output } = await tool(caller, "get_agent_status", { agent_id: child.agent_id });
  assertEquals([result.status, result.result], ["done", "Hello, world"], output.log_tail);
  assertEquals(output.log_tail.trim().split("\n"), [
    'context {"why":1}',
    'fs/read_text_file {"content": "2\\n3\\n"}',
    'fs/read_text_file "FILE_NOT_FOUND"',
    'fs/read_text_file "PATH_DENIED"',
    'fs/read_text_file "PATH_OUTSIDE_WORKSPACE"',
    "fs/write_text_file {}",
    'terminal/create {"terminalId": "term-1"}',
    'terminal/wait_for_exit {"exitCode": 0, "signal": null}',
    'terminal/output {"output": "1\\n2\\n", "truncated": false, "exitStatus": {"exitCode": 0, "signal": null}}',
    'terminal/create {"terminalId": "term-2"}',
    "terminal/kill {}",
    'terminal/wait_for_exit {"exitCode": null, "signal": "SIGTERM"}',
    "terminal/release {}",
    'terminal/output "terminalId"',
    'terminal/create "COMMAND_DENIED"',
    'session/none "this client has no method session/none"',
    'session/request_permission {"outcome": {"outcome": "selected", "optionId": "o-allow_once"}}',
    'session/request_permission {"outcome": {"outcome": "selected", "optionId": "o-reject_once"}}',
  ]);
  const { receipt, files } = result;
  assertEquals([receipt.files_read, receipt.files_written], [["lines.txt"], ["new.txt"]]);
  assertEquals(files, [{ path: "new.txt", change: "added" }]);
  // A message is a turn of its own, in order.
  const second = await spawn(caller, ["until told", "say one"]);
  for (const message of ["say two", "say three"]) {
    const sent = { agent_id: second.agent_id, message: `\n${message}` };
    assertEquals((await tool(caller, "send_message_to_agent", sent)).output.delivered, true);
  }
  Deno.writeTextFileSync(workspace.path(second.worktree, "told"), "");
  const { results: [told] } = await results(caller, [second.agent_id]);
  assertEquals([told.status, told.result], ["done", "onetwothree"]);
  // However else it ends, it has not done its task, and nothing of it runs on.
  const refused = await spawn(caller, ["say no", "stop refusal"]);
  const { results: [no] } = await results(caller, [refused.agent_id]);
  assertEquals([no.status, no.result], ["failed", "no"]);
  const cut = await spawn(caller, ["sleep 610.0952"]);
  await untilRunning("610.0952", 1);
  const ended = await tool(caller, "terminate_agent", { agent_id: cut.agent_id });
  assertEquals(ended.output.status, "terminated");
  assertEquals([await stillRunning("610.0951"), await stillRunning("610.0952")], [[], []]);
  await stopped(gate, caller);
  // Nothing is done for one that speaks another version.
  const other = await Gate.start(workspace, {
    policy: `${POLICY}environment: { set: { SPEAKS: "7" } }\n`,
  });
  const asking = await other.connect();
  await spawn(asking, ["say x"]);
  const { results: [none] } = await results(asking);
  const { output: why } = await tool(asking, "get_agent_status", { agent_id: none.agent_id });
  assertEquals(none.status, "failed");
  assert(none.receipt.calls === 0);
  assertStringIncludes(why.why, "version 1");
  await stopped(other, asking);
});
