/** The MCP server as clients meet it: the official SDK's client, and raw lines for what no good client sends. */

import { assert, assertEquals, assertRejects } from "@std/assert";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import {
  type ClientCapabilities,
  ElicitRequestSchema,
  ListRootsRequestSchema,
  LoggingMessageNotificationSchema,
} from "@modelcontextprotocol/sdk/types.js";
import { comesToBe } from "../../until.ts";
import { BINARY, Pipe, Workspace } from "../toolgate.ts";

const POLICY = `version: 1
paths:
  - { allow: [read, write], match: ["**"] }
  - { deny: [read, write], match: ["secret/**"], reason: closed }
commands: [{ allow: [cat, seq, sleep] }]
risk: { allow: safe, ask: dangerous }
approvals: { expire: 1h }
timeouts: { default: 1h }
limits: { matches: 1000 }
`;

/** A client of the SDK, connected; `setUp` gives it what it answers with. */
async function connect(
  workspace: Workspace,
  capabilities: ClientCapabilities = {},
  setUp: (client: Client) => void = () => {},
): Promise<Client> {
  const client = new Client({ name: "test", version: "1" }, { capabilities });
  setUp(client);
  await client.connect(
    new StdioClientTransport({
      command: BINARY,
      args: ["mcp", "--policy", workspace.policy(POLICY)],
      cwd: workspace.root,
      env: { PATH: "/usr/bin:/bin", HOME: "/dev/null/home" },
    }),
  );
  return client;
}

// deno-lint-ignore no-explicit-any
type Loose = any;

/** The SDK's transport leaves a timer behind when it is closed. */
function withClient(name: string, fn: () => Promise<void>): void {
  Deno.test({ name, fn, sanitizeOps: false, sanitizeResources: false });
}

withClient(
  "the SDK's client: tools with schemas and hints, calls with structure, errors that say why",
  async () => {
    await using workspace = new Workspace({ "a.txt": "hello\n", "secret/key": "k\n" });
    const client = await connect(workspace);
    assertEquals(client.getServerVersion()?.name, "toolgate");
    const { tools } = await client.listTools();
    const read = tools.find(({ name }: Loose) => name === "read_file");
    assertEquals(read?.inputSchema.required, ["path"]);
    assertEquals(read?.outputSchema?.type, "object");
    assertEquals(read?.annotations?.readOnlyHint, true);
    assertEquals(
      tools.find(({ name }: Loose) => name === "write_file")?.annotations?.readOnlyHint,
      false,
    );
    // It looks, and may draw what it saw into a file.
    const analyse = tools.find(({ name }: Loose) => name === "analyze_performance");
    assertEquals(analyse?.annotations?.readOnlyHint, false);
    for (const { name, description } of tools) {
      assert(/^[A-Za-z0-9_.-]{1,128}$/.test(name) && (description ?? "") !== "", name);
    }
    // The client holds the structure against the output schema itself.
    const result: Loose = await client.callTool({
      name: "read_file",
      arguments: { path: "a.txt" },
    });
    assertEquals([result.isError, result.structuredContent.content], [false, "hello\n"]);
    assertEquals(JSON.parse(result.content[0].text).content, "hello\n");
    const denied: Loose = await client.callTool({
      name: "read_file",
      arguments: { path: "secret/key" },
    });
    assertEquals(denied.isError, true);
    assert(denied.content[0].text.startsWith("PATH_DENIED"), denied.content[0].text);
    assert(denied.content[0].text.includes("paths[1]"));
    const wrong: Loose = await client.callTool({ name: "read_file", arguments: { pth: "a" } });
    assert(wrong.isError && wrong.content[0].text.includes("path"), "a mended call can follow");
    await assertRejects(
      () => client.callTool({ name: "no_such_tool", arguments: {} }),
      Error,
      "unknown",
    );
    await client.close();
  },
);

withClient("each tool's structure fits its output schema, by the client's own check", async () => {
  await using workspace = new Workspace({ "a.txt": "hello\n", "b/c.json": "{}" });
  const client = await connect(workspace);
  await client.listTools();
  const calls: readonly (readonly [string, Record<string, unknown>])[] = [
    ["list_directory", { recursive: true }],
    ["search_files", { pattern: "hello" }],
    ["get_file_info", { path: "a.txt" }],
    ["run_command", { argv: ["cat", "a.txt"] }],
    ["get_timestamp", {}],
    ["get_help", { tool: "read_file" }],
    ["get_help", {}],
  ];
  for (const [name, args] of calls) {
    const result: Loose = await client.callTool({ name, arguments: args });
    assertEquals(result.isError, false, `${name}: ${JSON.stringify(result)}`);
    assert(result.structuredContent !== undefined, name);
  }
  await client.close();
});

withClient(
  "approvals go to whoever sits at the client; one that cannot ask is told so",
  async () => {
    await using workspace = new Workspace({ "a.txt": "old\n" });
    const write = { name: "write_file", arguments: { path: "a.txt", content: "new\n" } };
    const deaf = await connect(workspace);
    const refused: Loose = await deaf.callTool(write);
    assert(refused.isError && refused.content[0].text.startsWith("APPROVAL_REQUIRED"));
    await deaf.close();
    assertEquals(workspace.read("a.txt"), "old\n");

    const asked: Loose[] = [];
    const answers: Loose[] = [
      { action: "decline" },
      { action: "cancel" },
      { action: "accept", content: { decision: "no" } },
      { action: "accept", content: { decision: "once" } },
    ];
    const client = await connect(workspace, { elicitation: {} }, (client) => {
      client.setRequestHandler(ElicitRequestSchema, (request: Loose) => {
        asked.push(request.params);
        return answers.shift();
      });
    });
    for (let i = 0; i < 3; i++) {
      const result: Loose = await client.callTool(write);
      assert(result.content[0].text.startsWith("APPROVAL_REJECTED"), result.content[0].text);
      assertEquals(workspace.read("a.txt"), "old\n");
    }
    assert(asked[0].message.includes("Write file: a.txt") && asked[0].message.includes("-old"));
    assertEquals(((await client.callTool(write)) as Loose).isError, false);
    assertEquals(workspace.read("a.txt"), "new\n");
    await client.close();
  },
);

withClient("roots narrow the workspace and never widen it", async () => {
  await using workspace = new Workspace({ "in/a.txt": "a\n", "other/b.txt": "b\n" });
  const roots = [`file://${workspace.path("in")}`];
  const client = await connect(workspace, { roots: { listChanged: true } }, (client) => {
    client.setRequestHandler(
      ListRootsRequestSchema,
      () => ({ roots: roots.map((uri) => ({ uri })) }),
    );
  });
  const read = async (path: string) =>
    ((await client.callTool({ name: "read_file", arguments: { path } })) as Loose).isError ===
      false;
  assertEquals([await read("in/a.txt"), await read("other/b.txt")], [true, false]);
  roots.splice(0, 1, `file://${workspace.root}`);
  await client.sendRootsListChanged();
  assertEquals([await read("in/a.txt"), await read("other/b.txt")], [true, true]);
  roots.splice(0, 1, `file://${workspace.outside}`, "https://example.org/x");
  await client.sendRootsListChanged();
  assertEquals([await read("in/a.txt"), await read(`${workspace.outside}/sentinel.txt`)], [
    false,
    false,
  ]);
  await client.close();
});

withClient("resources are the workspace's files, under the same policy", async () => {
  await using workspace = new Workspace({
    "a b/größe.txt": "hello\n",
    "raw.bin": "\0\u0001",
    "secret/key": "k",
  });
  const client = await connect(workspace);
  const { resources } = await client.listResources();
  assertEquals(resources.map(({ name }: Loose) => name), ["a b/größe.txt", "raw.bin"]);
  const [text, raw] = resources;
  const read: Loose = await client.readResource({ uri: text?.uri ?? "" });
  assertEquals(read.contents[0].text, "hello\n");
  const binary: Loose = await client.readResource({ uri: raw?.uri ?? "" });
  assertEquals(binary.contents[0].blob, btoa("\0\u0001"));
  for (
    const uri of [
      "workspace:///secret/key",
      "workspace:///../outside/sentinel.txt",
      "file:///etc/passwd",
    ]
  ) {
    await assertRejects(() => client.readResource({ uri }), Error);
  }
  const { resourceTemplates } = await client.listResourceTemplates();
  assertEquals(resourceTemplates.length, 1);
  await client.close();
});

withClient("progress, cancellation and log messages", async () => {
  await using workspace = new Workspace(
    Object.fromEntries(Array.from({ length: 1500 }, (_, i) => [`f${i}.txt`, "x\n"])),
  );
  const logged: Loose[] = [];
  const client = await connect(workspace, {}, (client) => {
    client.setNotificationHandler(LoggingMessageNotificationSchema, ({ params }: Loose) => {
      logged.push(params);
    });
  });
  await client.setLoggingLevel("warning");
  const steps: number[] = [];
  await client.callTool(
    { name: "search_files", arguments: { pattern: "x" } },
    undefined,
    { onprogress: ({ progress }: Loose) => void steps.push(progress) },
  );
  assert(steps.every((step, i) => i === 0 || step > (steps[i - 1] ?? 0)), `${steps}`);
  const controller = new AbortController();
  const sleeping = client.callTool(
    { name: "run_command", arguments: { argv: ["sleep", "30"] } },
    undefined,
    { signal: controller.signal },
  );
  setTimeout(() => controller.abort("enough"), 100);
  await assertRejects(() => sleeping);
  await client.callTool({ name: "read_file", arguments: { path: "none" } });
  assertEquals(logged.map(({ level, logger }) => [level, logger]).at(-1), ["warning", "toolgate"]);
  await client.close();
});

/** The binary's raw answers to raw lines. */
function raw(workspace: Workspace): Pipe {
  return new Pipe(["--policy", workspace.policy(POLICY)], { cwd: workspace.root, words: ["mcp"] });
}

const initialize = (protocolVersion: string) => ({
  jsonrpc: "2.0",
  id: 0,
  method: "initialize",
  params: { protocolVersion, capabilities: {}, clientInfo: { name: "t", version: "1" } },
});

withClient(
  "sessions in three revisions; any other is answered with the newest that has them",
  async () => {
    await using workspace = new Workspace({ "a.txt": "hello\n" });
    for (
      const [asked, given] of [
        ["2025-11-25", "2025-11-25"],
        ["2025-06-18", "2025-06-18"],
        ["2025-03-26", "2025-03-26"],
        ["2024-11-05", "2025-11-25"],
        ["1999-01-01", "2025-11-25"],
      ] as const
    ) {
      const pipe = raw(workspace);
      const hello: Loose = await pipe.ask(initialize(asked));
      assertEquals(hello.result.protocolVersion, given);
      const call = {
        jsonrpc: "2.0",
        id: "c",
        method: "tools/call",
        params: { name: "read_file", arguments: { path: "a.txt" } },
      };
      const result: Loose = await pipe.ask(call);
      assertEquals("structuredContent" in result.result, given !== "2025-03-26");
      const list: Loose = await pipe.ask({ jsonrpc: "2.0", id: "l", method: "tools/list" });
      assertEquals("outputSchema" in list.result.tools[0], given !== "2025-03-26");
      assertEquals((await pipe.close()).status, 0);
    }
  },
);

withClient(
  "what no good client sends is answered as JSON-RPC wants, and the next request works",
  async () => {
    await using workspace = new Workspace();
    const pipe = raw(workspace);
    const early: Loose = await pipe.ask({ jsonrpc: "2.0", id: 1, method: "tools/list" });
    assertEquals([early.id, early.error.code], [1, -32602]);
    await pipe.ask(initialize("2025-11-25"));
    const cases: readonly (readonly [string, unknown, number])[] = [
      ["{", null, -32700],
      ["[]", null, -32600],
      ['[{"jsonrpc":"2.0","id":9,"method":"ping"}]', null, -32600],
      ["7", null, -32600],
      ['{"id":1,"method":"ping"}', 1, -32600],
      ['{"jsonrpc":"2.0","id":null,"method":"ping"}', null, -32600],
      ['{"jsonrpc":"2.0","id":2,"method":7}', 2, -32600],
      ['{"jsonrpc":"2.0","id":3,"method":"no/such"}', 3, -32601],
      ['{"jsonrpc":"2.0","id":4,"method":"ping","params":[]}', 4, -32602],
      ['{"jsonrpc":"2.0","id":4,"method":"tools/list","params":{"cursor":"1"}}', 4, -32602],
      ['{"jsonrpc":"2.0","id":4,"method":"resources/subscribe","params":{"uri":"x"}}', 4, -32601],
      ['{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{}}', 5, -32602],
      ['{"jsonrpc":"2.0","id":6,"method":"resources/read","params":{"uri":"x"}}', 6, -32602],
      ['{"jsonrpc":"2.0","id":7,"method":"logging/setLevel","params":{"level":"x"}}', 7, -32602],
    ];
    for (const [line, id, code] of cases) {
      await pipe.send(line);
      const answer: Loose = await pipe.next();
      assertEquals([answer.id ?? null, answer.error?.code], [id, code], line);
      // Since 2025-11-25 an error without a readable id has none.
      assertEquals("id" in answer, id !== null, line);
    }
    // Nothing of ours was asked: answers to nothing, and notifications that mean nothing, are let go by.
    await pipe.send(
      '{"jsonrpc":"2.0","id":"toolgate-99","result":{}}',
      '{"jsonrpc":"2.0","method":"notifications/what"}',
      '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"none"}}',
    );
    const pong: Loose = await pipe.ask({ jsonrpc: "2.0", id: 8, method: "ping" });
    assertEquals([pong.id, pong.result], [8, {}]);
    assertEquals((await pipe.close()).status, 0);
  },
);

withClient("10,000 calls without growth", async () => {
  await using workspace = new Workspace({ "a.txt": "hello\n" });
  const pipe = raw(workspace);
  await pipe.ask(initialize("2025-11-25"));
  const call = (id: number) => ({
    jsonrpc: "2.0",
    id,
    method: "tools/call",
    params: { name: "read_file", arguments: { path: "a.txt" } },
  });
  const descriptors = () => [...Deno.readDirSync(`/proc/${pipe.process.pid}/fd`)].length;
  const memory = () => {
    const status = Deno.readTextFileSync(`/proc/${pipe.process.pid}/status`);
    return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024;
  };
  const round = async (count: number) => {
    for (let done = 0; done < count; done += 50) {
      await pipe.send(...Array.from({ length: 50 }, (_, i) => call(done + i + 1)));
      for (let i = 0; i < 50; i++) {
        const answer: Loose = await pipe.next();
        assertEquals(answer.result.isError, false);
      }
    }
  };
  await round(2_000);
  const before = memory();
  const open = descriptors();
  await round(8_000);
  const after = memory();
  const isClosed = () => descriptors() <= open + 2;
  assert(await comesToBe(isClosed), `${open} descriptors, then ${descriptors()}`);
  assert(after < before * 1.3 + 10, `${before} MiB, then ${after} MiB`);
  await pipe.close();
});
