/** A command whose words become known while its line runs, and which somebody has to agree to then. */

import { assert, assertEquals } from "@std/assert";
import { inTime } from "../../in_time.ts";
import { Gate } from "../_gate.ts";
import { selfContained, Session } from "../_mcp_session.ts";
import { Terminal } from "../_terminal.ts";
import { type Answer, BINARY, call, Pipe, start, Workspace } from "../toolgate.ts";

const POLICY = `version: 1
paths:
  - { allow: [read, write], match: ["**"] }
  - { ask: [read, write], match: ["asked/**"] }
  - { deny: [read, write], match: ["shut/**"] }
commands: [{ allow: [cat, echo, ls, sleep, "true"] }, { ask: [touch, cp, sh], reason: be careful }]
risk: { allow: moderate, ask: dangerous }
approvals: { expire: 1h, remember: 10m }
timeouts: { default: 1h }
audit: { file: .toolgate/audit.ndjson }
`;

interface Event extends Answer {
  readonly approval: string;
  readonly description: string;
  readonly reason: string;
  readonly while_running?: boolean;
  readonly remember: readonly string[];
}

/** What was said, which must be a question about a line that runs. */
function whileRunning(said: Answer | null): Event {
  assertEquals(said?.event, "approval_required", JSON.stringify(said));
  const event = said as Event;
  assertEquals(event.while_running, true);
  return event;
}

class Lines {
  readonly pipe: Pipe;
  #last = 0;

  constructor(workspace: Workspace, policy = POLICY) {
    this.pipe = new Pipe(["--policy", workspace.policy(policy)], { cwd: workspace.root });
  }

  /** Sends a line; its number, and what is asked. */
  async asked(command: string, more: Record<string, unknown> = {}): Promise<[number, Event]> {
    const id = ++this.#last;
    await this.pipe.send({ id, tool: "run_command", args: { command, ...more } });
    return [id, await this.event()];
  }

  /** As `asked`; null where the line's time was over before it asked. */
  async askedInTime(command: string, timeout_ms: number): Promise<[number, Event] | null> {
    const id = ++this.#last;
    await this.pipe.send({ id, tool: "run_command", args: { command, timeout_ms } });
    const first = await this.pipe.next();
    if (first?.error?.code === "TIMEOUT") return null;
    return [id, whileRunning(first)];
  }

  async event(): Promise<Event> {
    return whileRunning(await this.pipe.next());
  }

  /** Says yes, or something else; the answer of the line. */
  async say(id: number, { approval }: Event, op = "approve"): Promise<Answer> {
    await this.pipe.send({ id: "said", op, ...op === "cancel" ? { target: id } : { approval } });
    return await this.answer(id);
  }

  async answer(id: number): Promise<Answer> {
    for (;;) {
      const answer = await this.pipe.next();
      assert(answer !== null);
      if (answer.event === undefined && answer.id === id) return answer;
      assertEquals([answer.id as unknown, answer.success], ["said", true], JSON.stringify(answer));
    }
  }

  /** `until` gives something of the workspace, which the line writes meanwhile. */
  static async until(is: () => boolean): Promise<void> {
    while (!is()) await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

Deno.test("a line asks for the words as they are, waits, and does what was agreed to and nothing else", async () => {
  await using workspace = new Workspace({
    "asked/a": "agreed\n",
    "asked/b": "other\n",
    "run.sh": "cat asked/a asked/b\n",
  });
  const there = (name: string) => {
    try {
      return workspace.read(name);
    } catch {
      return null;
    }
  };
  const lines = new Lines(workspace);
  const [first, event] = await lines.asked("x=touch; echo before; $x 'a b' c; echo after");
  assert(event.description.startsWith("Run touch a\\ b c in "), event.description);
  assert(event.reason.includes("be careful"), event.reason);
  assertEquals(event.remember, ["once"]);
  assertEquals(there("c"), null);
  const done = await lines.say(first, event);
  assertEquals([done.success, done.output.stdout], [true, "before\nafter\n"]);
  assertEquals([there("a b"), there("c")], ["", ""]);

  const [second, asked] = await lines.asked("x=touch; $x no1; $x no2");
  const refused = await lines.say(second, asked, "reject");
  assertEquals(refused.error?.code, "APPROVAL_REJECTED");
  assertEquals([there("no1"), there("no2")], [null, null]);

  // What runs beside it runs on, and others are answered meanwhile.
  const [third, beside] = await lines.asked(
    "{ sleep 0.05; echo went > bg; } & x=touch; $x d; wait",
  );
  await Lines.until(() => there("bg") === "went\n");
  const other = await lines.pipe.ask({ id: "o", tool: "read_file", args: { path: "bg" } });
  assertEquals(other.output.content, "went\n");
  assertEquals((await lines.say(third, beside)).success, true);
  assertEquals(there("d"), "");

  // Two at once are two questions.
  const [fourth, one] = await lines.asked("x=touch; $x e1 & $x e2 & wait; ls e1 e2");
  const two = await lines.event();
  assert(one.approval !== two.approval);
  await lines.pipe.send({ id: "said", op: "approve", approval: two.approval });
  const both = await lines.say(fourth, one);
  assertEquals(both.output.stdout, "e1\ne2\n");

  const [fifth, left] = await lines.asked("x=touch; $x f; echo after > g");
  assertEquals((await lines.say(fifth, left, "cancel")).error?.code, "CANCELLED");
  assertEquals([there("f"), there("g")], [null, null]);
  const late = await lines.pipe.ask({ id: "late", op: "approve", approval: left.approval });
  assertEquals(late.error?.code, "INVALID_REQUEST");

  // The time that a person takes is not the line's.
  const slow = await inTime(400, async (timeout_ms) => {
    const sixth = await lines.askedInTime("x=touch; $x h; echo on", timeout_ms);
    if (sixth === null) return null;
    await new Promise((resolve) => setTimeout(resolve, timeout_ms + 200));
    const { error, output } = await lines.say(...sixth);
    return error?.code === "TIMEOUT" ? null : output;
  });
  assertEquals(slow.stdout, "on\n");
  const hangs = await inTime(400, async (timeout_ms) => {
    const seventh = await lines.askedInTime("x=touch; $x h; sleep 99", timeout_ms);
    return seventh === null ? null : await lines.say(...seventh);
  });
  assertEquals(hangs.error?.code, "TIMEOUT");

  // A file that has to be asked for is given to this program alone; what is denied is asked for by nobody.
  const [eighth, file] = await lines.asked("f=asked/a; cat $f");
  assertEquals((await lines.say(eighth, file)).output?.stdout, "agreed\n");
  const [ninth, target] = await lines.asked("f=asked/new; echo x > $f");
  assert(target.description.startsWith("Run echo x > asked/new in "), target.description);
  assertEquals((await lines.say(ninth, target)).success, true);
  assertEquals(there("asked/new"), "x\n");
  const [tenth, within] = await lines.asked("sh=$(echo sh); $sh run.sh asked/a");
  assertEquals((await lines.say(tenth, within)).output?.stdout, "agreed\n");
  const shut = await lines.pipe.ask({
    id: "shut",
    tool: "run_command",
    args: { command: "f=shut/a; x=cp; $x asked/a $f" },
  });
  assertEquals(shut.error?.code, "PATH_DENIED");

  // Nobody says anything any more.
  const [last] = await lines.asked("x=touch; $x i");
  const { rest } = await lines.pipe.close();
  assertEquals(rest.find(({ id }) => id === last)?.error?.code, "APPROVAL_REQUIRED");
  assertEquals(there("i"), null);

  const records = workspace.read(".toolgate/audit.ndjson").trimEnd().split("\n")
    .map((line) => JSON.parse(line));
  const ofFirst = records.filter(({ call: name }) => name === records[0].call)
    .map(({ kind, effect, answer, description = "" }) =>
      [kind, effect ?? answer ?? "", description.split(" in Run command")[0]].join(" ").trim()
    );
  assertEquals(ofFirst, [
    `decision allow Run command: x=touch; echo before; $x 'a b' c; echo after`,
    "decision ask Run touch a\\ b c",
    "approval approved",
    "outcome",
  ]);
});

Deno.test("what has changed while a line waited is asked for anew, and what changes after the answer is not run", async () => {
  await using workspace = new Workspace({ "src.txt": "one\n", "tool.sh": "echo one\n" });
  const lines = new Lines(workspace);
  const [id, event] = await lines.asked("x=cp; $x src.txt dst.txt");
  workspace.write("src.txt", "two, and longer\n");
  await lines.pipe.send({ id: "said", op: "approve", approval: event.approval });
  const said = await lines.pipe.next();
  assertEquals(said?.id as unknown, "said");
  const again = await lines.event();
  assert(again.reason.includes("has changed"), again.reason);
  assert(again.approval !== event.approval);
  assertEquals((await lines.say(id, again)).success, true);
  assertEquals(workspace.read("dst.txt"), "two, and longer\n");

  // The line itself puts another script there between the answer and the start.
  const swap = "x=sh; V=$(echo 'echo two' > tool.new; mv tool.new tool.sh) $x tool.sh";
  const policy = POLICY.replace("[cat,", "[mv, cat,");
  const swapping = new Lines(workspace, policy);
  const [swapped, agreed] = await swapping.asked(swap);
  const answer = await swapping.say(swapped, agreed);
  assertEquals(answer.error?.code, "APPROVAL_EXPIRED", JSON.stringify(answer));
  await lines.pipe.close();
  await swapping.pipe.close();
});

Deno.test("one call: refused with its words, agreed to by its name, at the terminal, and not by --approve", async () => {
  await using workspace = new Workspace();
  const policy = workspace.policy(POLICY);
  const env = { HOME: `${workspace.base}/home` };
  Deno.mkdirSync(env.HOME, { recursive: true });
  const args = ["run_command", "command=x=touch; $x new; ls new", "--policy", policy];
  const options = { cwd: workspace.root, env };
  for (const flags of [[], ["--approve"]]) {
    const { status, answer } = await call([...args, ...flags], options);
    assertEquals([status, answer.error?.code], [4, "APPROVAL_REQUIRED"]);
    assert(answer.error?.message.includes('"touch new"'), answer.error?.message);
  }
  const { answer } = await call(args, options);
  const approval = String(answer.error?.details?.["approval"]);
  const agreed = await call([...args, "--approval", approval], options);
  assertEquals(agreed.answer.output?.stdout, "new\n", JSON.stringify(agreed.answer));

  await Deno.remove(workspace.path("new"));
  await using terminal = new Terminal();
  terminal.start(BINARY, ["call", ...args], options);
  const shown = await terminal.until((text) => text.includes("Agree?"));
  assert(shown.includes("Run touch new in"), shown);
  terminal.type("y\n");
  assertEquals((await terminal.end()).status, 0);
  assertEquals(workspace.read("new"), "");
});

Deno.test("a client of MCP is asked while the line runs, in both kinds of revision", async () => {
  await using workspace = new Workspace({ "log.txt": "" });
  const session = new Session(workspace, POLICY);
  const asks: string[] = [];
  session.onRequest = ({ params }) => {
    asks.push(params.message);
    return { action: "accept", content: { decision: "once" } };
  };
  await session.initialize("2025-11-25", { elicitation: {} });
  const line = (name: string, command: string) => ({
    name: "run_command",
    arguments: { command: `echo ${name} >> log.txt; ${command}; cat log.txt` },
  });
  const { result } = await session.ask("tools/call", line("one", "x=touch; $x m1"));
  assertEquals([result.isError, result.structuredContent.stdout], [false, "one\n"]);
  assert(asks[0]?.startsWith("Run touch m1 in "), asks.join());

  // Where each request stands for itself the line waits from one to the next: it is begun once.
  const request = {
    ...line("two", "x=touch; $x m2; $x m3"),
    _meta: selfContained({ elicitation: {} }),
  };
  const inputResponses = { approval: { action: "accept", content: { decision: "once" } } };
  let rounds = 0;
  let answer = await session.ask("tools/call", request);
  const states = new Set<string>();
  for (; answer.result?.resultType === "input_required" && rounds < 5; rounds++) {
    const { requestState } = answer.result;
    states.add(requestState);
    answer = await session.ask("tools/call", { ...request, requestState, inputResponses });
  }
  assertEquals([rounds, states.size], [2, 2]);
  assertEquals(answer.result?.structuredContent.stdout, "one\ntwo\n", JSON.stringify(answer));
  const used = { ...request, requestState: [...states][0], inputResponses };
  assertEquals((await session.ask("tools/call", used)).error?.code, -32602);
  const no = line("three", "x=touch; $x m4");
  const unable = await session.ask("tools/call", { ...no, _meta: selfContained() });
  assert(unable.result.content[0].text.startsWith("APPROVAL_REQUIRED"), JSON.stringify(unable));
  assertEquals(await session.close(), 0);
});

Deno.test("through a gate: the answer to a question comes between what the line says", async () => {
  await using workspace = new Workspace();
  const gate = await Gate.start(workspace, { policy: POLICY });
  try {
    const args = ["run_command", "command=echo a; x=touch; $x g; echo b", "--gate", gate.socket];
    const refused = await start(["call", ...args, "--approve"], { cwd: workspace.root });
    assertEquals(refused.status, 4, refused.stdout);
    const { details } = JSON.parse(refused.stdout).error;
    const flags = ["--approval", details.approval, "--format", "text"];
    const agreed = await start(["call", ...args, ...flags], { cwd: workspace.root });
    assertEquals([agreed.status, agreed.stdout], [0, "a\nb\n"], agreed.stderr);
  } finally {
    await gate.stop();
  }
});
