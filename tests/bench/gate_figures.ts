/**
 * What a gate costs: a call through it beside a hello world, many connections beside one that has as many requests in
 * flight, and what ten thousand callers leave in it.
 */

import { join } from "@std/path";
import { alternate, type Pair, wholeRuns } from "../../scripts/_bench_figures.ts";
import { GateClient } from "../../src/cli/gate/client.ts";

interface Figure {
  readonly figure: string;
  readonly unit: string;
  readonly pair: Pair;
  readonly target: number;
  readonly at: "most" | "least";
}

/** Connections at once, and requests of one in flight. */
const WIDTH = 64;
const ROUNDS = 9;
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
    ];
  } finally {
    gate.kill("SIGTERM");
    await gate.status;
    Deno.removeSync(base, { recursive: true });
  }
}

const REQUEST = JSON.stringify({ id: 1, tool: "read_file", args: { path: "a.txt" } });

function manyAndOne(socket: string): Pair {
  const many = Array.from({ length: WIDTH }, () => GateClient.connect(socket));
  const one = GateClient.connect(socket);
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

/** Callers that come, ask one thing, and go, one after the other. */
function leftBehind(socket: string, pid: number): readonly Figure[] {
  const come = (callers: number): void => {
    for (let i = 0; i < callers; i++) {
      const client = GateClient.connect(socket);
      client.send(REQUEST);
      expectSuccess(client.next());
      client.close();
    }
  };
  come(EARLY_CALLERS);
  const early = { descriptors: descriptorsOf(pid), memory: residentBytes(pid) };
  come(CALLERS - EARLY_CALLERS);
  const late = { descriptors: descriptorsOf(pid), memory: residentBytes(pid) };
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
