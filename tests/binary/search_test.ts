/** Searches by the binary: no pattern holds it up, whatever it is asked and however it was built. */

import { assert, assertEquals } from "@std/assert";
import { type Answer, call, Pipe, sealedBinary, start, Workspace } from "./toolgate.ts";

const POLICY = `version: 1
paths:
  - { allow: [read], match: ["**"] }
  - { deny: [read], match: ["closed/**", "**/*.pem"] }
`;

/** What backtracking would try for years on a line of `a` and an end that does not fit. */
const LINE = `${"a".repeat(60)}!`;
/** No linear engine takes these over: they ignore case, look around, refer back, count, know Unicode. */
const ENDLESS: readonly Readonly<Record<string, unknown>>[] = [
  { pattern: "^(?=(a+)+$)" },
  { pattern: "^((a+)+)+\\1$" },
  { pattern: "(a+)+$", case_sensitive: false, context: 1 },
  { pattern: "(?i)^(a|a)+$" },
  { pattern: "^(?:a{1,40}){20,40}$" },
  { pattern: "^(\\p{L}+)+$" },
];

const search = (id: number, args: Readonly<Record<string, unknown>>, more = {}) => ({
  id,
  tool: "search_files",
  args,
  ...more,
});
const read = (id: number) => ({ id, tool: "read_file", args: { path: "b.txt" } });
const filesOf = ({ output }: Answer) => output.matches.map(({ file }: { file: string }) => file);

function openWorkspace(): Workspace {
  return new Workspace({
    "a.txt": `${LINE}\nneedle\n`,
    "b.txt": "needle\n",
    "closed/c.txt": "needle\n",
    "d/key.pem": "needle\n",
    "d/e.txt": "Needle\n",
    ".gitignore": "ignored.txt\n",
    "ignored.txt": "needle\n",
  });
}

Deno.test("a pattern without end ends on time, and nobody waits for it", async () => {
  await using workspace = openWorkspace();
  const pipe = new Pipe(["--policy", workspace.policy(POLICY)], { cwd: workspace.root });
  const needle = (id: number) => search(id, { pattern: "needle" });
  // The threads are there when it begins.
  await pipe.send(read(-1), needle(-2));
  await pipe.answers(2);
  for (const [index, args] of ENDLESS.entries()) {
    await pipe.send(search(0, args, { timeout_ms: 700 }), read(1), needle(2));
    const order: unknown[] = [];
    for (let left = 3; left > 0; left--) {
      const answer = await pipe.next();
      assert(answer !== null);
      order.push(answer.id);
      if (answer.id === 0) assertEquals(answer.error?.code, "TIMEOUT", JSON.stringify(args));
      else assertEquals(answer.error, null, `${index}: ${answer.error?.message}`);
      if (answer.id === 2) assertEquals(filesOf(answer), ["a.txt", "b.txt"]);
    }
    assertEquals(order.at(-1), 0, JSON.stringify(args));
  }
  assertEquals(filesOf(await pipe.ask(needle(3))), ["a.txt", "b.txt"]);
  assertEquals((await pipe.close()).status, 0);
});

Deno.test({
  name: "a pattern that was ended runs on nowhere, and its thread goes on",
  ignore: Deno.build.os !== "linux",
  async fn() {
    await using workspace = openWorkspace();
    const pipe = new Pipe(["--policy", workspace.policy(POLICY)], { cwd: workspace.root });
    const entries = (name: string) =>
      [...Deno.readDirSync(`/proc/${pipe.process.pid}/${name}`)].length;
    const counts: (readonly number[])[] = [];
    for (const args of ENDLESS) {
      const { error } = await pipe.ask(search(0, args, { timeout_ms: 300 }));
      assertEquals(error?.code, "TIMEOUT");
      counts.push([entries("task"), entries("fd")]);
    }
    assertEquals(counts.slice(1), counts.slice(1).map(() => counts[1]));
    const ticks = () => {
      const [, stat = ""] = Deno.readTextFileSync(`/proc/${pipe.process.pid}/stat`).split(") ");
      return Number(stat.split(" ")[11]);
    };
    const before = ticks();
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    // Of a hundred: who runs on takes them all.
    assert(ticks() - before < 50, `${ticks() - before} ticks`);
    assertEquals((await pipe.close()).status, 0);
  },
});

Deno.test("as many patterns without end as there are threads still leave the pipe answering", async () => {
  await using workspace = openWorkspace();
  const pipe = new Pipe(["--policy", workspace.policy(POLICY)], { cwd: workspace.root });
  const evil = { pattern: "^((a+)+)+\\1$" };
  // The thread that reads is there: what follows is not about how long it takes to start.
  assertEquals((await pipe.ask(read(8))).error, null);
  await pipe.send(
    ...Array.from({ length: 6 }, (_, id) => search(id, evil, { timeout_ms: 600 })),
    search(6, { pattern: "needle" }),
    read(7),
  );
  const answers = await pipe.answers(8);
  for (let id = 0; id < 6; id++) assertEquals(answers.get(id)?.error?.code, "TIMEOUT");
  assertEquals([answers.get(6)?.error, answers.get(7)?.error], [null, null]);
  assertEquals([...answers.keys()][0], 7);
  assertEquals((await pipe.close()).status, 0);
});

Deno.test("a pattern without end is cancelled at once, and the next search works", async () => {
  await using workspace = openWorkspace();
  const pipe = new Pipe(["--policy", workspace.policy(POLICY)], { cwd: workspace.root });
  for (const args of ENDLESS.slice(0, 2)) {
    await pipe.send(search(1, args), read(2));
    assertEquals((await pipe.next())?.id, 2);
    await pipe.send({ id: 3, op: "cancel", target: 1 });
    const answers = await pipe.answers(2);
    assertEquals(answers.get(3)?.output, { target: 1, cancelled: true });
    assertEquals(answers.get(1)?.error?.code, "CANCELLED");
    assertEquals(filesOf(await pipe.ask(search(4, { pattern: "needle" }))), ["a.txt", "b.txt"]);
  }
  assertEquals((await pipe.close()).status, 0);
});

Deno.test("what the linear engine takes over is answered", async () => {
  await using workspace = openWorkspace();
  const pipe = new Pipe(["--policy", workspace.policy(POLICY)], { cwd: workspace.root });
  for (const pattern of ["(a+)+$", "^(a|a)*$", "(a*)*b!", "^(([a-z])+.)+[A-Z]$"]) {
    const answer = await pipe.ask(search(1, { pattern, path: "a.txt" }));
    assertEquals([answer.error, answer.output?.files_searched], [null, 1], pattern);
  }
  assertEquals((await pipe.close()).status, 0);
});

Deno.test("a single call with a pattern without end ends on time, sealed or not", async () => {
  await using workspace = openWorkspace();
  const policy = workspace.policy(POLICY);
  const binary = await sealedBinary("sealed-search", policy);
  const ways = [{ options: { binary }, flags: [] }, { options: {}, flags: ["--policy", policy] }];
  for (const { options, flags } of ways) {
    const here = { cwd: workspace.root, ...options };
    for (const args of [["pattern=^((a+)+)+\\1$"], ["pattern=(a+)+$", "case_sensitive=false"]]) {
      const { status, answer } = await call([
        "search_files",
        ...args,
        ...flags,
        "--timeout",
        "800ms",
      ], here);
      assertEquals([status, answer.error?.code], [5, "TIMEOUT"]);
    }
    const found = await call(
      ["search_files", "pattern=needle", "case_sensitive=false", ...flags],
      here,
    );
    assertEquals(found.status, 0, found.stderr);
    assertEquals(filesOf(found.answer), ["a.txt", "b.txt", "d/e.txt"]);
    const files = await call(["find_files", "glob=*.{txt,pem}", ...flags], here);
    assertEquals(files.answer.output, {
      files: ["a.txt", "b.txt", "d/e.txt"],
      total: 3,
      truncated: false,
    });
  }
});

Deno.test("a long search says how far it is", async () => {
  await using workspace = new Workspace();
  for (let index = 0; index < 1200; index++) workspace.write(`d${index % 40}/${index}.txt`, "x\n");
  const pipe = new Pipe(["--policy", workspace.policy(POLICY)], { cwd: workspace.root });
  await pipe.ask(search(1, { pattern: "y" }));
  // Events are at least so far apart, counted from the start of the thread.
  await new Promise((resolve) => setTimeout(resolve, 150));
  await pipe.send(search(2, { pattern: "y" }, { stream: true }));
  const event = await pipe.next() as Answer & { readonly done: number; readonly unit: string };
  assertEquals([event.event, event.unit, event.done], ["progress", "files", 500]);
  const { rest } = await pipe.close();
  assertEquals(rest.at(-1)?.output.files_searched, 1200);
});

Deno.test("pipes, sparse and odd files hold no search up", async () => {
  await using workspace = openWorkspace();
  const pipes = ["pipe", "d/pipe"].map((path) => workspace.path(path));
  assert(new Deno.Command("mkfifo", { args: pipes }).outputSync().success);
  Deno.symlinkSync("/dev/zero", workspace.path("zero"));
  Deno.symlinkSync(workspace.outside, workspace.path("out"));
  workspace.write("huge", "");
  Deno.truncateSync(workspace.path("huge"), 10_000_000_000);
  workspace.write("new\nline.txt", "needle\n");
  const { answer } = await call(["search_files", "pattern=needle|sentinel"], {
    cwd: workspace.root,
  });
  assertEquals(filesOf(answer), ["a.txt", "b.txt", "closed/c.txt", "new\nline.txt"]);
  assertEquals(answer.output.files_skipped, 1);
  const { status } = await start(["call", "search_files", "pattern=x", "path=pipe"], {
    cwd: workspace.root,
  });
  assertEquals(status, 1);
});
