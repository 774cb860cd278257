/** Tokens of a gate: they can do less than who made them, and nobody makes them do more. */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { inTime } from "../../in_time.ts";
import { comesToBe } from "../../until.ts";
import { ASKS_ONCE, type Caller, Gate, python } from "../_gate.ts";
import { stillRunning, untilRunning } from "../_processes.ts";
import { type Answer, start, Workspace } from "../toolgate.ts";

const POLICY = `version: 1
paths:
  - { allow: [read, write], match: ["**"] }
  - { ask: [write], match: ["kept/**"] }
  - { deny: [read], match: ["secret/**"] }
commands: [{ allow: [sleep, seq, cat, touch, python3, test], runs: any }]
limits: { concurrency: 4 }
timeouts: { default: 1h, kill_grace: 1h }
agents:
  root: { permissions: [all], tokens: 100 }
  "child-*": { permissions: [file_read, file_write, code_execution] }
`;
const FILES = { "src/a.txt": "a\n", "b.txt": "b\n", "secret/key": "k\n", "kept/x": "kept\n" };

const read = (path: string, more: Record<string, unknown> = {}) => ({
  id: 1,
  tool: "read_file",
  args: { path },
  ...more,
});
const write = (path: string) => ({ id: 1, tool: "write_file", args: { path, content: "x" } });
const run = (command: string) => ({ id: 1, tool: "run_command", args: { command } });

/** The answer to `op: token`. */
interface Given {
  readonly token: string;
  readonly id: string;
  readonly agent: string;
  readonly permissions: readonly string[];
}

async function tokenFrom(maker: Caller, terms: Record<string, unknown> = {}): Promise<Given> {
  const { output, error } = await maker.ask({ id: 1, op: "token", ...terms });
  assertEquals(error, null);
  return output;
}

async function comeWith(gate: Gate, token: string): Promise<Caller> {
  const caller = await gate.connect();
  assertEquals(await caller.codeOf({ id: 0, op: "hello", token }), null);
  return caller;
}

Deno.test("who comes with a token has what it leaves, and nothing that its maker has beside", async () => {
  await using workspace = new Workspace(FILES);
  const gate = await Gate.start(workspace, { policy: POLICY });
  const maker = await gate.connect();
  const given = await tokenFrom(maker, {
    agent: "child-1",
    permissions: ["file_read", "code_execution"],
    paths: ["src/**"],
    commands: ["seq", "cat"],
  });
  assertEquals([given.agent, given.permissions], ["child-1", ["file_read", "code_execution"]]);
  const child = await comeWith(gate, given.token);
  const table: readonly [request: Record<string, unknown>, code: string | null][] = [
    [read("src/a.txt"), null],
    [read("b.txt"), "PATH_DENIED"],
    [read("secret/key"), "PATH_DENIED"],
    [write("src/new.txt"), "PERMISSION_DENIED"],
    [run("seq 2"), null],
    [run("cat src/a.txt"), null],
    [run("cat b.txt"), "PATH_DENIED"],
    [run("touch src/new.txt"), "COMMAND_DENIED"],
    [read("src/a.txt", { agent: "root" }), "PERMISSION_DENIED"],
    [read("src/a.txt", { agent: "child-2" }), "PERMISSION_DENIED"],
    [{ id: 1, op: "gate" }, "PERMISSION_DENIED"],
    [{ id: 1, op: "stop" }, "PERMISSION_DENIED"],
    [{ id: 1, op: "register", manifest: { name: "x" } }, "PERMISSION_DENIED"],
    [{ id: 1, op: "hello", token: given.token }, "INVALID_REQUEST"],
    [{ id: 1, op: "token", permissions: ["file_write"] }, "PERMISSION_DENIED"],
    [{ id: 1, op: "token", agent: "child-2" }, "PERMISSION_DENIED"],
    [{ id: 1, op: "token", agent: "root" }, "PERMISSION_DENIED"],
    [{ id: 1, op: "revoke", token: "tk_99" }, "INVALID_REQUEST"],
  ];
  for (const [request, code] of table) {
    assertEquals(await child.codeOf(request), code, JSON.stringify(request));
  }
  const { output: { tools } } = await child.ask({ id: 1, op: "tools" });
  const names = (tools as { readonly name: string }[]).map(({ name }) => name);
  assert(names.includes("read_file") && !names.includes("write_file"), names.join());
  // What it makes itself is no wider, whatever it asks for.
  const below = await comeWith(
    gate,
    (await tokenFrom(child, { agent: "child-1-1", paths: ["**"], commands: ["touch", "seq"] }))
      .token,
  );
  assertEquals(await below.codeOf(read("src/a.txt")), null);
  assertEquals(await below.codeOf(read("b.txt")), "PATH_DENIED");
  assertEquals(await below.codeOf(run("touch src/new.txt")), "COMMAND_DENIED");
  assertEquals(await below.codeOf(run("cat src/a.txt")), "COMMAND_DENIED");
  // Its maker has lost nothing.
  assertEquals(await maker.codeOf(write("b.txt")), null);
  for (const caller of [below, child, maker]) caller.close();
  assertEquals(await gate.stop(), 0);
  workspace.assertOutsideUntouched();
});

Deno.test("forged, expired and revoked tokens get nothing", async () => {
  await using workspace = new Workspace(FILES);
  const gate = await Gate.start(workspace, { policy: POLICY });
  const maker = await gate.connect();
  const { token, id } = await tokenFrom(maker);
  const { short, held } = await inTime(300, async (ms) => {
    const short = await tokenFrom(maker, { expires: `${ms}ms` });
    const held = await gate.connect();
    const codes = [
      await held.codeOf({ id: 0, op: "hello", token: short.token }),
      await held.codeOf(read("src/a.txt")),
    ];
    if (codes.every((code) => code === null)) return { short, held };
    held.close();
    return null;
  });
  const said = await held.next();
  assertEquals([said?.id, said?.error?.code], [null, "PERMISSION_DENIED"]);
  assertEquals(await held.next(), null);
  const other = token.endsWith("A") ? "B" : "A";
  const tried = [short.token, token.slice(0, -1) + other, `${token} `, id, "tg_", "x".repeat(4096)];
  for (const one of tried) {
    const caller = await gate.connect();
    await caller.send({ id: 5, op: "hello", token: one }, read("src/a.txt"));
    const refused = await caller.next() as Answer;
    assertEquals([refused.id, refused.error?.code], [5, "PERMISSION_DENIED"]);
    assert(!JSON.stringify(refused).includes(one) || one === "tg_" || one === id);
    // What came behind it is not done as somebody else.
    assertEquals(await caller.next(), null);
    caller.close();
  }
  // Who would come with something that is no token at all, since it was not there, is not himself either.
  for (const none of ["", null, 5, [token], { token }]) {
    const caller = await gate.connect();
    await caller.send({ id: 5, op: "hello", token: none }, read("src/a.txt"));
    const refused = await caller.next() as Answer;
    assertEquals([refused.id, refused.error?.code], [5, "INVALID_REQUEST"]);
    assertEquals(await caller.next(), null);
    caller.close();
  }
  const good = await comeWith(gate, token);
  const late = await gate.connect();
  assertEquals(await maker.codeOf({ id: 1, op: "revoke", token: id }), null);
  assertEquals((await good.next())?.error?.code, "PERMISSION_DENIED");
  assertEquals(await good.next(), null);
  assertEquals(await late.codeOf({ id: 0, op: "hello", token }), "PERMISSION_DENIED");
  for (const caller of [held, good, late, maker]) caller.close();
  assertEquals(await gate.stop(), 0);
});

Deno.test("what runs ends with its token, and what waits is not begun", async () => {
  await using workspace = new Workspace(FILES);
  const gate = await Gate.start(workspace, { policy: POLICY });
  const maker = await gate.connect();
  const { token, id } = await tokenFrom(maker);
  const bearer = await comeWith(gate, token);
  const below = await comeWith(gate, (await tokenFrom(bearer)).token);
  const [one, two] = ["3000.7118", "3000.7119"];
  const sleeps = (command: string, from: number) =>
    Array.from({ length: 8 }, (_, at) => ({ ...run(command), id: from + at }));
  await bearer.send(...sleeps(`sleep ${one}`, 10));
  await below.send(...sleeps(`sleep ${two}`, 30));
  await untilRunning(one, 1);
  await untilRunning(two, 1);
  assertEquals(await maker.codeOf({ id: 1, op: "revoke", token: id }), null);
  for (const caller of [bearer, below]) {
    const codes = new Map<Answer["id"], string | undefined>();
    for (let answer = await caller.next(); answer !== null; answer = await caller.next()) {
      codes.set(answer.id, answer.error?.code);
    }
    assertEquals(codes.get(null), "PERMISSION_DENIED");
    codes.delete(null);
    assertEquals([codes.size, new Set(codes.values())], [8, new Set(["CANCELLED"])]);
    caller.close();
  }
  assertEquals(await stillRunning(one), []);
  assertEquals(await stillRunning(two), []);
  assertEquals(await maker.codeOf(read("src/a.txt")), null);
  maker.close();
  assertEquals(await gate.stop(), 0);
});

Deno.test("tokens that are spent count for who made the token, and the other way round", async () => {
  await using workspace = new Workspace(FILES);
  const gate = await Gate.start(workspace, { policy: POLICY });
  const maker = await gate.connect();
  const { token } = await tokenFrom(maker, { agent: "child-1", tokens: 50 });
  const [one, two] = [await comeWith(gate, token), await comeWith(gate, token)];
  assertEquals(await one.codeOf(read("src/a.txt", { tokens: 30 })), null);
  assertEquals(await two.codeOf(read("src/a.txt", { tokens: 21 })), "RESOURCE_LIMIT");
  assertEquals(await one.codeOf(read("src/a.txt")), "RESOURCE_LIMIT");
  // 51 of the 100 of root are gone with it.
  assertEquals(await maker.codeOf(read("src/a.txt", { tokens: 49 })), null);
  const fresh = await comeWith(gate, (await tokenFrom(maker, { agent: "child-2" })).token);
  assertEquals(await fresh.codeOf(read("src/a.txt", { tokens: 1 })), "RESOURCE_LIMIT");
  const { output } = await two.ask({ id: 1, op: "stats" });
  assertEquals(output.tokens, [{ agent: "child-1", spent: 51, budget: 50 }]);
  for (const caller of [one, two, fresh, maker]) caller.close();
  assertEquals(await gate.stop(), 0);
});

Deno.test("who came with a token agrees to nothing himself: who made it does", async () => {
  await using workspace = new Workspace(FILES);
  const gate = await Gate.start(workspace, { policy: POLICY });
  const maker = await gate.connect();
  const { token } = await tokenFrom(maker, { agent: "child-1" });
  const child = await comeWith(gate, token);
  const below = await comeWith(gate, (await tokenFrom(child, { agent: "child-1-1" })).token);
  for (const [caller, agent] of [[child, "child-1"], [below, "child-1-1"]] as const) {
    await caller.send({ ...write("kept/x"), id: 7 });
    const asked = await maker.next() as unknown as Record<string, unknown>;
    assertEquals([asked["event"], asked["agent"], asked["id"]], ["approval_required", agent, null]);
    const approve = { id: 2, op: "approve", approval: asked["approval"] };
    for (const bearer of [child, below]) {
      assertEquals(await bearer.codeOf(approve), "INVALID_REQUEST");
    }
    assertEquals(workspace.read("kept/x"), "kept\n");
    assertEquals(await maker.codeOf(approve), null);
    const done = await caller.next();
    assertEquals([done?.id, done?.success], [7, true]);
    workspace.write("kept/x", "kept\n");
  }
  // What his maker would be asked is nobody's to answer once he is gone, until he has asked about his tokens again.
  maker.close();
  const refused = await child.ask(write("kept/x"));
  assertEquals(refused.error?.code, "APPROVAL_REQUIRED");
  assertStringIncludes(refused.error?.message ?? "", '{"op":"gate"}');
  assertEquals(workspace.read("kept/x"), "kept\n");
  const back = await gate.connect();
  assertEquals((await back.ask({ id: 1, op: "gate" })).success, true);
  for (const caller of [child, below]) {
    await caller.send({ ...write("kept/x"), id: 8 });
    const asked = await back.next() as unknown as Record<string, unknown>;
    assertEquals(asked["event"], "approval_required");
    const reject = { id: 2, op: "reject", approval: asked["approval"] };
    assertEquals(await back.codeOf(reject), null);
    assertEquals((await caller.next())?.error?.code, "APPROVAL_REJECTED");
  }
  back.close();
  assertEquals(await child.codeOf(write("kept/x")), "APPROVAL_REQUIRED");
  child.close();
  below.close();
  assertEquals(await gate.stop(), 0);
});

const OTHER = { uid: 61_001, gid: 61_001 };

/** Says hello with a token, then asks one thing, and prints what comes: the code, or `success`. */
const COMES_WITH = `
import json, socket, sys
caller = socket.socket(socket.AF_UNIX)
caller.connect(sys.argv[1])
lines = caller.makefile()
for line in (json.dumps({"op": "hello", "token": open(sys.argv[2]).read().strip()}), sys.argv[3]):
    caller.sendall(line.encode() + b"\\n")
    answer = json.loads(lines.readline())
    if not answer["success"]: break
print("success" if answer["success"] else answer["error"]["code"])
`;

Deno.test({
  name: "a token is good for the user that it was made for alone",
  // Only root can become others.
  ignore: Deno.uid() !== 0,
  fn: async () => {
    await using workspace = new Workspace(FILES);
    Deno.chmodSync(workspace.base, 0o755);
    const callers = `callers: [{ uid: 0, agent: root }, { uid: ${OTHER.uid}, agent: child-9 }]\n`;
    const gate = await Gate.start(workspace, { policy: POLICY + callers });
    const maker = await gate.connect();
    const [own, others] = [await tokenFrom(maker), await tokenFrom(maker, { uid: OTHER.uid })];
    const file = `${workspace.outside}/sentinel.txt`;
    Deno.writeTextFileSync(file, "");
    const by = async (token: string, user: typeof OTHER | null) => {
      Deno.writeTextFileSync(file, token);
      const words = [gate.socket, file, JSON.stringify(read("src/a.txt"))];
      return await python(COMES_WITH, words, user);
    };
    assertEquals(await by(own.token, null), "success");
    assertEquals(await by(own.token, OTHER), "PERMISSION_DENIED");
    assertEquals(await by(others.token, OTHER), "success");
    assertEquals(await by(others.token, null), "PERMISSION_DENIED");
    maker.close();
    assertEquals(await gate.stop(), 0);
  },
});

Deno.test("programs that the gate has started are heard by a token, and as what it leaves", async () => {
  await using workspace = new Workspace(FILES);
  // Without the kernel's layer, which lets no program open such a socket at all.
  const policy = `${POLICY}sandbox: { kernel: off }\n`;
  const gate = await Gate.start(workspace, { policy });
  const maker = await gate.connect();
  const { token } = await tokenFrom(maker, { agent: "child-1", permissions: ["file_read"] });
  workspace.write("token", token);
  const come = (name: string, line: string) => {
    const words = JSON.stringify([gate.socket, "token", line]);
    workspace.write(name, `import sys\nsys.argv[1:] = ${words}\n${COMES_WITH}`);
    return run(`python3 ${name}`);
  };
  workspace.write(
    "without.py",
    `import sys\nsys.argv[1:] = ${
      JSON.stringify([gate.socket, JSON.stringify(read("src/a.txt"))])
    }\n${ASKS_ONCE}`,
  );
  const table: readonly [request: Record<string, unknown>, shown: string][] = [
    [come("reads.py", JSON.stringify(read("src/a.txt"))), "success"],
    [come("writes.py", JSON.stringify(write("b.txt"))), "PERMISSION_DENIED"],
    [come("stops.py", '{"op": "stop"}'), "PERMISSION_DENIED"],
    [run("python3 without.py"), "PERMISSION_DENIED"],
  ];
  for (const [request, shown] of table) {
    const { output } = await maker.ask(request);
    assertEquals(output.stdout.trim(), shown, JSON.stringify(output));
  }
  assertEquals(workspace.read("b.txt"), "b\n");
  maker.close();
  assertEquals(await gate.stop(), 0);
});

Deno.test("the token itself is in no log, no report, no command line and no environment", async () => {
  await using workspace = new Workspace(FILES);
  const log = `${workspace.base}/audit.ndjson`;
  const gate = await Gate.start(workspace, { policy: POLICY, args: ["--audit", log] });
  const maker = await gate.connect();
  const { token, id } = await tokenFrom(maker, { agent: "child-1", paths: ["src/**"] });
  const bearer = await comeWith(gate, token);
  // Whoever is careless with it: as an argument, a path, a command, an agent.
  const careless = [
    { id: 1, tool: "write_file", args: { path: "src/t.txt", content: token } },
    read(token),
    run(`cat ${token}`),
    { id: 1, tool: token, args: {} },
    read("src/a.txt", { agent: token }),
  ];
  for (const request of careless) await bearer.ask(request);
  for (const request of careless) await maker.ask(request);
  const status = JSON.stringify(await maker.ask({ id: 1, op: "gate" }));
  assertStringIncludes(status, `"token":"${id}"`);
  const file = `${workspace.base}/token`;
  Deno.writeTextFileSync(file, `${token}\n`, { mode: 0o600 });
  const words = ["--gate", gate.socket, "--token", file];
  const waits = ": > src/begun; until test -e src/go; do sleep 0.05; done";
  const calling = start(["call", "run_command", `command=${waits}`, ...words]);
  const isThere = (path: string) =>
    [...Deno.readDirSync(workspace.path("src"))]
      .some(({ name }) => name === path);
  assert(await comesToBe(() => isThere("begun")));
  const seen: string[] = [];
  for (const { name } of Deno.readDirSync("/proc")) {
    if (!/^\d+$/.test(name) || Number(name) === Deno.pid) continue;
    for (const part of ["cmdline", "environ"]) {
      try {
        if (Deno.readTextFileSync(`/proc/${name}/${part}`).includes(token)) seen.push(name);
      } catch {
        // Gone, or another's.
      }
    }
  }
  workspace.write("src/go", "");
  assertEquals((await calling).status, 0);
  assertEquals(seen, []);
  assertEquals(await maker.codeOf({ id: 1, op: "revoke", token: id }), null);
  const recorded = Deno.readTextFileSync(log);
  for (const text of [recorded, status]) assert(!text.includes(token.slice(4, 30)));
  const kinds = recorded.trim().split("\n").map((one) => JSON.parse(one))
    .filter(({ kind, tool }) => kind === "decision" && (tool === "token" || tool === "revoke"));
  assertEquals(kinds.map(({ agent, tool, args }) => [agent, tool, args.id]), [
    ["root", "token", id],
    ["root", "revoke", id],
  ]);
  assertEquals(kinds[0].args.paths, ["src/**"]);
  bearer.close();
  maker.close();
  assertEquals(await gate.stop(), 0);
  const verified = await start(["audit", "verify", "--audit", log]);
  assertEquals(verified.status, 0, verified.stderr);
});

Deno.test("tokens by the command line", async () => {
  await using workspace = new Workspace(FILES);
  const gate = await Gate.start(workspace, { policy: POLICY });
  const at = ["--gate", gate.socket];
  const terms = ["--agent", "child-1", "--permissions", "file_read", "--paths", "src/**"];
  const made = await start(["gate", "token", ...at, ...terms, "--format", "text"]);
  assert(/^tg_[\w-]{43}\n$/.test(made.stdout), made.stdout + made.stderr);
  const file = `${workspace.base}/token`;
  Deno.writeTextFileSync(file, made.stdout, { mode: 0o600 });
  const open = `${workspace.base}/open`;
  Deno.writeTextFileSync(open, made.stdout, { mode: 0o600 });
  Deno.chmodSync(open, 0o644);
  const bearer = [...at, "--token", file];
  const table: readonly [
    words: readonly string[],
    status: number,
    shown: string,
    stdin?: string,
  ][] = [
    [["call", "read_file", "path=src/a.txt", ...bearer], 0, '"content":"a\\n"'],
    [["call", "read_file", "path=b.txt", ...bearer], 3, "PATH_DENIED"],
    [["call", "read_file", "path=src/a.txt", ...at, "--token", "-"], 0, '"a\\n"', made.stdout],
    [["call", "read_file", "path=src/a.txt", ...at, "--token", "-"], 3, "no token that is", "tg_x"],
    [["call", "read_file", "path=src/a.txt", ...at, "--token", "-"], 2, "there is no token", "x"],
    [["call", "read_file", ...at, "--token", "-", "--json", "-"], 2, "is taken", made.stdout],
    [["call", "read_file", ...at, "--token", open], 2, "chmod 600"],
    [["call", "read_file", ...at, "--token", `${file}.not`], 2, "cannot be read"],
    [["call", "read_file", ...at, "--token", made.stdout.trim()], 2, "no secret"],
    [["call", "read_file", "path=src/a.txt", "--token", file], 2, "name it with --gate"],
    [["gate", "status", ...bearer], 3, "PERMISSION_DENIED"],
    [["gate", "token", ...bearer, "--permissions", "file_write"], 3, "file_write cannot be"],
    [["gate", "token", ...at, "--tokens", "many"], 2, "whole number"],
    [["gate", "status", ...at, "--paths", "x"], 2, "a flag of gate token"],
    [["gate", "token", ...at, "--expires", "1"], 2, "has no unit"],
    [["gate", "revoke", ...at], 2, "revoke TOKEN"],
    [["gate", "status", ...at, "--format", "text"], 0, "tk_1  child-1 by root  0 of any"],
  ];
  for (const [words, status, shown, stdin] of table) {
    const ran = await start(words, stdin === undefined ? {} : { stdin });
    assertEquals(ran.status, status, words.join(" ") + ran.stdout + ran.stderr);
    assertStringIncludes(ran.stdout + ran.stderr, shown);
    const secret = made.stdout.trim();
    if (!words.includes("token")) assert(!(ran.stdout + ran.stderr).includes(secret), words.join());
  }
  const listed = await start(["tools", "--format", "json", ...bearer]);
  assert(!listed.stdout.includes('"write_file"') && listed.stdout.includes('"read_file"'));
  const mcp = [
    '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18",' +
    '"capabilities":{},"clientInfo":{"name":"t","version":"1"}}}',
    '{"jsonrpc":"2.0","method":"notifications/initialized"}',
    ...["src/a.txt", "b.txt"].map((path, at) =>
      JSON.stringify({
        jsonrpc: "2.0",
        id: at + 2,
        method: "tools/call",
        params: { name: "read_file", arguments: { path } },
      })
    ),
  ];
  const spoken = await start(["mcp", ...bearer], { stdin: `${mcp.join("\n")}\n` });
  const [, first = "", second = ""] = spoken.stdout.trim().split("\n").toSorted((a, b) =>
    JSON.parse(a).id - JSON.parse(b).id
  );
  assertStringIncludes(first, "a\\n");
  assertStringIncludes(second, "PATH_DENIED");
  assertEquals((await start(["gate", "revoke", "tk_1", ...at])).status, 0);
  assertEquals((await start(["call", "read_file", "path=src/a.txt", ...bearer])).status, 3);
  assertEquals((await start(["gate", "stop", ...at])).status, 0);
  assertEquals((await gate.process.status).code, 0);
});
