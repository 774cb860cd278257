/** What calls a gate from the command line, and MCP clients: they are thin, and the gate's policy is theirs. */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { Gate } from "../_gate.ts";
import { BINARY, start, Workspace } from "../toolgate.ts";

const POLICY = `version: 1
paths:
  - { allow: [read, write], match: ["**"] }
  - { ask: [write], match: ["kept/**"] }
  - { deny: [read], match: ["secret/**"] }
commands: [{ allow: [seq] }]
agents: { root: { permissions: [all] }, reader: { permissions: [file_read] } }
`;

Deno.test("a gate that is ended as soon as it listens ends as any other", async () => {
  await using workspace = new Workspace({});
  for (let at = 0; at < 3; at++) {
    const gate = await Gate.start(workspace, { policy: POLICY });
    assertEquals(await gate.stop(), 0);
    assertEquals(
      [...Deno.readDirSync(workspace.base)].filter(({ name }) => name.endsWith(".sock")),
      [],
    );
  }
});

Deno.test("call, tools and gate by the command line", async () => {
  await using workspace = new Workspace({ "a.txt": "one\ntwo\n", "secret/key": "k" });
  const gate = await Gate.start(workspace, { policy: POLICY });
  const at = ["--gate", gate.socket];
  const kept = ["write_file", "path=kept/x", "content=x"];
  const table: readonly [args: readonly string[], status: number, shown: string][] = [
    [["read_file", "path=a.txt", "start_line=2", ...at], 0, '"content":"two\\n"'],
    [["read_file", "--json", '{"path": "a.txt"}', "end_line=1", ...at], 0, '"content":"one\\n"'],
    [["read_file", "--json", '{"path": "a.txt"}', "path=b", ...at], 2, "given as JSON"],
    [["read_file", "path=missing", ...at], 1, "FILE_NOT_FOUND"],
    [["read_file", "path=secret/key", ...at], 3, "PATH_DENIED"],
    [["no_such_tool", ...at], 2, "UNKNOWN_TOOL"],
    [["read_file", "start_line=x", ...at], 2, "INVALID_ARGUMENTS"],
    [[...kept, ...at], 4, "APPROVAL_REQUIRED"],
    [["write_file", "path=b", "content=x", "--preview", ...at], 0, '"change":"added"'],
    [[...kept, "--approve", ...at], 0, '"bytes_written":1'],
    [["write_file", "path=b", "content=x", "--agent", "reader", ...at], 3, "PERMISSION_DENIED"],
    [["run_command", "command=seq 2", "--format", "text", ...at], 0, "1\n2\n"],
    [["read_file", "path=a.txt", "--policy", "/x", ...at], 2, "has no effect at a gate"],
    [["read_file", "path=a.txt", "--gate", `${gate.socket}.not`], 2, "no gate listens there"],
  ];
  for (const [args, status, shown] of table) {
    const called = await start(["call", ...args], { cwd: workspace.outside });
    assertEquals(called.status, status, args.join(" ") + called.stdout + called.stderr);
    assertStringIncludes(called.stdout + called.stderr, shown);
  }
  // As the whole command line has it answered, which `--quiet` is taken apart for: longer than is read at once.
  workspace.write("long", "é".repeat(200_000));
  const [plain, whole] = await Promise.all(
    [[], ["--quiet"]].map((flags) => start(["call", "read_file", "path=long", ...flags, ...at])),
  );
  const timeless = (text: string) => text.replace(/"latency_ms":[\d.]+/, "");
  assertEquals(timeless(plain!.stdout), timeless(whole!.stdout));
  assertStringIncludes(plain!.stdout, "é".repeat(200_000));
  const byName = await start(["call", "read_file", "path=a.txt"], {
    env: { TOOLGATE_GATE: gate.socket },
  });
  assertEquals(byName.status, 0);
  // An approval is for what was asked for, and nothing else.
  const [, approval = ""] = /"approval":"(ap_\w+)"/.exec(
    (await start(["call", "write_file", "path=kept/y", "content=y", ...at])).stdout,
  ) ?? [];
  const with_ = (path: string) =>
    start(["call", "write_file", `path=${path}`, "content=y", "--approval", approval, ...at]);
  assertEquals([(await with_("kept/z")).status, (await with_("kept/y")).status], [4, 0]);
  const listed = JSON.parse((await start(["tools", ...at])).stdout) as { name: string }[];
  const own = await start(["tools", "--policy", workspace.policy(POLICY)]);
  assertEquals(listed, JSON.parse(own.stdout));
  const schema = ["tools", "schema", "--for", "openai"];
  assertEquals(
    (await start([...schema, ...at])).stdout,
    (await start([...schema, "--policy", workspace.policy(POLICY)])).stdout,
  );
  assertStringIncludes((await start(["tools", "show", "seq", ...at])).stderr, "offers no tool");
  assertStringIncludes((await start(["gate", "status", ...at])).stdout, `"pid":${gate.pid}`);
  assertStringIncludes((await start(["gate"])).stderr, "--gate PATH");
  assertEquals((await start(["gate", "stop", ...at])).status, 0);
  assertEquals((await gate.process.status).code, 0);
});

Deno.test("a call takes the first answer, in however many pieces it comes, and tells where none does", async () => {
  const folder = await Deno.makeTempDir({ prefix: "toolgate-gate-" });
  const path = `${folder}/s`;
  const rest = '"error":null,"risk":"safe","latency_ms":1.00,"usage":{}}\n';
  const success = `{"id":"call","tool":"t","success":true,"output":1,${rest}`;
  const asks = '{"event":"approval_required","id":"x","approval":"ap_1"}\n';
  const table: readonly (readonly [pieces: readonly string[], status: number, shown: string])[] = [
    [[success], 0, `{"id":null,${success.slice('{"id":"call",'.length)}`],
    [[...success, `${asks}more`], 0, `{"id":null,${success.slice('{"id":"call",'.length)}`],
    // Another's question, and what is none of its own by its name.
    [[asks, success], 0, `{"id":null,${success.slice('{"id":"call",'.length)}`],
    [
      [`{"id":"answer"}\n${success.slice(0, 30)}`, success.slice(30)],
      0,
      '"tool":"t","success":true',
    ],
    [[success.slice(0, -1)], 5, "the gate ended before it answered"],
    [[], 5, "the gate ended before it answered"],
  ];
  try {
    for (const [pieces, status, shown] of table) {
      using listener = Deno.listen({ transport: "unix", path });
      const called = start(["call", "t", "--gate", path]);
      using caller = await listener.accept();
      const asked = new Uint8Array(100);
      let length = 0;
      for (let count; (count = await caller.read(asked.subarray(length))) !== null;) {
        length += count;
      }
      const line = new TextDecoder().decode(asked.subarray(0, length));
      assertEquals(line, '{"id":"call","tool":"t","args":{}}\n');
      for (const piece of pieces) await caller.write(new TextEncoder().encode(piece));
      caller.closeWrite();
      const { stdout, status: exited } = await called;
      assertEquals(exited, status, stdout);
      assertStringIncludes(stdout, shown);
    }
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("a gate of either name hears from the first line what is spoken: messages of MCP, or the pipe's", async () => {
  await using workspace = new Workspace({ "a.txt": "hello\n" });
  for (const command of ["mcp", "serve"] as const) {
    const gate = await Gate.start(workspace, { policy: POLICY, command });
    const [client, pipe, odd] = [await gate.connect(), await gate.connect(), await gate.connect()];
    const rpc = (id: number, method: string, params: Record<string, unknown>) =>
      client.ask({ jsonrpc: "2.0", id, method, params }) as Promise<unknown> as Promise<
        { readonly result?: Record<string, unknown>; readonly error?: { readonly code: number } }
      >;
    const early = await rpc(1, "tools/list", {});
    assertEquals(early.error?.code, -32602, JSON.stringify(early));
    const hello = await rpc(2, "initialize", { protocolVersion: "2025-06-18", capabilities: {} });
    assertEquals(hello.result?.["protocolVersion"], "2025-06-18");
    const read = await rpc(3, "tools/call", { name: "read_file", arguments: { path: "a.txt" } });
    assertStringIncludes(JSON.stringify(read.result), "hello");
    const refused = await rpc(4, "tools/call", {
      name: "write_file",
      arguments: { path: "kept/x", content: "x" },
    });
    assertStringIncludes(JSON.stringify(refused.result), "APPROVAL_REQUIRED");
    const answer = await pipe.ask({ id: 1, tool: "read_file", args: { path: "a.txt" } });
    assertEquals(answer.output.content, "hello\n");
    assertEquals(await odd.codeOf({ id: 1, method: "tools/list" }), "INVALID_REQUEST");
    for (const one of [client, pipe, odd]) one.close();
    assertEquals(await gate.stop(), 0);
  }
  const both = await start(["mcp", "--listen", "unix:/x/gate.sock", "--gate", "/x/gate.sock"]);
  assertEquals(both.status, 2);
  assertStringIncludes(both.stderr, "--listen");
});

Deno.test({
  name: "the MCP clients of others work through a gate, each under its own roots",
  // The SDK's transport leaves a timer behind when it is closed.
  sanitizeOps: false,
  sanitizeResources: false,
  fn: async () => {
    await using workspace = new Workspace({ "a.txt": "hello\n", "sub/b.txt": "b\n" });
    const gate = await Gate.start(workspace, { policy: POLICY });
    const connect = async (roots: readonly string[] | null): Promise<Client> => {
      const client = new Client({ name: "test", version: "1" }, {
        capabilities: { elicitation: {}, ...(roots === null ? {} : { roots: {} }) },
      });
      client.setRequestHandler(
        "elicitation/create",
        () => ({ action: "accept", content: { agree: true } }),
      );
      if (roots !== null) {
        client.setRequestHandler("roots/list", () => ({ roots: roots.map((uri) => ({ uri })) }));
      }
      await client.connect(
        new StdioClientTransport({
          command: BINARY,
          args: ["mcp", "--gate", gate.socket],
          env: {},
        }),
      );
      return client;
    };
    // deno-lint-ignore no-explicit-any
    const read = async (client: Client, path: string): Promise<any> =>
      (await client.callTool({ name: "read_file", arguments: { path } })).structuredContent ??
        "refused";
    const [whole, below] = [
      await connect(null),
      await connect([`file://${workspace.path("sub")}`]),
    ];
    assertEquals(whole.getServerVersion()?.name, "toolgate");
    const { tools } = await whole.listTools();
    assert(tools.some(({ name }) => name === "read_file"));
    assertEquals((await read(whole, "a.txt")).content, "hello\n");
    assertEquals((await read(below, "sub/b.txt")).content, "b\n");
    assertEquals((await read(below, "a.txt")).content, undefined);
    // Programs of both engines run beside each other.
    const run = (client: Client) =>
      client.callTool({ name: "run_command", arguments: { command: "seq 2" } });
    // deno-lint-ignore no-explicit-any
    const ran: any[] = await Promise.all([whole, below, whole, below].map(run));
    for (const { structuredContent } of ran) assertEquals(structuredContent?.stdout, "1\n2\n");
    assertEquals((await read(whole, "a.txt")).content, "hello\n");
    await Promise.all([whole.close(), below.close()]);
    assertEquals(await gate.stop(), 0);
  },
});
