/** Output as it comes: events before the answer, whole characters, and a reader that does not read. */

import { assert, assertEquals } from "@std/assert";
import { inTime } from "../../in_time.ts";
import { residentBytes } from "../_processes.ts";
import { type Answer, Pipe, start, Workspace } from "../toolgate.ts";

const POLICY = `version: 1
paths: [{ allow: [read, write], match: ["**"] }]
commands: [{ allow: ["*"] }]
risk: { allow: dangerous, ask: dangerous }
timeouts: { default: 1h }
`;

function open(workspace: Workspace): Pipe {
  return new Pipe(["--policy", workspace.policy(POLICY)], { cwd: workspace.root });
}

interface Event extends Answer {
  readonly data?: string;
}

/** What comes before the answer, and the answer. */
async function follow(pipe: Pipe): Promise<{ events: Event[]; answer: Answer }> {
  const events: Event[] = [];
  for (;;) {
    const answer = await pipe.next() as Event | null;
    assert(answer !== null, "the pipe ended");
    if (answer.event === undefined) return { events, answer };
    events.push(answer);
  }
}

const request = (args: Record<string, unknown>, more: Record<string, unknown> = {}) => ({
  id: "a",
  tool: "run_command",
  args,
  stream: true,
  ...more,
});

Deno.test("output comes as it is written, and whole with the answer", async () => {
  await using workspace = new Workspace({ "go": "" });
  const pipe = open(workspace);
  // The next is written when the test has seen the one before.
  workspace.write(
    "talk.sh",
    "echo one; while [ -e go ]; do sleep 0.02; done; echo two >&2; sleep 0.1; printf three\n",
  );
  await pipe.send(request({ argv: ["sh", "talk.sh"] }));
  const first = await pipe.next() as Event;
  assertEquals([first.id, first.event, first.data], ["a", "stdout", "one\n"]);
  Deno.removeSync(workspace.path("go"));
  const { events, answer } = await follow(pipe);
  assertEquals(events.map(({ event, data }) => [event, data]), [
    ["stderr", "two\n"],
    ["stdout", "three"],
  ]);
  assertEquals([answer.output.stdout, answer.output.stderr], ["one\nthree", "two\n"]);
  // Nobody asked for it: no events.
  await pipe.send(request({ command: "echo quiet" }, { stream: false }));
  assertEquals((await follow(pipe)).events, []);
  await pipe.close();
});

Deno.test("characters are never cut in two, and what is none comes as U+FFFD", async () => {
  await using workspace = new Workspace();
  const pipe = open(workspace);
  const text = "aé€🦕z";
  const bytes = [...new TextEncoder().encode(text), 0xff, 0x41, 0xe2, 0x82];
  workspace.write(
    "slow.sh",
    bytes.map((byte) => `printf '\\${byte.toString(8)}'; sleep "$1"`).join("\n") + "\n",
  );
  // On a busy machine what comes late may come together, and then proves less.
  await inTime(10, async (ms) => {
    await pipe.send(request({ argv: ["sh", "slow.sh", String(ms / 1000)] }));
    const { events, answer } = await follow(pipe);
    assertEquals(events.map(({ data }) => data).join(""), `${text}\ufffdA\ufffd`);
    const { stdout, invalid_utf8 } = answer.output;
    assertEquals([stdout, invalid_utf8], [`${text}\ufffdA\ufffd`, true]);
    const alone = events.every(({ data = "" }) =>
      [..."é€🦕"].every((one) => !data.includes(one) || data.length <= 2)
    );
    return alone ? true : null;
  });
  await pipe.close();
});

Deno.test("a reader that stops reading makes the program wait, not the memory grow", async () => {
  await using workspace = new Workspace();
  const pipe = open(workspace);
  // A second to write as much as it can: without waiting that would be hundreds of megabytes.
  await pipe.send(request({ command: "yes 0123456789abcdef | head -c 50000000; echo end" }));
  const first = await pipe.next() as Event;
  assertEquals(first.event, "stdout");
  const before = residentBytes(pipe.process.pid);
  await new Promise((resolve) => setTimeout(resolve, 1_000));
  const grown = residentBytes(pipe.process.pid) - before;
  assert(grown < 40_000_000, `grown by ${grown} bytes while nobody read`);
  const { events, answer } = await follow(pipe);
  const length = [first, ...events].reduce((sum, { data = "" }) => sum + data.length, 0);
  assertEquals([length, answer.success], [50_000_004, true]);
  await pipe.close();
});

Deno.test("a program that nobody listens to ends in time", async () => {
  await using workspace = new Workspace();
  const pipe = open(workspace);
  await pipe.send(request({ argv: ["yes"] }, { timeout_ms: 500 }));
  await pipe.send({ id: "b", tool: "run_command", args: { command: "echo other" } });
  await new Promise((resolve) => setTimeout(resolve, 1_500));
  const answers = new Map<unknown, Answer>();
  while (answers.size < 2) {
    const { answer } = await follow(pipe);
    answers.set(answer.id, answer);
  }
  assertEquals(answers.get("a")?.error?.code, "TIMEOUT");
  assertEquals(answers.get("b")?.output?.stdout, "other\n");
  assertEquals((await pipe.close()).status, 0);
});

Deno.test("call shows people what a program says while it says it, and once", async () => {
  await using workspace = new Workspace();
  const policy = workspace.policy(POLICY);
  const line = "command=echo one; printf two; echo three >&2; printf '\\033[2J'";
  const shown = await start(
    ["call", "run_command", line, "--policy", policy, "--format", "text"],
    { cwd: workspace.root },
  );
  assertEquals([shown.status, shown.stdout], [0, "one\ntwo\\x1b[2J\n"]);
  assertEquals(shown.stderr, "three\n");
  const json = await start(
    ["call", "run_command", line, "--policy", policy, "--format", "json"],
    { cwd: workspace.root },
  );
  assertEquals(JSON.parse(json.stdout).output.stdout, "one\ntwo\x1b[2J");
});
