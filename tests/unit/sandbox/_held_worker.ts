/** The worker of `_held.ts`: enters the boundary, then performs the steps. */

import { enterBoundary, type Entered } from "../../../src/sandbox/enter.ts";
import type { CanonicalPath } from "../../../src/core/capability.ts";
import { createProcesses } from "../../../src/host/run/processes.ts";
import { createNestedHolds, type ProgramHolds } from "../../../src/host/run/program_holds.ts";
import { createStarter, type Starter } from "../../../src/host/run/starter.ts";
import { DEFAULTS } from "../../../src/policy/model.ts";
import { ERRNO } from "../../../src/sandbox/kernel/errno.ts";
import { rulebookOf } from "../host/_rulebook.ts";
import type { FileBackend, Target } from "../../../src/host/files/file_backend.ts";
import { createLinuxFiles } from "../../../src/host/files/linux/files.ts";
import { type Libc, openLibc } from "../../../src/sandbox/kernel/libc.ts";
import type { HeldAnswer, HeldTask, Step, StepResult } from "./_held.ts";

/** What a step finds on its thread. */
interface Held extends Pick<Entered, "libc" | "spawner" | "abi"> {
  readonly network: boolean;
  starter: Starter | null;
  holds: ProgramHolds | null;
}

async function perform(step: Step, held: Held): Promise<string> {
  const { libc } = held;
  switch (step.do) {
    case "read":
      return Deno.readTextFileSync(step.path);
    case "readAsync":
      return await Deno.readTextFile(step.path);
    case "import":
      return String(Object.keys(await import(step.path)));
    case "list":
      return [...Deno.readDirSync(step.path)].map(({ name }) => name).sort().join(" ");
    case "remove":
      Deno.removeSync(step.path);
      return "removed";
    case "write":
      Deno.writeTextFileSync(step.path, "written");
      return "written";
    case "append":
      Deno.writeTextFileSync(step.path, "more", { append: true, create: false });
      return "appended";
    case "handleRead":
      return new TextDecoder().decode(filesOf(libc).read(targetOf(step.path), 1_000).bytes);
    case "handleWrite":
      filesOf(libc).write(targetOf(step.path), new Uint8Array([104, 105]), {
        createParents: true,
        expect: "anything",
      });
      return "written";
    case "handleWalk": {
      const options = { maxDepth: 9, sizes: true, admit: () => null, show: (path: string) => path };
      return String([...filesOf(libc).walk(targetOf(step.path), options)].length);
    }
    case "rename":
      Deno.renameSync(step.path, step.to);
      return "renamed";
    case "link":
      Deno.linkSync(step.path, step.to);
      return "linked";
    case "run":
      return await run(held, step.argv, step.cwd);
    case "runMany": {
      const all = await Promise.all(Array.from({ length: step.count }, () => run(held, step.argv)));
      return String(all.filter((output) => output.startsWith("0|")).length);
    }
    case "connect":
      (await Deno.connect({ hostname: step.hostname ?? "127.0.0.1", port: step.port })).close();
      return "connected";
    case "ffi":
      return String(openLibc() === null);
    case "env":
      return String(Deno.env.get("PATH"));
  }
}

function filesOf(libc: Libc | null): FileBackend {
  if (libc === null) throw new Error("no C library");
  return createLinuxFiles(libc);
}

function targetOf(path: string): Target {
  return { path: path as CanonicalPath, shown: "it" };
}

/** Started as Toolgate does: by a launcher, in a domain of its own below the thread's. */
async function run(
  held: Held,
  argv: readonly string[],
  cwd: string = "/",
): Promise<string> {
  const { libc, spawner, abi, network } = held;
  // As threads do where they have no system calls: by the runtime, if it lets them.
  if (libc === null || spawner === null) {
    const [program = "", ...args] = argv;
    const { code } = await new Deno.Command(program, { args, stdout: "null" }).output();
    return `${code}||`;
  }
  const directory = cwd as CanonicalPath;
  const environment = { PATH: "/usr/bin:/bin", HOME: "/nowhere", GIT_CONFIG_GLOBAL: "/dev/null" };
  const path = argv[0] as CanonicalPath;
  held.starter ??= createStarter(libc, spawner);
  const processes = createProcesses({
    proxies: null,
    create: createProcesses,
    environment,
    layers: [],
    starter: held.starter,
    temporaryRoot: null,
    caches: null,
    agent: "root",
    listener: null,
    onGroup: () => {},
    onLeft: () => Promise.resolve(),
    listen: () => {},
    openElsewhere: () => Promise.resolve(-ERRNO.EACCES),
    marker: null,
    mark: null,
    holds: held.holds ??= createNestedHolds({ libc, abi, seccomp: true, network }),
    find: () => null,
    judge: () => Promise.resolve(null),
    wrapper: null,
    shell: null,
    own: null,
    rulebook: rulebookOf(directory, {}),
    signal: new AbortController().signal,
    grant: {
      workspace: directory,
      read: [],
      write: [],
      spawn: [{ argv, program: { path, start: path, names: [path] }, cwd: directory }],
      connect: [],
      limits: DEFAULTS.limits,
      timeoutMs: 30_000,
      killGraceMs: 5_000,
      backups: { keep: null, ageMs: null },
      git: DEFAULTS.git,
    },
  });
  const request = { cwd, env: {}, stdin: null, timeoutMs: 30_000 };
  const { exitCode, stdout, stderr } = await processes.run(argv, request);
  const text = new TextDecoder();
  return `${exitCode}|${text.decode(stdout)}|${text.decode(stderr)}`;
}

async function onWorker(task: HeldTask): Promise<Omit<HeldAnswer, "mainIsFree">> {
  let entered: Entered;
  try {
    entered = await enterBoundary(task.boundary, task, task.withoutLibc ? () => null : undefined);
  } catch (error) {
    const { code, message } = error as Error & { code: string };
    return { entered: null, failure: { code, message }, results: [] };
  }
  const results: StepResult[] = [];
  const network = task.boundary.spawn?.network ?? false;
  const inside: Held = { ...entered, network, starter: null, holds: null };
  for (const step of task.steps) {
    try {
      results.push({ ok: true, value: await perform(step, inside) });
    } catch (error) {
      const { name, code } = error as Error & { code?: string };
      results.push({ ok: false, value: name === "ToolError" ? code ?? "" : name });
    }
  }
  const { layers, abi, reasons } = entered;
  return { entered: { layers, abi, reasons }, failure: null, results };
}

const scope = globalThis as unknown as {
  onmessage: (event: MessageEvent<HeldTask>) => void;
  postMessage(value: unknown): void;
};
scope.onmessage = async (event) => scope.postMessage(await onWorker(event.data));
