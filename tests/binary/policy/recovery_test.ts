/** What the policy wants done about failures, seen in results. */

import { assert, assertEquals } from "@std/assert";
import { call, Pipe, Workspace } from "../toolgate.ts";

/** Backtracks for longer than anybody waits, and is not linear in V8 (`i`). */
const HANG = { pattern: "(a+)+$", case_sensitive: false, path: "bad.txt" };
const FILES = { "bad.txt": `${"a".repeat(60)}!\n` };

const policy = (recovery: string, more = "") =>
  `version: 1
paths: [{ allow: [read, write], match: ["**"] }]
tools: { search_files: { timeout: 150ms } }
recovery: ${recovery}
${more}`;

Deno.test("a timeout is followed by tries with more time, and the result says so", async () => {
  await using workspace = new Workspace(FILES);
  const file = workspace.policy(policy("{ timeout: { retries: 2, factor: 2 } }"));
  const { answer, status } = await call(
    ["search_files", "--json", JSON.stringify(HANG), "--policy", file],
    { cwd: workspace.root },
  );
  assertEquals([answer.error?.code, status], ["TIMEOUT", 5]);
  assertEquals((answer as unknown as { recovery: unknown }).recovery, [
    { strategy: "timeout", because: "TIMEOUT", timeout_ms: 300 },
    { strategy: "timeout", because: "TIMEOUT", timeout_ms: 600 },
  ]);
});

Deno.test("another tool answers in the place of one that failed, under its own rules", async () => {
  await using workspace = new Workspace(FILES);
  const recovery = "{ alternatives: { search_files: [get_file_info] } }";
  const request = { id: 1, tool: "search_files", args: { ...HANG, path: "." } };
  const pipe = new Pipe(["--policy", workspace.policy(policy(recovery))], { cwd: workspace.root });
  const answer = await pipe.ask(request);
  await pipe.close();
  assert(answer.success, JSON.stringify(answer));
  assertEquals([answer.id, answer.tool, answer.output.type], [1, "get_file_info", "directory"]);

  const closed = workspace.policy(
    policy(recovery).replace("150ms }", "150ms }, get_file_info: { enabled: false }"),
    "closed.yaml",
  );
  const other = new Pipe(["--policy", closed], { cwd: workspace.root });
  assertEquals((await other.ask(request)).error?.code, "TIMEOUT");
  await other.close();
});

Deno.test("an agent without the permission: refused, or asked for where the policy wants that", async () => {
  await using workspace = new Workspace(FILES);
  const agents = "agents: { root: { permissions: [all] }, kid: { permissions: [file_read] } }";
  const args = ["write_file", "path=x", "content=y", "--agent", "kid", "--policy"];
  const at = { cwd: workspace.root };
  const plain = workspace.policy(policy("{}", agents), "plain.yaml");
  assertEquals((await call([...args, plain], at)).answer.error?.code, "PERMISSION_DENIED");
  const asking = workspace.policy(policy("{ permission: ask }", agents), "asking.yaml");
  assertEquals((await call([...args, asking], at)).status, 4);
  assertEquals((await call([...args, asking, "--approve"], at)).status, 0);
  // A further policy that says nothing of asking takes it away.
  const further = workspace.policy(policy("{}", agents), "further.yaml");
  const both = await call([...args, asking, "--policy", further, "--approve"], at);
  assertEquals(both.answer.error?.code, "PERMISSION_DENIED");
});
