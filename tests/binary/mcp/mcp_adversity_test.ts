/** The MCP server where clients are rude, slow, or gone, and where the workspace lays traps. */

import { assert, assertEquals } from "@std/assert";
import { MCP_POLICY, type Message, Session } from "../_mcp_session.ts";
import { SENTINEL, start, Workspace } from "../toolgate.ts";

const sleep = (seconds: string) => ({
  name: "run_command",
  arguments: { argv: ["sleep", seconds] },
});
const read = (path: string) => ({ name: "read_file", arguments: { path } });

Deno.test("roots that change while a call runs: it ends as it began, and what comes later is narrowed", async () => {
  await using workspace = new Workspace({ "in/a.txt": "a\n", "other/b.txt": "b\n" });
  const session = new Session(workspace);
  let roots = [workspace.root];
  let asked = 0;
  session.onRequest = () => {
    asked++;
    return { roots: roots.map((root) => ({ uri: `file://${root}` })) };
  };
  await session.initialize("2025-11-25", { roots: {} });
  assertEquals((await session.ask("tools/call", read("other/b.txt"))).result.isError, false);
  const running = await session.request("tools/call", sleep("1"));
  roots = [workspace.path("in")];
  // However often it says so, it is asked no oftener than it can have changed since.
  const askedBefore = asked;
  for (let i = 0; i < 50; i++) await session.notify("notifications/roots/list_changed");
  const outside = await session.request("tools/call", read("other/b.txt"));
  const inside = await session.request("tools/call", read("in/a.txt"));
  const answers = new Map<unknown, Message>();
  while (answers.size < 3) {
    const message = await session.next();
    if (message.result !== undefined) answers.set(message.id, message.result);
  }
  assertEquals(answers.get(running).isError, false, JSON.stringify(answers.get(running)));
  assertEquals([answers.get(outside).isError, answers.get(inside).isError], [true, false]);
  assert(asked - askedBefore <= 3, `${asked}`);
  // Roots that cannot be had do not widen what was narrowed.
  session.onRequest = ({ id }) => {
    void session.pipe.send({ jsonrpc: "2.0", id, error: { code: -32603, message: "no" } });
    return null;
  };
  await session.notify("notifications/roots/list_changed");
  assertEquals((await session.ask("tools/call", read("other/b.txt"))).result.isError, true);
  assertEquals(await session.close(), 0);
});

Deno.test("roots that are said again and again leave nothing open", async () => {
  await using workspace = new Workspace({ "a.txt": "a\n" });
  const session = new Session(workspace);
  session.onRequest = () => ({ roots: [{ uri: `file://${workspace.path("a.txt")}` }] });
  await session.initialize("2025-11-25", { roots: {} });
  const { pid } = session.pipe.process;
  const count = (folder: string) => [...Deno.readDirSync(`/proc/${pid}/${folder}`)].length;
  const counts: (readonly [number, number])[] = [];
  const rounds = 24;
  for (let i = 0; i < rounds; i++) {
    await session.notify("notifications/roots/list_changed");
    for (const params of [read("a.txt"), sleep("0")]) {
      const { result } = await session.ask("tools/call", params);
      assertEquals(result.isError, false, JSON.stringify(result));
    }
    counts.push([count("fd"), count("task")]);
  }
  const [descriptors, threads] = counts[3] ?? [0, 0];
  // At its fewest in some rounds: what is open for a moment is not left open.
  const [last, lastThreads] = [0, 1].map((of) =>
    Math.min(...counts.slice(-5).map((count) => count[of] ?? 0))
  ) as [number, number];
  // Threads that the runtime keeps for waiting come when they are first needed: on a busy machine late, and each once.
  assert(last <= descriptors + 2 && lastThreads <= threads + rounds / 3, JSON.stringify(counts));
  assertEquals(await session.close(), 0);
});

Deno.test("one id twice, ids of other types, and a message that is too long: each is refused alone", async () => {
  await using workspace = new Workspace({ "a.txt": "hello\n" });
  const session = new Session(workspace, `${MCP_POLICY.replace("matches: 1000", "request: 4096")}`);
  await session.initialize("2025-11-25");
  // It ends when somebody writes into the pipe.
  await new Deno.Command("mkfifo", { args: [workspace.path("pipe")] }).output();
  const id = await session.request("tools/call", {
    name: "run_command",
    arguments: { argv: ["cat", "pipe"] },
  });
  await session.pipe.send({ jsonrpc: "2.0", id, method: "ping" });
  const refused = await session.next();
  assertEquals([refused.id, refused.error?.code], [id, -32600]);
  await Deno.writeTextFile(workspace.path("pipe"), "now\n");
  const first = (await session.answer(id)).result;
  assertEquals(first.isError, false, `the first one is harmed: ${JSON.stringify(first)}`);
  for (const odd of ["null", "1.5", "true", "{}", "[1]", "1e999"]) {
    await session.pipe.send(`{"jsonrpc":"2.0","id":${odd},"method":"ping"}`);
    assertEquals((await session.next()).error?.code, -32600, odd);
  }
  // The same text and number are two ids.
  await session.pipe.send(
    '{"jsonrpc":"2.0","id":"77","method":"ping"}',
    '{"jsonrpc":"2.0","id":77,"method":"ping"}',
  );
  assertEquals([(await session.next()).id, (await session.next()).id], ["77", 77]);
  await session.pipe.send(
    `{"jsonrpc":"2.0","id":5,"method":"ping","params":{"x":"${"x".repeat(9_000)}"}}`,
  );
  assertEquals((await session.next()).error?.code, -32600);
  assertEquals((await session.ask("ping")).result, {});
  assertEquals(await session.close(), 0);
});

Deno.test("the input ends in the middle: what runs is answered, half a message is not run, nothing stays behind", async () => {
  await using workspace = new Workspace({ "a.txt": "old\n" });
  const lines = [
    {
      jsonrpc: "2.0",
      id: 0,
      method: "initialize",
      params: {
        protocolVersion: "2025-11-25",
        capabilities: { elicitation: {} },
        clientInfo: { name: "t", version: "1" },
      },
    },
    { jsonrpc: "2.0", id: 1, method: "tools/call", params: sleep("0.2") },
    // Nobody is left to answer this one's question.
    {
      jsonrpc: "2.0",
      id: 2,
      method: "tools/call",
      params: { name: "write_file", arguments: { path: "a.txt", content: "new\n" } },
    },
  ].map((line) => JSON.stringify(line));
  const half = JSON.stringify({ jsonrpc: "2.0", id: 3, method: "ping" }).slice(0, -1);
  const { status, stdout } = await start(
    ["mcp", "--policy", workspace.policy(MCP_POLICY)],
    { cwd: workspace.root, stdin: [...lines, half].join("\n") },
  );
  const said: Message[] = stdout.trim().split("\n").map((line) => JSON.parse(line));
  const byId = (id: unknown) => said.find((message) => message.id === id && !message.method);
  assertEquals([status, byId(1).result.isError], [0, false]);
  assert(byId(2).result.content[0].text.startsWith("APPROVAL_"), JSON.stringify(byId(2)));
  assertEquals(byId(3), undefined);
  assert(said.some(({ error }) => error?.code === -32700), "half a message is no message");
  assertEquals(workspace.read("a.txt"), "old\n");
});

Deno.test("resources: links out and denied files are neither listed nor read, and pages have no gaps", async () => {
  await using workspace = new Workspace({
    "secret/key": "closed-1f3a",
    ...Object.fromEntries(
      Array.from({ length: 450 }, (_, i) => [`d/f${String(i).padStart(3, "0")}`, "x"]),
    ),
    "odd/a b#c?d%e.txt": "odd\n",
  });
  Deno.symlinkSync(`${workspace.outside}/sentinel.txt`, workspace.path("out"));
  Deno.symlinkSync(workspace.outside, workspace.path("outdir"));
  Deno.symlinkSync(workspace.path("secret/key"), workspace.path("key"));
  const session = new Session(workspace);
  await session.initialize("2025-11-25");
  const names: string[] = [];
  let cursor: string | undefined;
  do {
    const { result } = await session.ask("resources/list", cursor === undefined ? {} : { cursor });
    for (const { uri, name } of result.resources) {
      names.push(name);
      if (name.startsWith("odd/")) {
        assertEquals(
          (await session.ask("resources/read", { uri })).result.contents[0].text,
          "odd\n",
        );
      }
    }
    cursor = result.nextCursor;
  } while (cursor !== undefined);
  assertEquals(names.length, 451);
  assertEquals(new Set(names).size, 451);
  assert(!names.some((name) => name.startsWith("secret") || name.startsWith("out")), "denied");
  for (
    const path of [
      "out",
      "outdir/sentinel.txt",
      "key",
      "secret/key",
      "%2e%2e/outside/sentinel.txt",
      "d/%2e%2e/%2e%2e/outside/sentinel.txt",
      "/etc/passwd",
      "d",
      "%00",
      "%ff",
      "",
    ]
  ) {
    const answer = await session.ask("resources/read", { uri: `workspace:///${path}` });
    assert(answer.error !== undefined, path);
    const text = JSON.stringify(answer);
    assert(!text.includes(SENTINEL.trim()) && !text.includes("closed-1f3a"), text);
    assert(!text.includes(workspace.base), text);
  }
  for (const bad of ["0", "-1", "1e3", "x", 200, null, ["200"]]) {
    const { error } = await session.ask("resources/list", { cursor: bad });
    assertEquals(error?.code, -32602, `${bad}`);
  }
  assertEquals(await session.close(), 0);
});

Deno.test("a batch (2025-03-26 alone) is answered by one array, without what wants no answer", async () => {
  await using workspace = new Workspace({ "a.txt": "hello\n" });
  const session = new Session(workspace);
  await session.initialize("2025-03-26");
  const message = (id: unknown, method: string, params?: Message) => ({
    jsonrpc: "2.0",
    id,
    method,
    params,
  });
  await session.pipe.send(JSON.stringify([
    message("a", "tools/call", read("a.txt")),
    { jsonrpc: "2.0", method: "notifications/what" },
    message("b", "no/such"),
    7,
    message("c", "tools/call", sleep("30")),
    { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: "c" } },
    message("d", "ping"),
  ]));
  const answers: Message[] = await session.next();
  const byId = new Map(answers.map((answer) => [answer.id, answer]));
  assertEquals([...byId.keys()].sort(), ["a", "b", "d", null]);
  assertEquals(byId.get("a").result.isError, false);
  assertEquals([byId.get("b").error.code, byId.get(null).error.code], [-32601, -32600]);
  // Only notifications: no answer at all, and the next one is of the next request.
  await session.pipe.send(
    JSON.stringify([{ jsonrpc: "2.0", method: "notifications/what" }]),
    JSON.stringify(message("e", "ping")),
  );
  assertEquals((await session.next()).id, "e");
  assertEquals(await session.close(), 0);
});

Deno.test("progress only rises, whatever it counts, and never names a token that is none", async () => {
  await using workspace = new Workspace();
  const session = new Session(workspace);
  await session.initialize("2025-11-25");
  for (const progressToken of ["t", 0, 7]) {
    const from = session.said.length;
    const argv = ["seq", "60000"];
    await session.ask("tools/call", {
      name: "run_command",
      arguments: { argv },
      _meta: { progressToken },
    });
    const steps = session.said.slice(from).filter(({ method }) =>
      method === "notifications/progress"
    ).map(({ params }) => params);
    assert(steps.length > 1);
    assert(steps.every((step) => step.progressToken === progressToken));
    assert(steps.every(({ progress }, i) => i === 0 || progress > steps[i - 1].progress));
  }
  const from = session.said.length;
  for (const progressToken of [1.5, null, true, {}, ["t"]]) {
    await session.ask("tools/call", {
      name: "run_command",
      arguments: { argv: ["seq", "60000"] },
      _meta: { progressToken },
    });
  }
  assertEquals(session.said.slice(from).filter(({ method }) => method !== undefined), []);
  assertEquals(await session.close(), 0);
});
