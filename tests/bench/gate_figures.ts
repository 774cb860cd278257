/**
 * What a gate costs: a call through it beside a hello world, many connections beside one that has as many requests in
 * flight, and what ten thousand callers leave in it.
 */

import { join } from "@std/path";
import { alternate, median, type Pair, wholeRuns } from "../../scripts/_bench_figures.ts";
import { GateClient } from "../../src/cli/gate/client.ts";
import { openLibc } from "../../src/sandbox/kernel/libc.ts";

interface Figure {
  readonly figure: string;
  readonly unit: string;
  readonly pair: Pair;
  readonly target: number;
  readonly at: "most" | "least";
}

/** Connections at once, and requests of one in flight. */
const WIDTH = 64;
const ROUNDS = 21;
/** Times that all of them ask, in a round. */
const BATCHES = 60;
const WARM_BATCHES = 100;
const CALLERS = 10_000;
const EARLY_CALLERS = 1_000;
const POLICY = `version: 1
paths: [{ allow: [read, write], match: ["**"] }]
agents: { root: { permissions: [all] } }
`;

/** `toolgate`, `hello`: the two programs, compiled. */
export async function gateFigures(toolgate: string, hello: string): Promise<readonly Figure[]> {
  const base = Deno.realPathSync(Deno.makeTempDirSync({ prefix: "toolgate-bench-" }));
  const socket = join(base, "gate.sock");
  Deno.writeTextFileSync(join(base, "policy.yaml"), POLICY);
  Deno.writeTextFileSync(join(base, "a.txt"), `${"x".repeat(1023)}\n`);
  const gate = new Deno.Command(toolgate, {
    args: ["serve", "--listen", `unix:${socket}`, "--policy", "policy.yaml", "--quiet"],
    cwd: base,
    stdin: "null",
    stdout: "null",
    stderr: "inherit",
  }).spawn();
  try {
    while (!isThere(socket)) await new Promise((resolve) => setTimeout(resolve, 20));
    const call = ["call", "read_file", "path=a.txt", "--gate", socket];
    return [
      {
        figure: "call --gate, read of 1 KB : hello world",
        unit: "ms",
        pair: wholeRuns(
          { path: toolgate, args: call, cwd: base },
          { path: hello, args: [], cwd: base },
          40,
        ),
        target: 1.25,
        at: "most",
      },
      {
        figure: `gate, ${WIDTH} connections : one with ${WIDTH} in flight`,
        unit: "requests/s",
        pair: manyAndOne(socket),
        target: 0.9,
        at: "least",
      },
      ...leftBehind(socket, gate.pid),
      await childFigure(toolgate),
    ];
  } finally {
    gate.kill("SIGTERM");
    await gate.status;
    Deno.removeSync(base, { recursive: true });
  }
}

const REQUEST = JSON.stringify({ id: 1, tool: "read_file", args: { path: "a.txt" } });

function manyAndOne(socket: string): Pair {
  const libc = openLibc();
  const many = Array.from({ length: WIDTH }, () => GateClient.connect(socket, libc));
  const one = GateClient.connect(socket, libc);
  const lines = Array.from({ length: WIDTH }, () => REQUEST).join("\n");
  const perSecond = (batch: () => void) => (batches: number): number => {
    const started = performance.now();
    for (let i = 0; i < batches; i++) batch();
    return batches * WIDTH / (performance.now() - started) * 1000;
  };
  const asMany = perSecond(() => {
    for (const client of many) client.send(REQUEST);
    for (const client of many) expectSuccess(client.next());
  });
  const asOne = perSecond(() => {
    one.send(lines);
    for (let i = 0; i < WIDTH; i++) expectSuccess(one.next());
  });
  asMany(WARM_BATCHES);
  asOne(WARM_BATCHES);
  const pair = alternate(() => asMany(BATCHES), () => asOne(BATCHES), ROUNDS);
  for (const client of [...many, one]) client.close();
  return pair;
}

/** Rounds of children, and what one may take beside its own start and a worktree, in ms. */
const CHILD_ROUNDS = 7;
const CHILD_MS = 30;
/** Says when its first request was answered by what it asks for then, to which somebody has to agree. */
const CHILD = `import sys, time
print('{"id": 1, "tool": "read_file", "args": {"path": "child.py"}}', flush=True)
for line in sys.stdin:
    if '"success":true' in line: break
print('{"id": 2, "tool": "write_file", "args": {"path": "asked/%f", "content": ""}}' % (time.time() * 1000), flush=True)
sys.stdin.read()
`;
const ANSWERED = /asked\/([0-9.]+)/;
/** The interpreter itself: what version managers put before it starts ten programs more, here and there. */
const CHILD_PATH = { PATH: "/usr/local/bin:/usr/bin:/bin" } as const;
const CHILD_POLICY = `version: 1
paths: [{ allow: [read, write], match: ["**"] }, { ask: [write], match: ["asked/**"] }]
commands: [{ allow: [python3], runs: any }]
agents: { root: { permissions: [all] }, "child-*": { permissions: [file_read, file_write] } }
children: { command: [python3, child.py] }
`;

/**
 * From a request for a child to the answer to its own first one, by the clock of the machine, beside its program's own run
 * and a worktree made by the same gate.
 */
export async function childFigure(toolgate: string): Promise<Figure> {
  const base = Deno.realPathSync(Deno.makeTempDirSync({ prefix: "toolgate-bench-" }));
  const socket = join(base, "gate.sock");
  const root = join(base, "repository");
  Deno.mkdirSync(root);
  Deno.writeTextFileSync(join(base, "policy.yaml"), CHILD_POLICY);
  Deno.writeTextFileSync(join(root, "child.py"), CHILD);
  const identity = ["-c", "user.name=T", "-c", "user.email=t@example.org"];
  for (const words of [["init", "-q"], ["add", "."], [...identity, "commit", "-qm", "one"]]) {
    await new Deno.Command("git", { args: words, cwd: root }).output();
  }
  const gate = new Deno.Command(toolgate, {
    args: ["serve", "--listen", `unix:${socket}`, "--policy", "../policy.yaml", "--quiet"],
    cwd: root,
    env: CHILD_PATH,
    stdin: "null",
    stdout: "null",
    stderr: "inherit",
  }).spawn();
  try {
    while (!isThere(socket)) await new Promise((resolve) => setTimeout(resolve, 20));
    const client = GateClient.connect(socket);
    const ask = (tool: string, args: unknown): string => {
      client.send(JSON.stringify({ id: 1, tool, args }));
      for (;;) {
        const line = client.next();
        if (line?.includes('"event"') === true) continue;
        expectSuccess(line);
        return line ?? "";
      }
    };
    const child = (): number => {
      const started = performance.timeOrigin + performance.now();
      client.send(JSON.stringify({ id: 1, tool: "spawn_child_agent", args: { task: "t" } }));
      let answer = "";
      let asked = 0;
      while (answer === "" || asked === 0) {
        const line = client.next() ?? "";
        if (line.includes('"approval_required"')) {
          asked = Number(ANSWERED.exec(line)?.[1]) - started;
        } else answer = line;
      }
      expectSuccess(answer);
      ask("terminate_agent", { agent_id: JSON.parse(answer).output.agent_id });
      return asked;
    };
    let last = 0;
    const alone = async (): Promise<number> => {
      const branch = `bench-${++last}`;
      const started = performance.now();
      ask("git_worktree", { action: "add", branch });
      const made = performance.now() - started;
      ask("git_worktree", { action: "remove", path: `.toolgate/worktrees/${branch}` });
      const from = performance.now();
      const options: Deno.CommandOptions = {
        args: ["child.py"],
        cwd: root,
        env: CHILD_PATH,
        stdin: "null",
      };
      await new Deno.Command("python3", options).output();
      const own = performance.now() - from;
      return made + own + CHILD_MS;
    };
    const subjects: number[] = [];
    const floors: number[] = [];
    for (let round = -2; round < CHILD_ROUNDS; round++) {
      const [subject, floor] = [child(), await alone()];
      if (round < 0) continue;
      subjects.push(subject);
      floors.push(floor);
    }
    client.close();
    return {
      figure: `child, spawn to its first answer : own run, worktree and ${CHILD_MS} ms`,
      unit: "ms",
      pair: { subject: median(subjects), floor: median(floors) },
      target: 1,
      at: "most",
    };
  } finally {
    gate.kill("SIGTERM");
    await gate.status;
    Deno.removeSync(base, { recursive: true });
  }
}

/** Callers that come, ask one thing, and go, one after the other. */
function leftBehind(socket: string, pid: number): readonly Figure[] {
  const libc = openLibc();
  const come = (callers: number): void => {
    for (let i = 0; i < callers; i++) {
      const client = GateClient.connect(socket, libc);
      client.send(REQUEST);
      expectSuccess(client.next());
      client.close();
    }
    // Who has just gone is still there until the gate has looked again.
    for (let asked = 0; asked < 3; asked++) {
      staying.send(REQUEST);
      expectSuccess(staying.next());
    }
  };
  const staying = GateClient.connect(socket);
  come(EARLY_CALLERS);
  const early = { descriptors: descriptorsOf(pid), memory: residentBytes(pid) };
  come(CALLERS - EARLY_CALLERS);
  const late = { descriptors: descriptorsOf(pid), memory: residentBytes(pid) };
  staying.close();
  const figure = `after ${CALLERS} connections : after ${EARLY_CALLERS}`;
  return [
    {
      figure: `gate, descriptors ${figure}`,
      unit: "open",
      pair: { subject: late.descriptors, floor: early.descriptors },
      target: 1,
      at: "most",
    },
    {
      figure: `gate, memory ${figure}`,
      unit: "bytes",
      pair: { subject: late.memory, floor: early.memory },
      target: 1.2,
      at: "most",
    },
  ];
}

function expectSuccess(line: string | null): void {
  if (line?.includes('"success":true') !== true) throw new Error(`no success: ${line}`);
}

function descriptorsOf(pid: number): number {
  return [...Deno.readDirSync(`/proc/${pid}/fd`)].length;
}

/** proc_pid_statm(5): pages of 4 KiB. */
function residentBytes(pid: number): number {
  return Number(Deno.readTextFileSync(`/proc/${pid}/statm`).split(" ")[1]) * 4096;
}

function isThere(path: string): boolean {
  try {
    Deno.lstatSync(path);
    return true;
  } catch {
    return false;
  }
}
