/** The gate: many callers before one process, each with nothing but what is its own. */

import { assert, assertEquals } from "@std/assert";
import { comesToBe } from "../../until.ts";
import { ASKS_ONCE, Gate, python, socketOf } from "../_gate.ts";
import { descriptorsOf, stillRunning, untilRunning } from "../_processes.ts";
import { start, Workspace } from "../toolgate.ts";

const POLICY = `version: 1
paths:
  - { allow: [read, write], match: ["**"] }
  - { ask: [write], match: ["kept/**"] }
commands: [{ allow: [sleep, seq, python3, sh, setsid, env, test], runs: any }]
limits: { request: 1MiB, concurrency: 4 }
timeouts: { default: 1h, kill_grace: 1h }
agents: { root: { permissions: [all] }, reader: { permissions: [file_read] } }
`;
const READ = { id: 1, tool: "read_file", args: { path: "a.txt" } };

Deno.test("callers share one policy and one log, and change one file without tearing it", async () => {
  await using workspace = new Workspace({ "a.txt": "hello\n", "log.txt": "" });
  const log = workspace.base + "/audit.ndjson";
  const gate = await Gate.start(workspace, { policy: POLICY, args: ["--audit", log] });
  const callers = await Promise.all([1, 2, 3, 4].map(() => gate.connect()));
  const rounds = 25;
  await Promise.all(callers.map(async (caller, who) => {
    const whole = `${who}`.repeat(20_000);
    for (let i = 0; i < rounds; i++) {
      const written = { id: i, tool: "write_file", args: { path: "shared.txt", content: whole } };
      assertEquals(await caller.codeOf(written), null);
      const { output } = await caller.ask({
        id: i,
        tool: "read_file",
        args: { path: "shared.txt" },
      });
      assert(/^(.)\1{19999}$/.test(output.content), `torn: ${new Set(output.content)}`);
      const line = {
        id: i,
        tool: "append_file",
        args: { path: "log.txt", content: `${who} ${i}\n` },
      };
      assertEquals(await caller.codeOf(line), null);
    }
  }));
  const lines = workspace.read("log.txt").trim().split("\n");
  assertEquals(new Set(lines).size, callers.length * rounds);
  for (const caller of callers) caller.close();
  assertEquals(await gate.stop(), 0);
  const verified = await start(["audit", "verify", "--audit", log], { cwd: workspace.root });
  assertEquals(verified.status, 0, verified.stdout + verified.stderr);
});

Deno.test("nobody sees, cancels or approves what is another's", async () => {
  await using workspace = new Workspace({ "a.txt": "hello\n" });
  const gate = await Gate.start(workspace, { policy: POLICY });
  const [one, other] = [await gate.connect(), await gate.connect()];
  await one.send(
    { id: 7, tool: "run_command", args: { command: "sleep 3000.18" } },
    { id: 8, tool: "write_file", args: { path: "kept/x", content: "x" } },
  );
  const asked = await one.next() as unknown as { event: string; approval: string };
  assertEquals(asked.event, "approval_required");
  assertEquals((await other.ask({ id: 1, op: "cancel", target: 7 })).output.cancelled, false);
  assertEquals(
    await other.codeOf({ id: 2, op: "approve", approval: asked.approval }),
    "INVALID_REQUEST",
  );
  assertEquals(
    await other.codeOf({ id: 3, op: "reject", approval: asked.approval }),
    "INVALID_REQUEST",
  );
  const { running, waiting, tools } = (await other.ask({ id: 4, op: "stats" })).output;
  assertEquals([running, waiting, tools], [0, 0, {}]);
  // The control: its own it can.
  await one.send({ id: 9, op: "approve", approval: asked.approval }, {
    id: 10,
    op: "cancel",
    target: 7,
  });
  const came = new Map<unknown, string | null>();
  while (came.size < 4) {
    const answer = await one.next();
    assert(answer !== null);
    came.set(answer.id, answer.error?.code ?? null);
  }
  assertEquals([8, 9, 10, 7].map((id) => came.get(id)), [null, null, null, "CANCELLED"]);
  one.close();
  other.close();
  await gate.stop();
  assertEquals(await stillRunning("3000.18"), []);
});

Deno.test("who sends garbage or half a line, does not read or dies keeps nobody waiting", async () => {
  await using workspace = new Workspace({ "a.txt": "hello\n", "large.txt": "x".repeat(100_000) });
  const gate = await Gate.start(workspace, { policy: POLICY });
  const garbage = await gate.connect();
  await garbage.write(crypto.getRandomValues(new Uint8Array(60_000)));
  const half = await gate.connect();
  await half.write('{"id": 1, "tool": "read_fi');
  const endless = await gate.connect();
  void endless.write("y".repeat(4_000_000)).catch(() => {});
  const deaf = await gate.connect();
  const wanted = 60;
  const large = { tool: "read_file", args: { path: "large.txt" } };
  await deaf.send(...Array.from({ length: wanted }, (_, id) => ({ id, ...large })));
  const greedy = await gate.connect();
  const sleeps = { tool: "run_command", args: { command: "sleep 3100.18" } };
  await greedy.send(...Array.from({ length: 20 }, (_, id) => ({ id, ...sleeps })));
  await untilRunning("3100.18", 3);
  // One place is left for whoever comes.
  const honest = await gate.connect();
  for (let i = 0; i < 50; i++) assertEquals(await honest.codeOf(READ), null);
  const ran = { id: 2, tool: "run_command", args: { command: "seq 3" } };
  assertEquals((await honest.ask(ran)).output.stdout, "1\n2\n3\n");
  greedy.close();
  assertEquals(await stillRunning("3100.18"), []);
  // Who reads at last finds all of it, and the half line's other half is a line.
  for (let i = 0; i < wanted; i++) {
    assertEquals((await deaf.next())?.output.content.length, 100_000);
  }
  await half.write('le", "args": {"path": "a.txt"}}\n');
  assertEquals((await half.next())?.output.content, "hello\n");
  for (const caller of [garbage, half, endless, deaf, honest]) caller.close();
  assertEquals(await gate.stop(), 0);
});

Deno.test("what all hold is bounded: who keeps too much of it unfinished goes, and others go on", async () => {
  await using workspace = new Workspace({ "a.txt": "hello\n" });
  const gate = await Gate.start(workspace, { policy: POLICY });
  // Half lines of nearly the longest request, more than the gate keeps of all.
  const halves = await Promise.all(Array.from({ length: 24 }, () => gate.connect()));
  for (const half of halves) {
    void half.write(`{"id": 1, "tool": "${"x".repeat(900_000)}`).catch(() => {});
  }
  const honest = await gate.connect();
  const long = { id: 1, tool: "write_file", args: { path: "b.txt", content: "b".repeat(500_000) } };
  assertEquals(await honest.codeOf(long), null);
  const held = async () => {
    const { connections } = (await honest.ask({ id: 2, op: "gate" })).output;
    return connections.reduce(
      (sum: number, one: { held_bytes: number }) => sum + one.held_bytes,
      0,
    );
  };
  const bound = 11 * 1024 * 1024;
  assert(await held() < bound, String(await held()));
  for (const caller of [...halves, honest]) caller.close();
  await gate.stop();
});

Deno.test("hundreds of connections leave no descriptor", async () => {
  await using workspace = new Workspace({ "a.txt": "hello\n" });
  const gate = await Gate.start(workspace, { policy: POLICY });
  const stays = await gate.connect();
  assertEquals(await stays.codeOf(READ), null);
  const before = descriptorsOf(gate.pid);
  for (let round = 0; round < 10; round++) {
    const callers = await Promise.all(Array.from({ length: 40 }, () => gate.connect()));
    await Promise.all(
      callers.map((caller, i) => i % 2 === 0 ? caller.codeOf(READ) : caller.write("{")),
    );
    for (const caller of callers) caller.close();
  }
  // Its own is the last that the gate hears of.
  const alone = async () => (await stays.ask({ id: 1, op: "gate" })).output.connections.length;
  while (await alone() > 1);
  assert(await comesToBe(() => descriptorsOf(gate.pid) === before), `${descriptorsOf(gate.pid)}`);
  // Descriptors that are sent along are nobody's.
  const sends = `
import array, socket, sys
caller = socket.socket(socket.AF_UNIX)
caller.connect(sys.argv[1])
for i in range(100):
    caller.sendmsg([b'{"id": 1, "op": "ping"}\\n'], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [0, 1, 2]))])
for i in range(100):
    caller.recv(1)
print("sent")
`;
  assertEquals(await python(sends, [gate.socket]), "sent");
  while (await alone() > 1);
  assert(await comesToBe(() => descriptorsOf(gate.pid) === before), `${descriptorsOf(gate.pid)}`);
  stays.close();
  await gate.stop();
});

Deno.test("SIGTERM ends it when what runs is answered; a leftover is replaced, a living gate is not", async () => {
  await using workspace = new Workspace({ "a.txt": "hello\n" });
  const socket = socketOf(workspace);
  const policy = workspace.policy(POLICY);
  const named = await Gate.start(workspace, {
    policy: `${POLICY}callers: [{ uid: ${Deno.uid()}, agent: root }]\n`,
  });
  // Who is named alone needs no more than himself.
  assertEquals((Deno.statSync(socket).mode ?? 0) & 0o777, 0o600);
  await named.stop();
  const gate = await Gate.start(workspace, { policy: POLICY });
  assertEquals((Deno.statSync(socket).mode ?? 0) & 0o777, 0o600);
  const again = await start(["serve", "--listen", `unix:${socket}`, "--policy", policy], {
    cwd: workspace.root,
  });
  assertEquals([again.status, /listening there already/.test(again.stderr)], [2, true]);
  const caller = await gate.connect();
  const waits = ": > begun; until test -e go; do sleep 0.05; done";
  await caller.send({ id: 1, tool: "run_command", args: { command: waits } });
  assert(await comesToBe(() => isThere(workspace.path("begun"))));
  gate.process.kill("SIGTERM");
  // It hears nobody new from then on.
  assert(await comesToBe(() => !isThere(socket)));
  workspace.write("go", "");
  assertEquals((await caller.next())?.error ?? null, null);
  assertEquals(await caller.next(), null);
  assertEquals((await gate.process.status).code, 0);
  caller.close();
  assert(!isThere(socket));

  const killed = await Gate.start(workspace, { policy: POLICY });
  killed.process.kill("SIGKILL");
  await killed.process.status;
  assert(isThere(socket));
  const next = await Gate.start(workspace, { policy: POLICY });
  const stopped = await start(["gate", "stop", "--gate", socket]);
  assertEquals([stopped.status, stopped.stdout], [0, '{"stopping":true}\n']);
  assertEquals((await next.process.status).code, 0);
  assert(!isThere(socket));
});

Deno.test("it listens only where nobody else could put something in its place", async () => {
  await using workspace = new Workspace({});
  const policy = workspace.policy(POLICY);
  const folder = (name: string, mode: number): string => {
    const path = `${workspace.base}/${name}`;
    Deno.mkdirSync(path, { recursive: true });
    Deno.chmodSync(path, mode);
    return path;
  };
  const file = `${workspace.base}/file`;
  Deno.writeTextFileSync(file, "kept");
  const replaceable = folder("all", 0o777) + "/own";
  folder("all/own", 0o700);
  const cases: readonly [string, RegExp][] = [
    [`${folder("all", 0o777)}/s`, /others may write its folder/],
    [`${folder("sticky", 0o1777)}/s`, /others may write its folder/],
    [`${folder("group", 0o770)}/s`, /others may write its folder/],
    [`${replaceable}/s`, /above it could be replaced/],
    [file, /something that is no socket/],
    [`${workspace.base}/missing/s`, /ENOENT/],
    [`${workspace.base}/${"s".repeat(120)}`, /at most 107 bytes/],
  ];
  for (const [path, why] of cases) {
    const { status, stderr } = await start(
      ["serve", "--listen", `unix:${path}`, "--policy", policy, "--quiet"],
      { cwd: workspace.root },
    );
    assertEquals([status, why.test(stderr)], [2, true], `${path}: ${stderr}`);
  }
  assertEquals(Deno.readTextFileSync(file), "kept");
});

/** Users of no account. */
const MAPPED = { uid: 61_001, gid: 61_001 };
const STRANGER = { uid: 61_002, gid: 61_002 };

Deno.test({
  name: "the kernel's word says who a caller is",
  // Only root can become others.
  ignore: Deno.uid() !== 0,
  fn: async () => {
    await using workspace = new Workspace({ "a.txt": "hello\n" });
    // Others find the socket; they cannot write where it lies.
    Deno.chmodSync(workspace.base, 0o755);
    const write = JSON.stringify({ id: 1, tool: "write_file", args: { path: "b", content: "" } });
    const read = JSON.stringify(READ);
    const asRoot = JSON.stringify({ ...READ, agent: "root" });
    const stop = JSON.stringify({ id: 1, op: "stop" });
    const alone = await Gate.start(workspace, { policy: POLICY });
    assertEquals(await python(ASKS_ONCE, [alone.socket, read], MAPPED), "PermissionError");
    assertEquals(await python(ASKS_ONCE, [alone.socket, read]), "success");
    await alone.stop();
    const callers = `callers: [{ uid: ${MAPPED.uid}, agent: reader }]\n`;
    const gate = await Gate.start(workspace, { policy: POLICY + callers });
    assertEquals((Deno.statSync(gate.socket).mode ?? 0) & 0o777, 0o666);
    const table = [
      [read, MAPPED, "success"],
      [write, MAPPED, "PERMISSION_DENIED"],
      [asRoot, MAPPED, "PERMISSION_DENIED"],
      [stop, MAPPED, "PERMISSION_DENIED"],
      [read, STRANGER, "PERMISSION_DENIED"],
      // Where callers are named, they are all: the gate's own user may end it.
      [read, null, "PERMISSION_DENIED"],
      [stop, null, "success"],
    ] as const;
    for (const [line, user, expected] of table) {
      assertEquals(
        await python(ASKS_ONCE, [gate.socket, line], user),
        expected,
        `${line} ${user?.uid}`,
      );
    }
    assertEquals((await gate.process.status).code, 0);
  },
});

Deno.test({
  name: "strangers who come in thousands leave room for who is heard",
  ignore: Deno.uid() !== 0,
  fn: async () => {
    await using workspace = new Workspace({ "a.txt": "hello\n" });
    Deno.chmodSync(workspace.base, 0o755);
    const callers = `callers: [{ uid: ${MAPPED.uid}, agent: reader }]\n`;
    const gate = await Gate.start(workspace, { policy: POLICY + callers });
    const stranger = new Deno.Command("/usr/bin/python3", {
      args: ["-c", COME_IN_THOUSANDS, gate.socket],
      ...STRANGER,
      stdin: "piped",
      stdout: "piped",
    }).spawn();
    const said = stranger.stdout.getReader();
    assertEquals(new TextDecoder().decode((await said.read()).value).trim(), "there");
    const open = [...Deno.readDirSync(`/proc/${gate.pid}/fd`)].length;
    assert(open < 200, `${open} descriptors`);
    assertEquals(await python(ASKS_ONCE, [gate.socket, JSON.stringify(READ)], MAPPED), "success");
    stranger.kill("SIGKILL");
    await stranger.status;
    await said.cancel();
    await stranger.stdin.abort();
    assertEquals(await gate.stop(), 0);
  },
});

/** More than a gate keeps, none of which says anything, each there until it is let go. */
const COME_IN_THOUSANDS = `
import resource, socket, sys
most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
callers = []
for _ in range(min(5000, most - 20)):
    caller = socket.socket(socket.AF_UNIX)
    caller.connect(sys.argv[1])
    callers.append(caller)
print("there", flush=True)
sys.stdin.read()
`;

Deno.test("programs that the gate has started are no callers, however they come", async () => {
  await using workspace = new Workspace({ "a.txt": "hello\n" });
  // Without the kernel's layer, which lets no program open such a socket at all.
  const open = await Gate.start(workspace, { policy: `${POLICY}sandbox: { kernel: off }\n` });
  const line = JSON.stringify(READ);
  // Its words would be judged as files.
  workspace.write(
    "ask.py",
    `import sys\nsys.argv[1:] = ${JSON.stringify([open.socket, line])}\n${ASKS_ONCE}`,
  );
  workspace.write(
    "bare.py",
    'import os\nos.execve("/usr/bin/python3", ["python3", "ask.py"], {"PATH": "/usr/bin"})\n',
  );
  workspace.write(
    "orphan.py",
    `import os, time
if os.fork() == 0:
    os.setsid()
    parent = os.getpid()
    if os.fork() == 0:
        while os.getppid() == parent: time.sleep(0.01)
        with open("orphan.txt", "w") as out: os.dup2(out.fileno(), 1)
        os.execv("/usr/bin/python3", ["python3", "ask.py"])
    os._exit(0)
os.wait()
for i in range(60000):
    time.sleep(0.01)
    if os.path.exists("orphan.txt") and os.path.getsize("orphan.txt"): break
print(open("orphan.txt").read().strip())
`,
  );
  // The control: the same, started by somebody else.
  assertEquals(await python(ASKS_ONCE, [open.socket, line]), "success");
  const ways = [
    "python3 ask.py",
    "setsid -w python3 ask.py",
    "python3 bare.py",
    "python3 orphan.py",
  ];
  const caller = await open.connect();
  for (const command of ways) {
    const answer = await caller.ask({ id: 1, tool: "run_command", args: { command } });
    assertEquals(answer.output?.stdout.trim(), "PERMISSION_DENIED", JSON.stringify(answer));
  }
  caller.close();
  await open.stop();
  const held = await Gate.start(workspace, { policy: POLICY });
  const other = await held.connect();
  const ran = { id: 1, tool: "run_command", args: { command: "python3 ask.py" } };
  const { output, usage } = await other.ask(ran);
  const layers = usage["layers"] as readonly string[];
  if (layers.includes("seccomp")) {
    assert(/Error/.test(output.stdout + output.stderr), output.stdout);
  } else assertEquals(output.stdout.trim(), "PERMISSION_DENIED");
  other.close();
  await held.stop();
});

function isThere(path: string): boolean {
  try {
    Deno.lstatSync(path);
    return true;
  } catch {
    return false;
  }
}
