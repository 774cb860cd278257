/** The worker of `_held.ts`: enters the boundary, then performs the steps. */

import { enterBoundary, type Entered } from "../../../src/sandbox/enter.ts";
import type { CanonicalPath } from "../../../src/core/capability.ts";
import type { FileBackend, Target } from "../../../src/host/files/file_backend.ts";
import { createLinuxFiles } from "../../../src/host/files/linux/files.ts";
import { type Libc, openLibc } from "../../../src/sandbox/kernel/libc.ts";
import type { HeldAnswer, HeldTask, Step, StepResult } from "./_held.ts";

async function perform(step: Step, libc: Libc | null): Promise<string> {
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
      return await run(step.argv, step.cwd);
    case "runMany": {
      const all = await Promise.all(Array.from({ length: step.count }, () => run(step.argv)));
      return String(all.filter((output) => output.startsWith("0|")).length);
    }
    case "connect":
      (await Deno.connect({ hostname: "127.0.0.1", port: step.port })).close();
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

async function run(argv: readonly string[], cwd?: string): Promise<string> {
  const [program = "", ...args] = argv;
  const { code, stdout, stderr } = await new Deno.Command(program, {
    args,
    clearEnv: true,
    env: { PATH: "/usr/bin:/bin", HOME: "/nowhere", GIT_CONFIG_GLOBAL: "/dev/null" },
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
    ...(cwd === undefined ? {} : { cwd }),
  }).output();
  const text = new TextDecoder();
  return `${code}|${text.decode(stdout)}|${text.decode(stderr)}`;
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
  for (const step of task.steps) {
    try {
      results.push({ ok: true, value: await perform(step, entered.libc) });
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
