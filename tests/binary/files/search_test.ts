/** Searches by the binary: no pattern holds it up, whatever it is asked and however it was built. */

import { assert, assertEquals } from "@std/assert";
import { comesToBe } from "../../until.ts";
import { type Answer, call, Pipe, sealedBinary, start, Workspace } from "../toolgate.ts";

const POLICY = `version: 1
paths:
  - { allow: [read], match: ["**"] }
  - { deny: [read], match: ["closed/**", "**/*.pem"] }
timeouts: { default: 1h }
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
/** Longer than any machine takes to answer what comes beside it. */
const LONG = { timeout_ms: 600_000 };

const search = (id: number, args: Readonly<Record<string, unknown>>, more = {}) => ({
  id,
  tool: "search_files",
  args,
  ...more,
});
const read = (id: number) => ({ id, tool: "read_file", args: { path: "b.txt" } });
const filesOf = ({ output }: Answer) => output.matches.map(({ file }: { file: string }) => file);

/** Null where it is gone by now. */
function linkOf(path: string): string | null {
  try {
    return Deno.readLinkSync(path);
  } catch {
    return null;
  }
}

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
  for (const args of ENDLESS) {
    // It goes on until it is cancelled: what is answered before did not wait for it.
    await pipe.send(search(0, args, LONG), read(1), needle(2));
    const meanwhile = await pipe.answers(2);
    assertEquals([...meanwhile.keys()].toSorted(), [1, 2], JSON.stringify(args));
    assertEquals(meanwhile.get(1)?.error, null);
    assertEquals(filesOf(meanwhile.get(2) as Answer), ["a.txt", "b.txt"]);
    await pipe.send({ id: 3, op: "cancel", target: 0 });
    assertEquals((await pipe.answers(2)).get(0)?.error?.code, "CANCELLED");
    const { error } = await pipe.ask(search(4, args, { timeout_ms: 100 }));
    assertEquals(error?.code, "TIMEOUT", JSON.stringify(args));
  }
  assertEquals(filesOf(await pipe.ask(needle(5))), ["a.txt", "b.txt"]);
  assertEquals((await pipe.close()).status, 0);
});

Deno.test({
  name: "a pattern that was ended runs on nowhere, and its thread goes on",
  ignore: Deno.build.os !== "linux",
  async fn() {
    await using workspace = openWorkspace();
    const pipe = new Pipe(["--policy", workspace.policy(POLICY)], { cwd: workspace.root });
    const own = `/proc/${pipe.process.pid}`;
    const threadsNow = () => [...Deno.readDirSync(`${own}/task`)].length;
    const input = Deno.readLinkSync(`${own}/fd/0`);
    // Standard input is open once more while the event loop waits for it, which it does or does not at any moment.
    const descriptorsNow = () =>
      [...Deno.readDirSync(`${own}/fd`)].filter(({ name }) => linkOf(`${own}/fd/${name}`) !== input)
        .length;
    const counts = () => [threadsNow(), descriptorsNow()];
    const timeOut = async (args: Readonly<Record<string, unknown>>) => {
      const { error } = await pipe.ask(search(0, args, { timeout_ms: 200 }));
      assertEquals(error?.code, "TIMEOUT");
    };
    for (const args of ENDLESS.slice(0, 2)) await timeOut(args);
    // The thread that comes next is there.
    await pipe.ask(search(0, { pattern: "needle" }));
    const [threads = 0, descriptors = 0] = counts();
    for (const args of ENDLESS.slice(2)) await timeOut(args);
    // A thread of the runtime's own may come and go beside them; one that was left behind stays.
    const isAsBefore = () => {
      const [last = 0, lastDescriptors = 0] = counts();
      return last <= threads && lastDescriptors <= descriptors;
    };
    assert(await comesToBe(isAsBefore), `${threads} ${descriptors} ${counts()}`);
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
  const six = [0, 1, 2, 3, 4, 5];
  await pipe.send(
    ...six.map((id) => search(id, evil, LONG)),
    search(6, { pattern: "needle" }),
    read(7),
  );
  // None of the six has ended when the read is answered; the other search may have found a thread before, or waits.
  const first = await pipe.next();
  const early = first?.id === 6 ? [first, await pipe.next()] : [first];
  assertEquals([early.at(-1)?.id, early.at(-1)?.error], [7, null]);
  await pipe.send(...six.map((target) => ({ id: `end ${target}`, op: "cancel", target })));
  const ended = await pipe.answers(12 + 2 - early.length);
  for (const id of six) assertEquals(ended.get(id)?.error?.code, "CANCELLED");
  const waiting = early.find((answer) => answer?.id === 6) ?? ended.get(6);
  assertEquals(filesOf(waiting as Answer), ["a.txt", "b.txt"]);
  // Their time ends for all of them.
  await pipe.send(
    ...six.map((id) => search(id, evil, { timeout_ms: 300 })),
    search(6, { pattern: "needle" }),
  );
  const late = await pipe.answers(7);
  for (const id of six) assertEquals(late.get(id)?.error?.code, "TIMEOUT");
  assertEquals(filesOf(late.get(6) as Answer), ["a.txt", "b.txt"]);
  assertEquals((await pipe.close()).status, 0);
});

Deno.test("a pattern without end is cancelled at once, and the next search works", async () => {
  await using workspace = openWorkspace();
  const pipe = new Pipe(["--policy", workspace.policy(POLICY)], { cwd: workspace.root });
  for (const args of ENDLESS.slice(0, 2)) {
    await pipe.send(search(1, args, LONG), read(2));
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
