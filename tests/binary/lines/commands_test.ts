/** Programs that are held, limited and ended: what runs, for how long, with how much, and that nothing is left. */

import { assert, assertEquals, assertMatch } from "@std/assert";
import { inTime } from "../../in_time.ts";
import { comesToBe } from "../../until.ts";
import {
  descriptorsOf,
  guardianOf,
  isGone,
  running,
  sleepMark,
  stillRunning,
  untilRunning,
  zombiesOf,
} from "../_processes.ts";
import { type Answer, call, Pipe, Workspace } from "../toolgate.ts";

const POLICY = `version: 1
paths: [{ allow: [read, write], match: ["**"] }]
commands: [{ allow: ["*"] }]
risk: { allow: dangerous, ask: dangerous }
timeouts: { default: 1h, kill_grace: 500ms }
`;

/** A folder of the workspace is closed: kernel rules then name what lies beside it one by one. */
const CLOSED = POLICY.replace('**"] }', '**"] }, { deny: [read, write], match: ["shut/**"] }');

function open(workspace: Workspace, more = "", policy = POLICY): Pipe {
  return new Pipe(["--policy", workspace.policy(policy + more)], { cwd: workspace.root });
}

const run = (pipe: Pipe, args: Record<string, unknown>, more = {}): Promise<Answer> =>
  pipe.ask({ id: 1, tool: "run_command", args, ...more });

/** Where the test needs what not every machine has. */
function has(program: string): boolean {
  try {
    return Deno.statSync(program).isFile;
  } catch {
    return false;
  }
}

/** Ways to be somewhere else when the command ends. `SLEEP` stands for a sleep that the test can find. */
const WAYS_OUT: readonly (readonly [string, string])[] = [
  ["in the background", "SLEEP & echo done"],
  ["in the background, without output", "SLEEP >/dev/null 2>&1 & echo done"],
  ["by nohup", "nohup SLEEP >/dev/null 2>&1 & echo done"],
  ["a session of its own", "setsid SLEEP >/dev/null 2>&1 & echo done"],
  ["a session of its own that holds the output", "setsid SLEEP & echo done"],
  ["forked twice", "(setsid sh -c 'SLEEP & SLEEP' >/dev/null 2>&1 &) ; echo done"],
  ["without its environment", "env -i setsid /bin/SLEEP >/dev/null 2>&1 & echo done"],
  [
    "marked as another's",
    "TOOLGATE_RUN=${TOOLGATE_RUN%.*}.999 setsid SLEEP >/dev/null 2>&1 & echo done",
  ],
  ["marked as nobody's", "TOOLGATE_RUN=x.1 setsid SLEEP >/dev/null 2>&1 & echo done"],
  ["deaf to signals", "(trap '' TERM HUP INT; setsid SLEEP >/dev/null 2>&1 &) ; echo done"],
];

Deno.test("nothing of a command runs on when it has answered, wherever it went", async () => {
  await using workspace = new Workspace();
  const pipe = open(workspace);
  for (const [name, script] of WAYS_OUT) {
    const mark = sleepMark();
    workspace.write("way.sh", script.replaceAll("SLEEP", `sleep ${mark}`) + "\n");
    const answer = await run(pipe, { argv: ["sh", "way.sh"] });
    assertEquals([answer.success, answer.output?.stdout], [true, "done\n"], name);
    assertEquals(running(mark), [], name);
  }
  assert(await comesToBe(() => zombiesOf(pipe.process.pid).length === 0));
  assertEquals((await pipe.close()).status, 0);
});

Deno.test("nothing of a command runs on when its time is over, or when it is cancelled", async () => {
  await using workspace = new Workspace();
  const pipe = open(workspace);
  const mark = sleepMark();
  workspace.write(
    "stay.sh",
    `trap '' TERM; setsid sleep ${mark} & (setsid sleep ${mark} &) ; echo said; ` +
      `while :; do sleep ${mark}; done\n`,
  );
  const late = await inTime(400, async (timeout_ms) => {
    const { error, output } = await run(pipe, { argv: ["sh", "stay.sh"], timeout_ms });
    assertEquals(error?.code, "TIMEOUT");
    assertEquals(running(mark), []);
    return output?.stdout ? output : null;
  });
  assertEquals([late.stdout, late.timed_out], ["said\n", true]);
  await pipe.send({ id: 2, tool: "run_command", args: { argv: ["sh", "stay.sh"] } });
  await untilRunning(mark, 3);
  await pipe.send({ id: 3, op: "cancel", target: 2 });
  const answers = await pipe.answers(2);
  assertEquals(answers.get(2)?.error?.code, "CANCELLED");
  assertEquals(answers.get(2)?.output?.stdout, "said\n");
  assertEquals(running(mark), []);
  // One that stops itself hears SIGTERM once it is made to go on.
  workspace.write("stop.sh", "echo before; kill -STOP $$; echo after\n");
  const patient = open(workspace, "", POLICY.replace("500ms", "1h"));
  const stopped = await inTime(300, async (timeout_ms) => {
    const { error, output } = await run(patient, { argv: ["sh", "stop.sh"], timeout_ms });
    assertEquals(error?.code, "TIMEOUT");
    return output?.stdout ? output : null;
  });
  assertEquals([stopped.stdout, stopped.signal], ["before\n", "SIGTERM"]);
  assertEquals((await patient.close()).status, 0);
  assertEquals((await pipe.close()).status, 0);
});

Deno.test("nothing runs on when toolgate itself is killed", async () => {
  await using workspace = new Workspace();
  for (const way of ["serve", "call"]) {
    const mark = sleepMark();
    workspace.write(
      "stay.sh",
      `setsid sleep ${mark} & (setsid sh -c 'sleep ${mark} & sleep ${mark}' &) ; ` +
        `env -i setsid /bin/sleep ${mark} & sleep ${mark}\n`,
    );
    const pipe = way === "serve" ? open(workspace) : new Pipe(
      ["run_command", "argv=sh,stay.sh", "--policy", workspace.policy(POLICY)],
      { cwd: workspace.root, words: ["call"] },
    );
    if (way === "serve") {
      await pipe.send({ id: 1, tool: "run_command", args: { argv: ["sh", "stay.sh"] } });
    }
    await untilRunning(mark, 5);
    assert(running(mark).length >= 5, way);
    const guardian = guardianOf(pipe.process.pid);
    assert(guardian !== null);
    pipe.process.kill("SIGKILL");
    await pipe.process.status;
    assertEquals(await stillRunning(mark), [], way);
    assert(await isGone(guardian), way);
    await pipe.abandon();
    await pipe.endInput().catch(() => {});
  }
});

Deno.test("nothing runs on when the pipe has ended", async () => {
  await using workspace = new Workspace();
  const pipe = open(workspace);
  const mark = sleepMark();
  // Until it was seen: on a busy machine a second is over before anybody has looked.
  const waits = "until [ -e seen ]; do sleep 0.1; done";
  workspace.write("stay.sh", `setsid sleep ${mark} >/dev/null & ${waits}; echo done\n`);
  await pipe.send({ id: 1, tool: "run_command", args: { argv: ["sh", "stay.sh"] } });
  await untilRunning(mark, 1);
  const guardian = guardianOf(pipe.process.pid);
  const closing = pipe.close();
  workspace.write("seen", "");
  const { status, rest } = await closing;
  assertEquals([status, rest[0]?.output?.stdout], [0, "done\n"]);
  assertEquals(running(mark), []);
  assert(guardian !== null && await isGone(guardian));
});

const PYTHON = "/usr/bin/python3";

/** Each goes over one limit; those that fork end by themselves soon, in case that nobody ends them. */
const GREEDY: readonly (readonly [string, string, string])[] = [
  [
    "memory",
    "x = []\nfor _ in range(1500): x.append(bytearray(1 << 20))\nprint('all')\n",
    "memory",
  ],
  ["memory at once", "x = bytearray(1500 << 20)\nprint('all')\n", "memory"],
  [
    "memory of many",
    "import os, time\nfor _ in range(5):\n  if os.fork() == 0:\n" +
    "    x = bytearray(40 << 20); time.sleep(60); os._exit(0)\ntime.sleep(60)\nprint('all')\n",
    "memory",
  ],
  [
    "processes",
    "import os, time\nend = time.time() + 60\nfor _ in range(200):\n" +
    "  if os.fork() == 0:\n    time.sleep(max(0, end - time.time())); os._exit(0)\n" +
    "time.sleep(60)\nprint('all')\n",
    "processes",
  ],
  [
    "processes, each in a session of its own",
    "import os, time\nend = time.time() + 60\nfor _ in range(200):\n" +
    "  if os.fork() == 0:\n    os.setsid(); time.sleep(max(0, end - time.time())); os._exit(0)\n" +
    "time.sleep(60)\nprint('all')\n",
    "processes",
  ],
  [
    "processes that double",
    "import os, mmap, time\nm = mmap.mmap(-1, 8)\nend = time.time() + 60\n" +
    "while time.time() < end:\n  n = int.from_bytes(m[:8], 'little')\n  if n > 500: break\n" +
    "  m[:8] = (n + 1).to_bytes(8, 'little')\n  if os.fork() == 0: os.setsid()\n" +
    "time.sleep(60)\nprint('all')\n",
    "processes",
  ],
  ["time on processors", "while True: pass\n", "cpu"],
];

Deno.test("a command that goes over a limit is ended with it, all of it", {
  ignore: !has(PYTHON),
}, async () => {
  await using workspace = new Workspace();
  // Of the time of processors only what has no end takes more than it may: on a busy machine the others take long, too.
  const others = open(workspace, "limits: { memory: 128MiB, processes: 20, cpu: 60s }\n");
  const brief = open(workspace, "limits: { memory: 128MiB, processes: 20, cpu: 1s }\n");
  for (const [name, script, limit] of GREEDY) {
    workspace.write("greedy.py", script);
    const pipe = limit === "cpu" ? brief : others;
    const answer = await run(pipe, { argv: [PYTHON, "greedy.py"] });
    assertEquals(answer.error?.code, "RESOURCE_LIMIT", `${name}: ${JSON.stringify(answer)}`);
    assertMatch(answer.error?.message ?? "", new RegExp(limit === "cpu" ? "cpu|time" : limit));
    assert(!answer.output.stdout.includes("all"), name);
    assertEquals(running("greedy.py"), [], name);
  }
  // They are as they were.
  for (const pipe of [others, brief]) {
    assertEquals((await run(pipe, { command: "echo ok" })).output?.stdout, "ok\n");
    assertEquals((await pipe.close()).status, 0);
  }
});

Deno.test("what many programs share is counted once", { ignore: !has(PYTHON) }, async () => {
  await using workspace = new Workspace({
    "share.py": "import os, time\nx = bytearray(b'x' * (60 << 20))\nfor _ in range(5):\n" +
      "  if os.fork() == 0:\n    time.sleep(0.5); os._exit(0)\n" +
      "for _ in range(5): os.wait()\nprint('all')\n",
  });
  const pipe = open(workspace, "limits: { memory: 160MiB }\n");
  const answer = await run(pipe, { argv: [PYTHON, "share.py"] });
  assertEquals(answer.output?.stdout, "all\n", JSON.stringify(answer));
  await pipe.close();
});

Deno.test("a file that a command writes has its limit", async () => {
  await using workspace = new Workspace({
    "write.sh": "sleep 0.3; head -c 3000000 /dev/zero > big; echo $?\n",
  });
  const pipe = open(workspace, "limits: { file: 1MiB }\n");
  const answer = await run(pipe, { argv: ["sh", "write.sh"] });
  assert(answer.success, JSON.stringify(answer));
  assert(!answer.output.stdout.startsWith("0"));
  assertEquals(Deno.statSync(workspace.path("big")).size, 1 << 20);
  await pipe.close();
});

Deno.test("600 megabytes of output pass in bounded memory, both ends kept", async () => {
  await using workspace = new Workspace();
  const pipe = open(workspace);
  const line = "echo begin; head -c 600000000 /dev/zero; echo; echo end";
  const { output } = await run(pipe, { command: line });
  assert(output.stdout.startsWith("begin\n\0") && output.stdout.endsWith("\0\nend\n"));
  assertEquals([output.exit_code, output.truncated], [0, true]);
  assert(output.stdout.length <= 1 << 20);
  const status = Deno.readTextFileSync(`/proc/${pipe.process.pid}/status`);
  const peak = Number(/VmHWM:\s+(\d+) kB/.exec(status)?.[1]) * 1024;
  assert(peak < 400 << 20, `${peak} bytes at the most`);
  await pipe.close();
});

/** Sets of rules that are kept for programs of the same kind (`NamelessRules`), and room for those of a thread. */
const MOST_RULES = 64 + 16;

/** Descriptors of a process, but for the kernel's rules for programs: which are kept hangs on how many ran at once. */
function withoutRules(pid: number): number {
  const folder = `/proc/${pid}/fd`;
  return [...Deno.readDirSync(folder)].filter(({ name }) => {
    try {
      return !Deno.readLinkSync(`${folder}/${name}`).includes("landlock-ruleset");
    } catch {
      return false;
    }
  }).length;
}

Deno.test("750 commands leave no zombie and no descriptor", async () => {
  await using workspace = new Workspace({ "a.txt": "text\n" });
  const pipe = open(workspace, "limits: { concurrency: 32 }\n");
  const lines = ["cat a.txt", "cat a.txt | tr a-z A-Z", "true", "echo $(cat a.txt) > /dev/null"];
  const batch = (count: number) =>
    Array.from({ length: count }, (_, id) => ({
      id,
      tool: "run_command",
      args: id % 5 === 0
        ? { argv: ["cat"], stdin: "in".repeat(id) }
        : { command: lines[id % lines.length] },
    }));
  const rounds = 2;
  let before = 0;
  for (let round = 0; round <= rounds; round++) {
    await pipe.send(...batch(250));
    for (const answer of (await pipe.answers(250)).values()) {
      assert(answer.success, JSON.stringify(answer));
    }
    if (round === 0) before = withoutRules(pipe.process.pid);
  }
  assert(await comesToBe(() => zombiesOf(pipe.process.pid).length === 0));
  const { pid } = pipe.process;
  // What looks at the programs of a run has something open while it does.
  await comesToBe(() => withoutRules(pid) <= before);
  const after = withoutRules(pid);
  assert(after <= before, `${before} descriptors after 250 commands, ${after} after 750`);
  const rules = descriptorsOf(pid) - after;
  assert(rules <= MOST_RULES, `${rules} sets of rules`);
  assertEquals((await pipe.close()).status, 0);
});

Deno.test("a line is judged, held and answered as one command", async () => {
  await using workspace = new Workspace({ "a.txt": "one\n", "shut/b.txt": "sentinel\n" });
  const pipe = open(workspace, "", CLOSED);
  const first = await run(pipe, {
    command: "cat *.txt | tr a-z A-Z > out && cat < out; cat nofile",
  });
  assertEquals(first.error?.code, "COMMAND_FAILED");
  assertEquals([first.output.stdout, first.output.exit_code], ["ONE\n", 1]);
  const shut = await run(pipe, { command: "echo before; x=shut/b.txt; cat $x; echo after" });
  assertEquals(shut.error?.code, "PATH_DENIED");
  assertEquals([shut.output.stdout, shut.output.exit_code], ["before\n", null]);
  const write = await run(pipe, { command: "x=shut/new; echo x > $x" });
  assertEquals(write.error?.code, "PATH_DENIED");
  assertEquals([...Deno.readDirSync(workspace.path("shut"))].length, 1);
  assertEquals((await pipe.close()).status, 0);
});

Deno.test("a path that looks like a line's own pipe is judged as the path that it is", async () => {
  await using workspace = new Workspace({
    "d/dev/fd/63/kept": "",
    "d/x": "sentinel\n",
    "x": "x\n",
  });
  // Where nothing but the judgement holds it.
  const closed = CLOSED.replace("shut/**", "d/x") + 'sandbox: { kernel: "off" }\n';
  const pipe = open(workspace, "", closed);
  const through = "y=$(echo d/dev/fd/63/../../../x); cat $y <(echo in)";
  const refused = await run(pipe, { command: through });
  assertEquals([refused.error?.code, refused.output?.stdout ?? ""], ["PATH_DENIED", ""]);
  const allowed = await run(pipe, { command: "y=$(echo x); cat $y <(echo in)" });
  assertEquals([allowed.error, allowed.output.stdout], [null, "x\nin\n"]);
  assertEquals((await pipe.close()).status, 0);
});

Deno.test("what a line writes may lie beside what is denied", async () => {
  await using workspace = new Workspace({ "shut/b.txt": "sentinel\n" });
  for (
    const line of ["echo a > new; echo b >> new; cat < new", "{ echo c; } > other; cat new"]
  ) {
    const { answer } = await call(
      ["run_command", `command=${line}`, "--policy", workspace.policy(CLOSED)],
      { cwd: workspace.root },
    );
    assert(answer.success, JSON.stringify(answer));
  }
  assertEquals([workspace.read("new"), workspace.read("other")], ["a\nb\n", "c\n"]);
  assertEquals(workspace.read("shut/b.txt"), "sentinel\n");
});

/** With `auto` it is used where it works; with `required` nothing runs where it does not. */
Deno.test("bubblewrap holds programs where the policy asks and the machine lets it", async () => {
  await using workspace = new Workspace({ "a.txt": "text\n", "shut/b.txt": "sentinel\n" });
  const pipe = open(workspace, "sandbox: { bubblewrap: auto }\n", CLOSED);
  const look = await run(pipe, { command: "cat a.txt; echo x > new; cat < new" });
  const { layers, layers_missing: missing } = look.usage as Record<string, string[]>;
  if (layers?.includes("bubblewrap") !== true) {
    assertMatch(String(missing), /bubblewrap/);
    const required = open(workspace, "sandbox: { bubblewrap: required }\n");
    assertEquals((await run(required, { argv: ["true"] })).error?.code, "NATIVE_DENIED");
    await required.close();
    return void await pipe.close();
  }
  assertEquals(look.output.stdout, "text\nx\n");
  const inside = await run(pipe, {
    argv: ["sh", "-c", "cat a.txt; cat shut/b.txt; ls /home /root"],
  });
  assertEquals(inside.error?.code, "PATH_DENIED");
  workspace.write(
    "look.sh",
    "cat a.txt; cat shut/b.txt; ls /home /root; ls -d /proc/[0-9]* | wc -l\n",
  );
  const { output } = await run(pipe, { argv: ["sh", "look.sh"] });
  const [first, processes] = output.stdout.trim().split("\n");
  assertEquals([first, Number(processes) < 10], ["text", true], output.stdout);
  const mark = sleepMark();
  workspace.write("stay.sh", `setsid sleep ${mark} & echo done\n`);
  assertEquals((await run(pipe, { argv: ["sh", "stay.sh"] })).output?.stdout, "done\n");
  assertEquals(running(mark), []);
  assertEquals((await pipe.close()).status, 0);
});
