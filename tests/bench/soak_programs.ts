/**
 * Runs commands over one pipe, tens of thousands of them, and compares what there is of Toolgate before and after:
 * processes, zombies, descriptors, mappings, memory, System V IPC, folders for temporary files. Nothing may grow.
 *
 *     deno run -A tests/bench/soak_programs.ts [--binary dist/toolgate] [--commands 20000]
 */

import { parseArgs } from "@std/cli";
import { join } from "@std/path";
import { connect } from "../../scripts/_bench_client.ts";

const options = parseArgs(Deno.args, {
  string: ["binary", "commands"],
  default: { binary: "dist/toolgate", commands: "20000" },
});

const POLICY = `version: 1
paths:
  - { allow: [read, write], match: ["**"] }
  - { deny: [read, write], match: ["**/.env"] }
commands: [{ allow: ["*"] }]
risk: { allow: dangerous, ask: dangerous }
limits: { concurrency: 16 }
`;
/** Of every kind of start: by its words, writing, running code, leaving something behind. */
const COMMANDS: readonly (readonly string[])[] = [
  ["true"],
  ["cat", "a.txt"],
  ["true"],
  ["grep", "-c", "text", "a.txt"],
  ["sort", "-o", "b.txt", "a.txt"],
  ["true"],
  ["sh", "leave.sh"],
  ["ls", "."],
];
/** Always so many under way, and so many at first that do not count: what is loaded and compiled stays. */
const WIDTH = 16;
const WARM = 2_000;

/** What there is, by name. */
function look(pid: number, place: string): Readonly<Record<string, number>> {
  const lines = (path: string) => Deno.readTextFileSync(path).trim().split("\n");
  const status = new Map(
    lines(`/proc/${pid}/status`).map((line) => line.split(":\t") as [string, string]),
  );
  const processes = [...Deno.readDirSync("/proc")].flatMap(({ name }) => {
    try {
      const stat = Deno.readTextFileSync(`/proc/${name}/stat`);
      const [state = "", parent] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
      return Number(parent) === pid ? [state] : [];
    } catch {
      return [];
    }
  });
  const segments = ["shm", "sem", "msg"].map((kind) => lines(`/proc/sysvipc/${kind}`).length - 1);
  const temporary = [...Deno.readDirSync(place)].flatMap(({ name }) => [
    ...Deno.readDirSync(join(place, name)),
  ]);
  return {
    children: processes.length,
    zombies: processes.filter((state) => state === "Z").length,
    descriptors: [...Deno.readDirSync(`/proc/${pid}/fd`)].length,
    threads: Number(status.get("Threads")),
    mappings: lines(`/proc/${pid}/maps`).length,
    "memory in MiB": Number.parseInt(status.get("VmRSS") ?? "") / 1024,
    "segments of System V": segments.reduce((sum, one) => sum + one, 0),
    "folders for temporary files": temporary.length,
  };
}

const base = await Deno.makeTempDir({ prefix: "soak-" });
try {
  const cwd = join(base, "workspace");
  Deno.mkdirSync(cwd);
  Deno.writeTextFileSync(join(cwd, "a.txt"), "text\n");
  Deno.writeTextFileSync(join(cwd, ".env"), "KEY=1\n");
  // What goes on in a session of its own when the command has ended.
  Deno.writeTextFileSync(join(cwd, "leave.sh"), "setsid sleep 60 >/dev/null 2>&1 &\n");
  const place = join(base, "temporary");
  Deno.mkdirSync(place);
  Deno.env.set("TMPDIR", place);
  const policy = join(base, "policy.yaml");
  Deno.writeTextFileSync(policy, POLICY);
  const path = await Deno.realPath(options.binary);
  const client = await connect({ path, args: ["serve", "--policy", policy], cwd });
  let id = 0;
  const run = (count: number): void => {
    let sent = 0;
    const send = (more: number): void => {
      let text = "";
      for (; more > 0 && sent < count; more--, sent++) {
        const argv = COMMANDS[id % COMMANDS.length];
        text += `${JSON.stringify({ id: ++id, tool: "run_command", args: { argv } })}\n`;
      }
      if (text !== "") client.send(text);
    };
    send(WIDTH);
    for (let answered = 0; answered < count;) {
      const came = client.receive();
      answered += came;
      send(came);
    }
  };
  run(WARM);
  const before = look(client.pid, place);
  const started = performance.now();
  run(Number(options.commands));
  const seconds = (performance.now() - started) / 1000;
  const after = look(client.pid, place);
  console.log(`${options.commands} commands in ${seconds.toFixed(1)} s`);
  for (const [name, value] of Object.entries(after)) {
    console.log(`${name.padEnd(28)} ${(before[name] ?? 0).toFixed(0)} -> ${value.toFixed(0)}`);
  }
  await client.close();
  console.log(`left by the process: ${[...Deno.readDirSync(place)].length}`);
} finally {
  await Deno.remove(base, { recursive: true });
}
