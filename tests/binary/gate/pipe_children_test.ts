/** Child agents of who speaks over a pipe: NDJSON or MCP, with no gate that others could come to. */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { ElicitRequestSchema, ListRootsRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { CHILD_POLICY, git, repository, results, spawn, spawning, tool } from "./_child_agent.ts";
import { worktreeIsThere } from "./_child_agent.ts";
import { running, stillRunning, untilRunning } from "../_processes.ts";
import { BINARY, Pipe, serveAll, type Workspace } from "../toolgate.ts";

const pipeIn = (workspace: Workspace, policy = CHILD_POLICY, words: readonly string[] = []) =>
  new Pipe(["--policy", workspace.policy(policy), "--quiet", ...words], { cwd: workspace.root });

Deno.test("over a plain pipe: children work, ask their parent, and end with its input", async () => {
  await using workspace = await repository();
  const pipe = pipeIn(workspace);
  const child = await spawn(pipe, [
    'call read_file {"path": "a.txt"}',
    'call write_file {"path": "kept/y", "content": "y"}',
    'call git_add {"all": true}',
    'call git_commit {"message": "work"}',
    "result 7",
  ]);
  const asked = await pipe.next() as unknown as Record<string, unknown>;
  assertEquals([asked["event"], asked["agent"]], ["approval_required", child.agent_id]);
  await pipe.ask({ id: 2, op: "approve", approval: asked["approval"] });
  const { results: [result] } = await results(pipe);
  assertEquals([result.status, result.result, result.receipt.calls], ["done", 7, 4]);
  assertEquals(await git(workspace, "show", "toolgate/child-1:kept/y"), "y");
  // Another name on the same pipe hands on what it has itself, and knows nothing of others' children.
  await pipe.send({
    ...spawning([
      'call write_file {"path": "b.txt", "content": "x"}',
      'call read_file {"path": "a.txt"}',
    ]),
    agent: "reader",
  });
  const below = (await pipe.next())?.output;
  await results(pipe, [below.agent_id]);
  const { output } = await tool(pipe, "get_agent_status", { agent_id: below.agent_id });
  assertEquals(output.log_tail.trim().split("\n"), [
    "write_file PERMISSION_DENIED",
    "read_file ok",
  ]);
  const foreign = {
    id: 3,
    tool: "get_agent_status",
    args: { agent_id: "child-1" },
    agent: "reader",
  };
  assertEquals((await pipe.ask(foreign)).error?.code, "AGENT_NOT_FOUND");
  // Programs of the parent run beside it, and neither ends the other's.
  const last = await spawn(pipe, ["grandchild 610.0841", "write x.txt mine", "wait"]);
  await untilRunning("610.0841", 1);
  assertEquals((await tool(pipe, "run_command", { command: "seq 2" })).output.stdout, "1\n2\n");
  assertEquals(running("610.0841").length, 1);
  assertEquals((await pipe.close()).status, 0);
  assertEquals(await stillRunning("610.0841"), []);
  assertEquals(Deno.readTextFileSync(workspace.path(last.worktree, "x.txt")), "mine\n");
  assertEquals(worktreeIsThere(workspace, child), false);
});

Deno.test("a child of an agent that has a worktree begins at what is committed there, and a child's at what is in the child's", async () => {
  await using workspace = await repository();
  const policy = CHILD_POLICY.replace(
    "agents:",
    "agents:\n  worker: { permissions: [all], worktree: true }",
  )
    .replace("max: 4", "max: 4, depth: 2");
  const pipe = pipeIn(workspace, policy);
  const ask = async (tool: string, args: Record<string, unknown>) => {
    const answer = await pipe.ask({ id: 9, tool, args, agent: "worker" });
    assert(answer.success, JSON.stringify(answer.error));
    return answer.output;
  };
  await ask("write_file", { path: "w.txt", content: "w" });
  await ask("git_add", { files: ["w.txt"] });
  const { hash } = await ask("git_commit", { message: "work" });
  const below = ['call git_commit {"message": "below", "allow_empty": true}'];
  await pipe.send({
    ...spawning([
      'call write_file {"path": "c.txt", "content": "c"}',
      'call git_add {"files": ["c.txt"]}',
      'call git_commit {"message": "child"}',
      // On no branch any more: it is HEAD that counts.
      'call git_checkout {"branch_or_commit": "HEAD~1"}',
      `call spawn_child_agent ${JSON.stringify({ task: below.join("\n") })}`,
      'call aggregate_agent_results {"wait_ms": 600000}',
    ]),
    agent: "worker",
  });
  const spawned = await pipe.next();
  assertEquals(spawned?.error, null);
  const child = spawned?.output;
  assertEquals(child.base, hash);
  assertEquals(await git(workspace, "rev-parse", "HEAD") === hash, false);
  const { results } = await ask("aggregate_agent_results", { wait_ms: 600_000 });
  assertEquals(results.map(({ status }: { status: string }) => status), ["done"]);
  assertEquals(
    await git(workspace, "log", "--format=%s", "toolgate/child-1"),
    "child\nwork\nfirst",
  );
  assertEquals(
    await git(workspace, "log", "--format=%s", "toolgate/child-1-1"),
    "below\nwork\nfirst",
  );
  await pipe.close();
});

Deno.test("over a plain pipe: what was asked for is answered at the end of input, and kills leave nothing", async () => {
  await using workspace = await repository();
  const policy = ["--policy", workspace.policy(CHILD_POLICY)];
  // A line after the other, with nobody there to read between: the wait is a request like others.
  const { answers, status } = await serveAll(
    [
      spawning(['call read_file {"path": "a.txt"}', "result 1"]),
      { id: 2, tool: "aggregate_agent_results", args: { wait_ms: 600_000 } },
    ],
    policy,
    { cwd: workspace.root },
  );
  assertEquals(status, 0);
  const [, all] = answers.toSorted((a, b) => Number(a.id) - Number(b.id));
  assert(all !== undefined && all.error === null, JSON.stringify(answers));
  const ended: readonly [signal: Deno.Signal | null, marker: string][] = [
    ["SIGTERM", "610.0842"],
    ["SIGKILL", "610.0843"],
    [null, "610.0844"],
  ];
  for (const [signal, marker] of ended) {
    const pipe = pipeIn(workspace);
    const clean = await spawn(pipe, [`grandchild ${marker}`, "wait"]);
    await untilRunning(marker, 1);
    if (signal === null) await pipe.abandon();
    else pipe.process.kill(signal);
    if (signal === null) await pipe.send({ id: 1, op: "ping" });
    const { code } = await pipe.process.status;
    await pipe.close().catch(() => {});
    assertEquals(code, signal === "SIGTERM" ? 0 : signal === null ? 1 : 137);
    assertEquals(await stillRunning(marker), []);
    // The next one finds what one that was killed has left.
    const next = pipeIn(workspace);
    await tool(next, "list_active_agents");
    assertEquals(worktreeIsThere(workspace, clean), false);
    await next.close();
  }
  const without = pipeIn(workspace, CHILD_POLICY.replace(/^children:.*\n/m, ""));
  assertEquals((await without.ask(spawning(["exit 0"]))).error?.code, "PROVIDER_NOT_CONFIGURED");
  await without.close();
});

Deno.test({
  name: "an MCP client has children, is asked for them, and hands on no more than its roots",
  // The SDK's transport leaves a timer behind when it is closed.
  sanitizeOps: false,
  sanitizeResources: false,
  fn: async () => {
    await using workspace = await repository({ "kept/in.txt": "in\n", "other/b.txt": "b\n" });
    const policy = workspace.policy(CHILD_POLICY);
    const connect = async (roots: readonly string[] | null) => {
      const client = new Client({ name: "test", version: "1" }, {
        capabilities: { elicitation: {}, ...(roots === null ? {} : { roots: {} }) },
      });
      const asked: string[] = [];
      client.setRequestHandler(
        ElicitRequestSchema,
        ({ params: { message } }: { params: { message: string } }) => {
          asked.push(message);
          return { action: "accept", content: { decision: "once" } };
        },
      );
      if (roots !== null) {
        const named = { roots: roots.map((uri) => ({ uri })) };
        client.setRequestHandler(ListRootsRequestSchema, () => named);
      }
      await client.connect(
        new StdioClientTransport({
          command: BINARY,
          args: ["mcp", "--policy", policy, "--quiet"],
          cwd: workspace.root,
          env: { PATH: "/usr/local/bin:/usr/bin:/bin" },
        }),
      );
      // deno-lint-ignore no-explicit-any
      const use = async (name: string, args: Record<string, unknown>): Promise<any> =>
        (await client.callTool({ name, arguments: args })).structuredContent;
      return { client, asked, use };
    };
    const task = [
      'call write_file {"path": "kept/y", "content": "y"}',
      'call read_file {"path": "other/b.txt"}',
    ].join("\n");
    const table: readonly [roots: readonly string[] | null, log: readonly string[]][] = [
      [null, ["write_file ok", "read_file ok"]],
      // Its program lies under them, too: what does not is out of its reach.
      [["kept", "agent.py"].map((name) => `file://${workspace.path(name)}`), [
        "write_file ok",
        "read_file PATH_DENIED",
      ]],
    ];
    for (const [roots, log] of table) {
      const { client, asked, use } = await connect(roots);
      const { agent_id } = await use("spawn_child_agent", { task });
      await use("aggregate_agent_results", { wait_ms: 600_000 });
      const status = await use("get_agent_status", { agent_id });
      assertEquals(status.log_tail.trim().split("\n"), log, JSON.stringify(status));
      assertEquals(asked.length, 1, asked.join());
      assertStringIncludes(asked[0] ?? "", agent_id);
      await client.close();
    }
  },
});
