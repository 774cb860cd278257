/** MCP 2026-07-28, where each request stands for itself: by the official client of that revision, and raw. */

import { assert, assertEquals } from "@std/assert";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { MCP_POLICY, type Message, selfContained, Session } from "../_mcp_session.ts";
import { BINARY, Workspace } from "../toolgate.ts";

const ABLE = selfContained({ elicitation: {} });

/** A call of `write_file` with what it is answered, in rounds. */
const write = (content: string, more: Message = {}) => ({
  name: "write_file",
  arguments: { path: "a.txt", content },
  _meta: ABLE,
  ...more,
});
const agree = (decision: string) => ({
  approval: { action: "accept", content: { decision } },
});

Deno.test("an answer counts once, for the very request that was asked about, while it is as it was", async () => {
  await using workspace = new Workspace({ "a.txt": "old\n" });
  const session = new Session(workspace);
  const state = async (content: string): Promise<string> => {
    const { result } = await session.ask("tools/call", write(content));
    assertEquals(result.resultType, "input_required");
    return result.requestState;
  };
  const inputResponses = agree("once");
  // Another request, an invented state, one of another shape: none is let through, and each uses the state up.
  const first = await state("one\n");
  for (
    const params of [
      write("two\n", { requestState: first, inputResponses }),
      write("one\n", { requestState: first, inputResponses }),
      write("one\n", { requestState: crypto.randomUUID(), inputResponses }),
      write("one\n", { requestState: 7, inputResponses }),
      write("one\n", { requestState: "", inputResponses }),
    ]
  ) assertEquals((await session.ask("tools/call", params)).error?.code, -32602);
  // An answer without a state is none, and so is one that says nothing.
  for (
    const more of [
      { inputResponses },
      { requestState: await state("one\n") },
      { requestState: await state("one\n"), inputResponses: {} },
      { requestState: await state("one\n"), inputResponses: { other: agree("once").approval } },
      { requestState: await state("one\n"), inputResponses: [] },
    ]
  ) {
    const { result } = await session.ask("tools/call", write("one\n", more));
    assertEquals(result?.resultType, "input_required", JSON.stringify(more));
  }
  // No, in all its forms.
  for (
    const approval of [
      { action: "decline" },
      { action: "cancel" },
      { action: "accept" },
      { action: "accept", content: { decision: "no" } },
      { action: "accept", content: { decision: true } },
      { action: "yes", content: { decision: "once" } },
    ]
  ) {
    const more = { requestState: await state("one\n"), inputResponses: { approval } };
    const { result } = await session.ask("tools/call", write("one\n", more));
    assert(result.content[0].text.startsWith("APPROVAL_REJECTED"), JSON.stringify(approval));
  }
  assertEquals(workspace.read("a.txt"), "old\n");
  // What it would do has changed since: it is asked again, and that answer counts.
  const stale = await state("one\n");
  workspace.write("a.txt", "changed\n");
  const again = await session.ask(
    "tools/call",
    write("one\n", { requestState: stale, inputResponses }),
  );
  assertEquals(again.result.resultType, "input_required");
  assert(again.result.inputRequests.approval.params.message.includes("-changed"));
  assertEquals(workspace.read("a.txt"), "changed\n");
  const { requestState } = again.result;
  const done = await session.ask("tools/call", write("one\n", { requestState, inputResponses }));
  assertEquals([done.result.isError, workspace.read("a.txt")], [false, "one\n"]);
  // A client that cannot ask is told so, as a result that a model can read.
  const { result } = await session.ask("tools/call", write("two\n", { _meta: selfContained() }));
  assert(result.isError && result.content[0].text.startsWith("APPROVAL_REQUIRED"));
  assertEquals(await session.close(), 0);
});

Deno.test("a resource that must be asked for takes as many rounds as it needs, and a list none", async () => {
  await using workspace = new Workspace({ "raw.bin": "\0\u0001" });
  const session = new Session(
    workspace,
    `version: 1\npaths: [{ ask: [read], match: ["**"] }]\nrisk: { allow: safe, ask: dangerous }\n`,
  );
  const params = { uri: "workspace:///raw.bin", _meta: ABLE };
  let answer = await session.ask("resources/read", params);
  let rounds = 0;
  for (; answer.result?.resultType === "input_required" && rounds < 5; rounds++) {
    const { requestState } = answer.result;
    const more = { requestState, inputResponses: agree("once") };
    answer = await session.ask("resources/read", { ...params, ...more });
  }
  assertEquals([answer.result?.contents[0].blob, rounds], [btoa("\0\u0001"), 2]);
  const list = await session.ask("resources/list", { _meta: ABLE });
  assertEquals(list.error?.code, -32602, "only calls and reads may ask");
  assertEquals(await session.close(), 0);
});

Deno.test("requests that say half of themselves, or another revision, are refused as the revision wants", async () => {
  await using workspace = new Workspace();
  const session = new Session(workspace);
  const whole = selfContained();
  const { "io.modelcontextprotocol/clientCapabilities": _, ...half } = whole;
  const cases: readonly (readonly [string, Message, number])[] = [
    ["server/discover", undefined, -32602],
    ["server/discover", { _meta: half }, -32602],
    ["server/discover", { _meta: { "io.modelcontextprotocol/clientCapabilities": {} } }, -32602],
    [
      "server/discover",
      { _meta: { ...whole, "io.modelcontextprotocol/protocolVersion": 7 } },
      -32602,
    ],
    [
      "tools/list",
      { _meta: { ...whole, "io.modelcontextprotocol/protocolVersion": "2025-11-25" } },
      -32022,
    ],
    ["tools/list", { _meta: { ...whole, "io.modelcontextprotocol/logLevel": "loud" } }, -32602],
    ["ping", { _meta: whole }, -32601],
    ["logging/setLevel", { _meta: whole, level: "debug" }, -32601],
    ["resources/read", { _meta: whole, uri: "workspace:///none" }, -32602],
    ["subscriptions/listen", { _meta: whole }, -32602],
  ];
  for (const [method, params, code] of cases) {
    assertEquals(
      (await session.ask(method, params)).error?.code,
      code,
      `${method} ${JSON.stringify(params)}`,
    );
  }
  const { error } = await session.ask("tools/list", {
    _meta: { ...whole, "io.modelcontextprotocol/protocolVersion": "1900-01-01" },
  });
  assertEquals(error.data, { supported: ["2026-07-28"], requested: "1900-01-01" });
  // Nothing is logged for who did not ask for it, whatever another request said.
  await session.ask("tools/call", { name: "read_file", arguments: { path: "none" }, _meta: whole });
  assertEquals(session.said.filter(({ method }) => method !== undefined), []);
  assertEquals(await session.close(), 0);
});

Deno.test("a stream of changes is acknowledged, kept open, and ended", async () => {
  await using workspace = new Workspace();
  const session = new Session(workspace);
  const params = { _meta: selfContained(), notifications: { toolsListChanged: true } };
  const cancelled = await session.request("subscriptions/listen", params);
  assertEquals((await session.next()).params, {
    _meta: { "io.modelcontextprotocol/subscriptionId": cancelled },
    notifications: {},
  });
  const kept = await session.request("subscriptions/listen", params);
  await session.next();
  await session.pipe.send({ jsonrpc: "2.0", id: kept, method: "tools/list", params });
  assertEquals((await session.next()).error.code, -32600, "the id is in use");
  await session.notify("notifications/cancelled", { requestId: cancelled });
  assertEquals((await session.ask("server/discover", params)).result.supportedVersions, [
    "2026-07-28",
  ]);
  assertEquals(await session.close(), 0);
  const ended = session.said.filter(({ id, result }) =>
    result?._meta?.["io.modelcontextprotocol/subscriptionId"] === id && id !== undefined
  );
  assertEquals(ended.map(({ id }) => id), [kept]);
});

Deno.test("both kinds of requests on one pipe: a session changes nothing for who stands for himself", async () => {
  await using workspace = new Workspace({ "a.txt": "old\n" });
  const session = new Session(workspace);
  session.onRequest = () => ({ action: "accept", content: { decision: "once" } });
  await session.initialize("2025-06-18", { elicitation: {} });
  const inSession = await session.ask("tools/call", { ...write("one\n"), _meta: {} });
  assertEquals([inSession.result.isError, "resultType" in inSession.result], [false, false]);
  const itself = await session.ask("tools/call", write("two\n", { _meta: selfContained() }));
  assert(itself.result.isError && itself.result.content[0].text.startsWith("APPROVAL_REQUIRED"));
  assertEquals(workspace.read("a.txt"), "one\n");
  assertEquals(await session.close(), 0);
});

// The last one: its transport leaves a timer behind when it is closed.
Deno.test({
  name: "the official client of 2026-07-28: discovery, tools, resources, approvals in round trips",
  sanitizeOps: false,
  sanitizeResources: false,
  async fn() {
    await using workspace = new Workspace({ "a.txt": "hello\n", "secret/key": "k" });
    const client = new Client({ name: "test", version: "1" }, {
      capabilities: { elicitation: {} },
      versionNegotiation: { mode: { pin: "2026-07-28" } },
    });
    const asked: Message[] = [];
    client.setRequestHandler("elicitation/create", (request: Message) => {
      asked.push(request.params);
      return { action: "accept", content: { decision: asked.length === 1 ? "once" : "no" } };
    });
    await client.connect(
      new StdioClientTransport({
        command: BINARY,
        args: ["mcp", "--policy", workspace.policy(MCP_POLICY)],
        cwd: workspace.root,
        env: { PATH: "/usr/bin:/bin", HOME: "/dev/null/home" },
      }),
    );
    assertEquals(client.getServerVersion()?.name, "toolgate");
    assert((await client.listTools()).tools.some(({ name }) => name === "read_file"));
    const read = await client.callTool({ name: "read_file", arguments: { path: "a.txt" } });
    assertEquals((read.structuredContent as Message).content, "hello\n");
    const write = { name: "write_file", arguments: { path: "a.txt", content: "new\n" } };
    assertEquals((await client.callTool(write)).isError, false);
    assertEquals(workspace.read("a.txt"), "new\n");
    assert(asked[0].message.includes("Write file: a.txt") && asked[0].message.includes("-hello"));
    const other = { name: "write_file", arguments: { path: "a.txt", content: "other\n" } };
    const refused: Message = await client.callTool(other);
    assert(refused.content[0].text.startsWith("APPROVAL_REJECTED"), refused.content[0].text);
    assertEquals(workspace.read("a.txt"), "new\n");
    const { resources } = await client.listResources();
    assertEquals(resources.map(({ name }) => name), ["a.txt"]);
    await client.close();
  },
});
