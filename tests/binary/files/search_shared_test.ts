/** Long searches, for which two threads work: they answer as one does, and nobody is the worse for it. */

import { assert, assertEquals } from "@std/assert";
import { dirname } from "@std/path";
import { type Answer, call, Pipe, Workspace } from "../toolgate.ts";

const POLICY = `version: 1
paths:
  - { allow: [read, write], match: ["**"] }
  - { deny: [read], match: ["**/closed/**", "**/*.pem"] }
limits: { concurrency: 64, matches: 400 }
timeouts: { default: 1h }
`;
const FILES = 3000;
const LINES = 20;

/** No literal, and work that grows with the square of a line: some hundred milliseconds in all. */
const SLOW = ".*[a-z][YZ]";
/** What no engine ends with, on the one line that is made for it. */
const ENDLESS = "^((a+)+)+\\1$";
const EVIL = `${"a".repeat(60)}!\n`;
/** Slow all the way to the last file, where it does not end. */
const NEVER = { pattern: `${SLOW}|${ENDLESS}`, trap: { "9/z": EVIL } } as const;

/** Files and directories among one another, some of which nobody may read: the same for all tests. */
const WORKSPACE = new Workspace();
const LINE = `${"plain words stand here, nothing that anybody looks for; ".repeat(3)}\n`;
for (let index = 0; index < FILES; index++) {
  const found = index % 100 === 7;
  const name = index % 300 === 7 ? "key.pem" : "file.txt";
  const directory = index % 70 === 7 ? "closed" : `d${index % 13}/e${index % 7}`;
  const text = LINE.repeat(LINES) + (found ? `the needleZ of ${index}\n` : "");
  WORKSPACE.write(`${index % 3}/${directory}/${index}_${name}`, text);
}
addEventListener("unload", () => Deno.removeSync(WORKSPACE.base, { recursive: true }));

/** More files, for one test. */
class MoreFiles implements Disposable {
  readonly #paths: readonly string[];

  constructor(files: Readonly<Record<string, string>>) {
    this.#paths = Object.keys(files);
    for (const [path, text] of Object.entries(files)) WORKSPACE.write(path, text);
  }

  [Symbol.dispose](): void {
    for (const path of this.#paths) Deno.removeSync(WORKSPACE.path(path));
    for (const folder of new Set(this.#paths.map((path) => dirname(WORKSPACE.path(path))))) {
      if ([...Deno.readDirSync(folder)].length === 0) Deno.removeSync(folder);
    }
  }
}

const search = (id: number, pattern: string, more: Readonly<Record<string, unknown>> = {}) => ({
  id,
  tool: "search_files",
  args: { pattern, max_results: 400 },
  timeout_ms: 600_000,
  ...more,
});

/** What of an answer is the same each time. */
function outcome({ output, error, usage }: Answer): unknown {
  return { output, error, bytes: usage.bytes_read };
}

async function threadsOf(pipe: Pipe): Promise<number> {
  return (await pipe.ask({ id: 0, op: "stats" })).output.threads;
}

/** A pipe in which the thread that helps is there; `expected`: what each search has answered. */
async function openHelped(): Promise<{ pipe: Pipe; expected: unknown }> {
  const pipe = new Pipe(["--policy", WORKSPACE.policy(POLICY)], { cwd: WORKSPACE.root });
  await pipe.ask(search(1, "needle", { args: { pattern: "needle", path: "0/d0" } }));
  const threads = await threadsOf(pipe);
  // A machine that is quick enough ends a search before a thread is worth its start: then the next one is slower.
  for (let round = 0; round < 8; round++) {
    const slower = Array.from({ length: 2 ** round }, (_, at) => `.*[a-z][YZ]{${at + 1}}`).join(
      "|",
    );
    await pipe.ask(search(1, slower));
    if (await threadsOf(pipe) === threads + 1) {
      return { pipe, expected: outcome(await pipe.ask(search(1, SLOW))) };
    }
  }
  throw new Error("no search was long enough for a second thread to be started");
}

Deno.test("two threads find what one finds, each time, in the order of paths", async () => {
  const { pipe, expected } = await openHelped();
  for (let round = 0; round < 5; round++) {
    assertEquals(outcome(await pipe.ask(search(round, SLOW))), expected);
  }
  const { output } = await pipe.ask(search(1, "needleZ of", { args: { pattern: "needleZ of" } }));
  const files: string[] = output.matches.map(({ file }: { file: string }) => file);
  const readable = Array.from({ length: FILES }, (_, index) => index).filter((index) =>
    index % 100 === 7 && index % 300 !== 7 && index % 70 !== 7
  );
  assertEquals(files.length, readable.length);
  assert(files.length > 10);
  // Directories stand where their names do, with a slash behind them that counts for nothing.
  const inOrder = files.toSorted((a, b) => {
    const [one, other] = [a.split("/"), b.split("/")];
    const at = one.findIndex((part, depth) => part !== other[depth]);
    return (one[at] ?? "") < (other[at] ?? "") ? -1 : 1;
  });
  assertEquals(files, inOrder);
  assert(!files.some((file) => file.includes("closed") || file.endsWith(".pem")));
  assertEquals((await pipe.close()).status, 0);
});

Deno.test("a call of its own, with the thread of a call, answers the same", async () => {
  const { pipe, expected } = await openHelped();
  await pipe.close();
  const flags = ["--policy", WORKSPACE.policy(POLICY)];
  const { answer, status } = await call(
    ["search_files", `pattern=${SLOW}`, "max_results=400", ...flags],
    { cwd: WORKSPACE.root },
  );
  assertEquals([outcome(answer), status], [expected, 0]);
});

Deno.test("fewer matches than there are: the first ones, and all are counted", async () => {
  const { pipe, expected } = await openHelped();
  const all = (expected as { output: Answer["output"] }).output;
  for (const wanted of [1, 3]) {
    const args = { pattern: SLOW, max_results: wanted };
    const { output } = await pipe.ask(search(1, SLOW, { args }));
    assertEquals(output.matches, all.matches.slice(0, wanted));
    assertEquals([output.total_matches, output.truncated], [all.total_matches, true]);
  }
  const { output } = await pipe.ask(search(1, SLOW, { args: { pattern: "[a-z]+", context: 1 } }));
  assertEquals([output.matches.length, output.truncated], [400, true]);
  const first = [...new Set(output.matches.map(({ file }: { file: string }) => file))];
  assertEquals(first.length, 400 / LINES);
  assertEquals(output.files_searched, all.files_searched);
  assert(output.total_matches >= LINES * all.files_searched);
  assertEquals((await pipe.close()).status, 0);
});

Deno.test("cancelled or out of time in the middle: it ends at once, and the next one is whole", async () => {
  using _ = new MoreFiles(NEVER.trap);
  const { pipe, expected } = await openHelped();
  for (let round = 0; round < 10; round++) {
    await pipe.send(search(1, NEVER.pattern));
    await new Promise((resolve) => setTimeout(resolve, 5 * round));
    await pipe.send({ id: 2, op: "cancel", target: 1 }, search(3, SLOW));
    const answers = await pipe.answers(3);
    assertEquals(answers.get(1)?.error?.code, "CANCELLED");
    assertEquals(outcome(answers.get(3) as Answer), expected);
    await pipe.send(search(4, NEVER.pattern, { timeout_ms: 10 + round }), search(5, SLOW));
    const timed = await pipe.answers(2);
    assertEquals(timed.get(4)?.error?.code, "TIMEOUT");
    assertEquals(outcome(timed.get(5) as Answer), expected);
  }
  assertEquals(outcome(await pipe.ask(search(6, SLOW))), expected);
  assertEquals((await pipe.close()).status, 0);
});

Deno.test("where both threads hang in a pattern, both are replaced", async () => {
  // The first in the order of paths, and the last: whoever comes to them.
  const evil = Object.fromEntries(
    ["0/d0/e0", "1/d5/e3", "9/z"].flatMap((directory) =>
      Array.from({ length: 40 }, (_, index) => [`${directory}/0_${index}`, EVIL])
    ),
  );
  using _ = new MoreFiles(evil);
  const { pipe, expected } = await openHelped();
  const threads = await threadsOf(pipe);
  for (let round = 0; round < 3; round++) {
    const stuck = await pipe.ask(search(1, ENDLESS, { timeout_ms: 400 }));
    assertEquals(stuck.error?.code, "TIMEOUT");
    assertEquals(outcome(await pipe.ask(search(2, SLOW))), expected);
    assertEquals(outcome(await pipe.ask(search(3, SLOW))), expected);
    assert(await threadsOf(pipe) <= threads);
  }
  assertEquals((await pipe.close()).status, 0);
});

Deno.test("two searches at once, and sixteen: each is whole", async () => {
  const { pipe } = await openHelped();
  const quick = "needle[YZ]";
  const expected = outcome(await pipe.ask(search(0, quick)));
  for (const count of [2, 16, 1]) {
    await pipe.send(...Array.from({ length: count }, (_, id) => search(id, quick)));
    for (const answer of (await pipe.answers(count)).values()) {
      assertEquals(outcome(answer), expected);
    }
  }
  assertEquals((await pipe.close()).status, 0);
});

Deno.test("64 short reads beside a search that two threads work for are not held up", async () => {
  using _ = new MoreFiles({ "short.txt": "short\n", ...NEVER.trap });
  const { pipe } = await openHelped();
  await pipe.send(search(0, NEVER.pattern));
  for (let round = 0; round < 3; round++) {
    await pipe.send(
      ...Array.from({ length: 64 }, (_, at) => ({
        id: 100 * round + at + 1,
        tool: "read_file",
        args: { path: "short.txt" },
      })),
    );
    const answers = await pipe.answers(64);
    assert(!answers.has(0), "the search was done before the reads");
    for (const { output } of answers.values()) assertEquals(output.content, "short\n");
  }
  await pipe.send({ id: 1000, op: "cancel", target: 0 });
  const ended = await pipe.answers(2);
  assertEquals(ended.get(0)?.error?.code, "CANCELLED");
  assertEquals((await pipe.close()).status, 0);
});

Deno.test("the input ends while two threads search: the answer comes, and the process ends", async () => {
  const { pipe, expected } = await openHelped();
  await pipe.send(search(1, SLOW));
  const { status, rest } = await pipe.close();
  assertEquals(status, 0);
  assertEquals(rest.map(outcome), [expected]);
});
