import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { inTime } from "../../in_time.ts";
import { comesToBe } from "../../until.ts";
import { sleepMark, untilRunning } from "../_processes.ts";
import { type Answer, Pipe, serveAll, Workspace } from "../toolgate.ts";
import { Random } from "../../random.ts";

const POLICY = `version: 1
paths: [{ allow: [read, write], match: ["**"] }]
commands: [{ allow: [sleep, cat, "true", yes, head, test] }]
timeouts: { default: 1h, kill_grace: 1h }
`;

/** That gives up what does not end soon. */
const HASTY = POLICY.replace("kill_grace: 1h", "kill_grace: 1s");

const read = (id: number | string, path: string) => ({ id, tool: "read_file", args: { path } });
const write = (id: number, path: string, content: string) => ({
  id,
  tool: "write_file",
  args: { path, content },
});
const sleep = (id: number, seconds: string) => ({
  id,
  tool: "run_command",
  args: { argv: ["sleep", seconds] },
});

Deno.test("answers come with the id of their request, events aside, and the end of input ends it", async () => {
  await using workspace = new Workspace({ "a.txt": "a", "b.txt": "b" });
  const { status, answers } = await serveAll(
    [read(1, "a.txt"), read("two", "b.txt"), { id: 3, op: "ping" }, read(4, "none")],
    [],
    { cwd: workspace.root },
  );
  assertEquals(status, 0);
  const byId = new Map(answers.map((answer) => [answer.id, answer]));
  assertEquals(byId.size, 4);
  assertEquals(byId.get(1)?.output.content, "a");
  assertEquals(byId.get("two")?.output.content, "b");
  assertEquals(byId.get(3)?.output, { pong: true });
  assertEquals(byId.get(4)?.error?.code, "FILE_NOT_FOUND");
});

Deno.test("a slow call does not hold up the next", async () => {
  await using workspace = new Workspace({ "a.txt": "a" });
  const pipe = new Pipe(["--policy", workspace.policy(POLICY)], { cwd: workspace.root });
  await pipe.send(sleep(1, "3000"), read(2, "a.txt"));
  assertEquals((await pipe.next())?.id, 2);
  await pipe.send({ id: 3, op: "cancel", target: 1 });
  assertEquals((await pipe.answers(2)).get(1)?.error?.code, "CANCELLED");
  assertEquals((await pipe.close()).status, 0);
});

Deno.test("writes to one path take effect in the order they came", async () => {
  await using workspace = new Workspace();
  const lines = Array.from(
    { length: 60 },
    (_, i) => write(i, i % 2 === 0 ? "a.json" : "b.txt", String(i)),
  );
  const { answers } = await serveAll(lines, [], { cwd: workspace.root });
  assertEquals(answers.filter(({ success }) => success).length, 60);
  assertEquals([workspace.read("a.json"), workspace.read("b.txt")], ["58", "59"]);
});

Deno.test("the order of writes holds while the folder that they go to comes to be", async () => {
  await using workspace = new Workspace();
  const policy = workspace.policy(
    `version: 1\npaths: [{ allow: [read, write], match: ["out/**"] }]\n`,
  );
  const lines = Array.from({ length: 60 }, (_, i) => write(i, "out/deep/a.txt", String(i)));
  const { answers } = await serveAll(lines, ["--policy", policy], { cwd: workspace.root });
  assertEquals(answers.filter(({ success }) => success).length, 60);
  assertEquals(workspace.read("out/deep/a.txt"), "59");
});

Deno.test("cancel ends a running call, and one that waits", async () => {
  await using workspace = new Workspace();
  const policy = workspace.policy(`${POLICY}limits: { concurrency: 1 }\n`);
  const pipe = new Pipe(["--policy", policy], { cwd: workspace.root });
  await pipe.send(sleep(1, "3000"), sleep(2, "3000"), { id: 3, op: "cancel", target: 2 });
  const early = await pipe.answers(2);
  assertEquals(early.get(2)?.error?.code, "CANCELLED");
  assertEquals(early.get(3)?.output, { target: 2, cancelled: true });
  await pipe.send({ id: 4, op: "cancel", target: 1 }, { id: 5, op: "cancel", target: "none" });
  const late = await pipe.answers(3);
  assertEquals(late.get(1)?.error?.code, "CANCELLED");
  assertEquals(late.get(5)?.output.cancelled, false);
  assertEquals((await pipe.close()).status, 0);
});

Deno.test("a call that overruns ends with TIMEOUT, and the pipe goes on", async () => {
  await using workspace = new Workspace({ "a.txt": "a", "long.txt": "a".repeat(60) + "!" });
  const pipe = new Pipe(["--policy", workspace.policy(POLICY)], { cwd: workspace.root });
  // A pattern that V8 would try for years, and which its linear engine does not take over (a backreference).
  const evil = { pattern: "^((a+)+)+\\1$", path: "." };
  await pipe.send({ id: 1, tool: "search_files", args: evil, timeout_ms: 300 }, read(2, "a.txt"));
  const searched = await pipe.answers(2);
  assertEquals([searched.get(1)?.error?.code, searched.get(2)?.success], ["TIMEOUT", true]);
  const slept = await inTime(300, async (timeout_ms) => {
    await pipe.send({ ...sleep(3, "3000"), timeout_ms }, read(4, "a.txt"));
    const answers = await pipe.answers(2);
    assertEquals([answers.get(3)?.error?.code, answers.get(4)?.success], ["TIMEOUT", true]);
    return answers.get(3)?.output;
  });
  assertEquals(slept.timed_out, true);
  assertEquals((await pipe.close()).status, 0);
});

Deno.test("no line breaks the pipe", async () => {
  await using workspace = new Workspace({ "a.txt": "a" });
  const random = new Random(5);
  const valid = JSON.stringify(read(1, "a.txt"));
  const lines = [
    "",
    "   ",
    "null",
    "[]",
    "{}",
    `{"id":1e999,"tool":"read_file"}`,
    `{"id":1,"tool":"read_file","args":{"path":"\\ud800"}}`,
    `{"id":1,"tool":"read_file","args":{"path":"a\\u0000b"}}`,
    `{"id":1,"tool":"__proto__","args":{}}`,
    `{"id":1,"tool":"read_file","args":{"__proto__":{"path":"a.txt"}}}`,
    `{"id":1,"tool":"read_file","args":${"[".repeat(5_000)}${"]".repeat(5_000)}}`,
    `{"id":1,"tool":"read_file","args":{"path":"${"a/".repeat(4_000)}b"}}`,
    ...Array.from({ length: 400 }, () => {
      const bytes = new TextEncoder().encode(valid);
      for (let flips = 1 + random.below(5); flips > 0; flips--) {
        bytes[random.below(bytes.length)] = random.below(128);
      }
      return new TextDecoder().decode(bytes).replaceAll("\n", " ").replaceAll("\r", " ");
    }),
  ];
  const { status, answers } = await serveAll([...lines, read("last", "a.txt")], [], {
    cwd: workspace.root,
  });
  assertEquals(status, 0);
  assertEquals(answers.filter(({ id }) => id === "last").map(({ success }) => success), [true]);
  assert(answers.every(({ error }) => error?.code !== "INTERNAL_ERROR"), "a defect was reported");
  assertEquals(answers.length, lines.filter((line) => line.trim() !== "").length + 1);
});

Deno.test("bytes that are no UTF-8, and lines that are too long, get an answer", async () => {
  await using workspace = new Workspace({ "a.txt": "a" });
  const policy = workspace.policy(`${POLICY}limits: { request: 4KiB }\n`);
  const { status, answers } = await serveAll(["\uFFFD", "x".repeat(10_000), read(1, "a.txt")], [
    "--policy",
    policy,
  ], {
    cwd: workspace.root,
  });
  assertEquals(status, 0);
  assertEquals(answers.map(({ error }) => error?.code ?? null), [
    "INVALID_JSON",
    "REQUEST_TOO_LARGE",
    null,
  ]);
});

Deno.test("tools, stats and explain", async () => {
  await using workspace = new Workspace({ "a.txt": "a" });
  const pipe = new Pipe(["--policy", workspace.policy(POLICY)], { cwd: workspace.root });
  await pipe.ask(read(1, "a.txt"));
  await pipe.ask(read(2, "none"));
  const tools = await pipe.ask({ id: 3, op: "tools" });
  const names = tools.output.tools.map((tool: { name: string }) => tool.name);
  assert(names.includes("read_file") && names.includes("run_command"), names.join(" "));
  const stats = await pipe.ask({ id: 4, op: "stats" });
  const { calls, succeeded, errors } = stats.output.tools.read_file;
  assertEquals([calls, succeeded, errors], [2, 1, { FILE_NOT_FOUND: 1 }]);
  const explained = await pipe.ask({
    id: 5,
    op: "explain",
    tool: "run_command",
    args: { argv: ["git", "push"] },
  });
  assertEquals([explained.output.effect, explained.output.code], ["deny", "COMMAND_DENIED"]);
  assertEquals((await pipe.close()).status, 0);
});

Deno.test("64 requests in flight are answered once each", async () => {
  await using workspace = new Workspace(
    Object.fromEntries(Array.from({ length: 64 }, (_, i) => [`${i}.txt`, `content ${i}`])),
  );
  const pipe = new Pipe([], { cwd: workspace.root });
  const seen = new Map<Answer["id"], Answer>();
  for (let round = 0; round < 20; round++) {
    await pipe.send(...Array.from({ length: 64 }, (_, i) => read(round * 64 + i, `${i}.txt`)));
    for (const [id, answer] of await pipe.answers(64)) seen.set(id, answer);
  }
  assertEquals(seen.size, 20 * 64);
  for (const [id, answer] of seen) {
    assertEquals(answer.output?.content, `content ${Number(id) % 64}`);
  }
  assertEquals((await pipe.close()).status, 0);
});

Deno.test("of many thousand requests none is lost between two threads that go to sleep", async () => {
  await using workspace = new Workspace({ "a.txt": "a" });
  const { status, answers } = await serveAll(
    Array.from({ length: 20_000 }, (_, i) => read(i, "a.txt")),
    ["--policy", workspace.policy(POLICY)],
    { cwd: workspace.root },
  );
  assertEquals([status, answers.length], [0, 20_000]);
  assertEquals(answers.filter(({ success }) => !success), []);
  assertEquals(new Set(answers.map(({ id }) => id)).size, 20_000);
});

Deno.test("large answers pass whole, also to a reader that is slow", async () => {
  const text = "0123456789abcdef\n".repeat(55_000);
  await using workspace = new Workspace({ "big.txt": text });
  const pipe = new Pipe([], { cwd: workspace.root });
  const count = 40;
  await pipe.send(...Array.from({ length: count }, (_, i) => read(i, "big.txt")));
  // Nothing is read for a while: the writer waits, and keeps no more than its limits in memory.
  await new Promise((resolve) => setTimeout(resolve, 1_500));
  const memory = Number(Deno.readTextFileSync(`/proc/${pipe.process.pid}/statm`).split(" ")[1]) *
    4096;
  assert(memory < 250 * 1024 * 1024, `${memory} bytes`);
  for (const answer of (await pipe.answers(count)).values()) {
    assertEquals(answer.output?.content.length, text.length);
  }
  assertEquals((await pipe.close()).status, 0);
});

/** Whether no signal waits for a process any more (proc_pid_status(5)). */
function isHeard(pid: number): boolean {
  return /^ShdPnd:\s*0+$/m.test(Deno.readTextFileSync(`/proc/${pid}/status`));
}

Deno.test("SIGTERM: what runs may finish, what waits is refused, the end is clean", async () => {
  await using workspace = new Workspace();
  const pipe = new Pipe(["--policy", workspace.policy(POLICY)], { cwd: workspace.root });
  const command = ": > begun; until test -e go; do sleep 0.05; done";
  await pipe.send({ id: 1, tool: "run_command", args: { command } }, { id: 2, op: "ping" });
  assertEquals((await pipe.next())?.id, 2);
  const names = () => [...Deno.readDirSync(workspace.root)].map(({ name }) => name);
  assert(await comesToBe(() => names().includes("begun")));
  pipe.process.kill("SIGTERM");
  assert(await comesToBe(() => isHeard(pipe.process.pid)));
  workspace.write("go", "");
  assertEquals((await pipe.next())?.success, true);
  assertEquals(await pipe.close(), { status: 0, rest: [] });
});

Deno.test("SIGTERM with a call that would take for ever: it is cancelled after the grace", async () => {
  await using workspace = new Workspace();
  const pipe = new Pipe(["--policy", workspace.policy(HASTY)], { cwd: workspace.root });
  const word = sleepMark();
  await pipe.send(sleep(1, word), { id: 2, op: "ping" });
  assertEquals((await pipe.next())?.id, 2);
  await untilRunning(word, 1);
  pipe.process.kill("SIGTERM");
  assertEquals((await pipe.next())?.error?.code, "CANCELLED");
  assertEquals(await pipe.close(), { status: 0, rest: [] });
});

Deno.test("a reader that is gone ends it", async () => {
  await using workspace = new Workspace({ "a.txt": "a" });
  const pipe = new Pipe([], { cwd: workspace.root });
  await pipe.ask(read(1, "a.txt"));
  await pipe.abandon();
  await pipe.send(read(2, "a.txt"), read(3, "a.txt")).catch(() => {});
  assertEquals((await pipe.process.status).code, 1);
  await pipe.endInput().catch(() => {});
});

Deno.test("an agent that was pinned is the only one", async () => {
  await using workspace = new Workspace({ "a.txt": "a" });
  const { answers } = await serveAll(
    [
      { ...read(1, "a.txt"), agent: "root" },
      { ...write(2, "b.txt", "x"), agent: "other" },
      write(3, "b.txt", "x"),
    ],
    ["--agent", "other"],
    { cwd: workspace.root },
  );
  const codes = new Map(answers.map(({ id, error }) => [id, error?.code ?? null]));
  assertEquals(codes.get(1), "PERMISSION_DENIED");
  assertEquals(codes.get(2), "PERMISSION_DENIED");
  assertEquals(codes.get(3), "PERMISSION_DENIED");
  assertStringIncludes(answers.find(({ id }) => id === 3)?.error?.message ?? "", "file_write");
});
