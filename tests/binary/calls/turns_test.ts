/** Two threads hear a pipe in turns, one of which only looks: nobody at the other end may tell, but by the time it takes. */

import { assert, assertEquals } from "@std/assert";
import { Random } from "../../random.ts";
import { comesToBe } from "../../until.ts";
import { type Answer, Pipe, SENTINEL, start, Workspace } from "../toolgate.ts";

const POLICY = `version: 1
risk: { allow: dangerous, ask: dangerous }
agents: { root: { permissions: [all] } }
paths:
  - { allow: [read, write], match: ["**"] }
  - { deny: [read, write], match: ["**/.env"] }
  - { ask: [read, write], match: ["asked.txt"] }
commands:
  - { allow: ["true", echo, cat, test, sleep] }
  - { ask: [ls] }
timeouts: { default: 1h, kill_grace: 1h }
`;

/** The same, under which the main thread hears alone: what it tries again it has to see. */
const ALONE = `${POLICY}recovery: { timeout: { retries: 1 } }\n`;

const FILES = { "a.txt": "a\n", "b/c.txt": "c\n", ".env": SENTINEL, "asked.txt": "asked\n" };

/** How many threads of that name the process has. */
function workersOf({ process: { pid } }: Pipe): number {
  return [...Deno.readDirSync(`/proc/${pid}/task`)]
    .filter(({ name }) =>
      Deno.readTextFileSync(`/proc/${pid}/task/${name}/comm`).startsWith("worker-")
    )
    .length;
}

const look = (id: number | string, path = "a.txt") => ({ id, tool: "read_file", args: { path } });

Deno.test("calls that only look take one thread, whoever is asked for them", async () => {
  await using workspace = new Workspace(FILES);
  const pipe = new Pipe(["--policy", workspace.policy(POLICY)], { cwd: workspace.root });
  for (let id = 0; id < 20; id++) {
    const { success, usage } = await pipe.ask(look(id));
    assertEquals([success, (usage["layers"] as string[]).includes("runtime")], [true, true]);
  }
  assertEquals(workersOf(pipe), 1);
  const { output } = await pipe.ask({ id: "s", op: "stats" });
  assertEquals([output.answered, output.threads], [20, 0]);
  assertEquals(output.tools.read_file.calls, 20);
  assertEquals((await pipe.close()).status, 0);
});

/** Any line that a caller may send, and whether it is answered. */
function anyLine(
  random: Random,
  id: number,
): { readonly line: string; readonly answered: boolean } {
  const call = (tool: string, args: unknown, more = {}) => ({
    line: JSON.stringify({ id, tool, args, ...more }),
    answered: true,
  });
  const lines = [
    () => call("read_file", { path: "a.txt" }),
    () => call("read_file", { path: "b/c.txt", start_line: 1 }),
    () => call("list_directory", { path: "b" }),
    () => call("get_file_info", { path: "./a.txt" }),
    () => call("fs.read", { path: "link.txt" }),
    () => call("read_file", { path: ".env" }),
    () => call("read_file", { path: "../outside/sentinel.txt" }),
    () => call("read_file", { path: "out.txt" }),
    () => call("read_file", { path: "none" }),
    () => call("read_file", { pth: "a.txt" }),
    () => call("read_file", { path: "a.txt" }, { stream: true }),
    () => call("read_file", { path: "a.txt" }, { timeout_ms: 600_000 }),
    () => call("read_file", { path: "a.txt" }, { agent: "nobody" }),
    () => call("read_file", { path: "x".repeat(10_000) }),
    () => call("search_files", { pattern: "c", path: "b" }),
    () => call("write_file", { path: `made${id}.txt`, content: String(id) }),
    () => call("run_command", { argv: ["echo", String(id)] }),
    () => call("no_such", {}),
    () => ({ line: JSON.stringify({ id, op: "ping" }), answered: true }),
    () => ({
      line: JSON.stringify({ id, op: "explain", tool: "read_file", args: { path: "a.txt" } }),
      answered: true,
    }),
    () => ({ line: JSON.stringify({ id, op: "cancel", target: "nobody" }), answered: true }),
    () => ({ line: "  ", answered: false }),
    () => ({
      line: `{"id":${id},"tool":"read_file","args":{"path":"\\u0061.txt"}}`,
      answered: true,
    }),
    () => ({ line: `{"id":${id},"tool":`, answered: true }),
  ];
  // Mostly what only looks, so that the turn goes to and fro.
  const pick = random.below(3) === 0 ? random.below(lines.length) : random.below(5);
  return (lines[pick] as (typeof lines)[number])();
}

const OF_ITS_TIME: ReadonlySet<string> = new Set([
  "duration_ms",
  "modified",
  "accessed",
  "created",
]);

/** What does not hang on when or by which thread it was answered. */
function essence({ id, op, tool, success, output, error, risk, usage }: Answer): string {
  const own = Object.entries(output ?? {}).filter(([name]) => !OF_ITS_TIME.has(name));
  return JSON.stringify([id, op, tool, success, own, error, risk, usage["layers"]]);
}

Deno.test("whatever comes is answered once, as by one thread that hears alone, wherever its bytes are cut", async () => {
  await using workspace = new Workspace(FILES);
  Deno.symlinkSync("b/c.txt", workspace.path("link.txt"));
  Deno.symlinkSync("../outside/sentinel.txt", workspace.path("out.txt"));
  const random = new Random(71);
  const given = Array.from({ length: 700 }, (_, id) => anyLine(random, id));
  const bytes = new TextEncoder().encode(given.map(({ line }) => `${line}\n`).join(""));
  const policy = (text: string) => workspace.policy(text);
  const answersOf = async (policy: string, random: Random): Promise<readonly string[]> => {
    const child = new Pipe(["--policy", policy], { cwd: workspace.root });
    const answers = child.answers(given.filter(({ answered }) => answered).length - invalid);
    for (let at = 0; at < bytes.length;) {
      const end = at + 1 + random.below(random.below(4) === 0 ? 30_000 : 300);
      await child.sendBytes(bytes.subarray(at, end));
      at = end;
      if (random.below(8) === 0) await new Promise((resolve) => setTimeout(resolve, 3));
    }
    const found = [...(await answers).values()];
    const { status, rest } = await child.close();
    assertEquals([status, rest.filter(({ id }) => id !== null)], [0, []]);
    return found.filter(({ id }) => id !== null).map(essence).sort();
  };
  // Those of lines that are no JSON have no id.
  const invalid = given.filter(({ line }) => line.endsWith('"tool":')).length - 1;
  const alone = await answersOf(policy(ALONE), new Random(1));
  for (const seed of [2, 3]) {
    const turns = await answersOf(policy(POLICY), new Random(seed));
    assertEquals(turns, alone);
    assert(!turns.join("").includes(SENTINEL.trim()));
  }
  workspace.assertOutsideUntouched();
});

Deno.test("a name that turns into a link to outside while it is read over and over shows nothing of there", async () => {
  await using workspace = new Workspace({ ...FILES, "plain.txt": "plain\n" });
  Deno.symlinkSync(`${workspace.outside}/sentinel.txt`, workspace.path("to-outside"));
  Deno.symlinkSync(".env", workspace.path("to-env"));
  const pipe = new Pipe(["--policy", workspace.policy(POLICY)], { cwd: workspace.root });
  let goesOn = true;
  const swapping = (async () => {
    for (let round = 0; goesOn; round++) {
      const from = ["plain.txt", "to-outside", "to-env"][round % 3] as string;
      if (from === "plain.txt") Deno.linkSync(workspace.path(from), workspace.path("next"));
      else Deno.symlinkSync(Deno.readLinkSync(workspace.path(from)), workspace.path("next"));
      Deno.renameSync(workspace.path("next"), workspace.path("swapped"));
      if (round % 8 === 0) await new Promise((resolve) => setTimeout(resolve, 0));
    }
  })();
  const seen = new Map<string, number>();
  for (let id = 0; id < 1_500; id++) {
    const { output, error } = await pipe.ask(look(id, "swapped"));
    const what = error?.code ?? String(output.content);
    seen.set(what, (seen.get(what) ?? 0) + 1);
  }
  goesOn = false;
  await swapping;
  const allowed = [
    "plain\n",
    "PATH_DENIED",
    "PATH_OUTSIDE_WORKSPACE",
    "NATIVE_DENIED",
    "FILE_NOT_FOUND",
  ];
  assertEquals([...seen.keys()].filter((what) => !allowed.includes(what)), []);
  assert((seen.get("plain\n") ?? 0) > 0, JSON.stringify([...seen]));
  assertEquals((await pipe.close()).status, 0);
});

Deno.test("looks go on while a program runs and somebody is asked, and the answer to that is heard", async () => {
  await using workspace = new Workspace(FILES);
  const pipe = new Pipe(["--policy", workspace.policy(POLICY)], { cwd: workspace.root });
  const command = "until test -e go; do sleep 0.05; done";
  await pipe.send({ id: "run", tool: "run_command", args: { command } });
  await pipe.send({ id: "ask", tool: "run_command", args: { argv: ["ls"] } });
  const asked = await pipe.next() as unknown as { readonly approval: string };
  for (let id = 0; id < 50; id++) assertEquals((await pipe.ask(look(id))).id, id);
  await pipe.send({ id: "yes", op: "approve", approval: asked.approval });
  const approved = await pipe.answers(2);
  assertEquals([approved.get("yes")?.success, approved.get("ask")?.success], [true, true]);
  assertEquals((await pipe.ask(look("again"))).id, "again");
  workspace.write("go", "");
  assertEquals((await pipe.next())?.id, "run");
  assertEquals((await pipe.close()).status, 0);
});

Deno.test("the last line counts without its end, whoever hears it", async () => {
  await using workspace = new Workspace(FILES);
  for (const before of [[], [look(1)], [look(1), { id: 2, op: "ping" }]]) {
    const pipe = new Pipe(["--policy", workspace.policy(POLICY)], { cwd: workspace.root });
    for (const line of before) await pipe.ask(line);
    await pipe.sendBytes(new TextEncoder().encode(JSON.stringify(look("last"))));
    const { status, rest } = await pipe.close();
    assertEquals([status, rest.map(({ id, success }) => [id, success])], [0, [["last", true]]]);
  }
});

Deno.test("SIGTERM ends it, whoever hears, and a reader that is gone", async () => {
  await using workspace = new Workspace(FILES);
  const policy = workspace.policy(POLICY);
  const ended = new Pipe(["--policy", policy], { cwd: workspace.root });
  for (let id = 0; id < 5; id++) await ended.ask(look(id));
  ended.process.kill("SIGTERM");
  assertEquals((await ended.process.status).code, 0);
  await ended.close();
  const unread = new Pipe(["--policy", policy], { cwd: workspace.root });
  for (let id = 0; id < 5; id++) await unread.ask(look(id));
  await unread.abandon();
  for (let id = 0; id < 5; id++) await unread.send(look(id)).catch(() => {});
  assertEquals((await unread.process.status).code, 1);
  await unread.endInput().catch(() => {});
});

Deno.test("who sends much and reads late gets all of it, in the order of what was asked", async () => {
  await using workspace = new Workspace({ "large.txt": `${"line of it\n".repeat(9_000)}` });
  const lines = Array.from({ length: 300 }, (_, id) => JSON.stringify(look(id, "large.txt")));
  const { stdout, status } = await start(["serve", "--policy", workspace.policy(POLICY)], {
    cwd: workspace.root,
    stdin: `${lines.join("\n")}\n`,
  });
  const answers = stdout.trimEnd().split("\n").map((line) => JSON.parse(line) as Answer);
  assertEquals([status, answers.length], [0, 300]);
  assertEquals(answers.filter(({ success }) => !success), []);
  assertEquals(new Set(answers.map(({ id }) => id)).size, 300);
});

Deno.test("one who says what he spends is held to his budget with each look after that", async () => {
  await using workspace = new Workspace(FILES);
  const policy = workspace.policy(
    POLICY.replace("root: { permissions: [all] }", "root: { permissions: [all], tokens: 10 }"),
  );
  const pipe = new Pipe(["--policy", policy], { cwd: workspace.root });
  assertEquals((await pipe.ask(look(1))).success, true);
  assertEquals((await pipe.ask({ ...look(2), tokens: 11 })).error?.code, "RESOURCE_LIMIT");
  assertEquals((await pipe.ask(look(3))).error?.code, "RESOURCE_LIMIT");
  assertEquals((await pipe.close()).status, 0);
});

Deno.test("a request that is longer than the policy takes is refused, whoever hears it", async () => {
  await using workspace = new Workspace(FILES);
  const policy = workspace.policy(`${POLICY}limits: { request: 1KiB }\n`);
  const pipe = new Pipe(["--policy", policy], { cwd: workspace.root });
  const long = look(3, `${"./".repeat(600)}a.txt`);
  for (const id of [1, 2]) assertEquals((await pipe.ask(look(id))).success, true);
  assertEquals((await pipe.ask(long)).error?.code, "REQUEST_TOO_LARGE");
  assertEquals((await pipe.ask(look(4))).success, true);
  assertEquals((await pipe.close()).status, 0);
});

Deno.test("what is logged is logged of looks, too, in a log that holds together", async () => {
  await using workspace = new Workspace(FILES);
  const policy = workspace.policy(`${POLICY}audit: { file: ../audit.ndjson }\n`);
  const pipe = new Pipe(["--policy", policy], { cwd: workspace.root });
  for (let id = 0; id < 5; id++) assertEquals((await pipe.ask(look(id))).success, true);
  assertEquals((await pipe.close()).status, 0);
  const log = `${workspace.base}/audit.ndjson`;
  assert(await comesToBe(() => Deno.readTextFileSync(log).split("\n").length > 10));
  const records = Deno.readTextFileSync(log).trimEnd().split("\n");
  assertEquals(records.filter((line) => line.includes('"kind":"decision"')).length, 5);
});
