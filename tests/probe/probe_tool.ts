/**
 * A tool that tries the lower layers: it ignores its handles and uses the runtime directly, as a tool with a
 * defect or an attacker on its thread would. It is part of the probe binary alone.
 */

import type { Infer, Schema } from "../../src/core/schema.ts";
import type { Tool } from "../../src/core/tool.ts";

const ACTIONS = [
  "read",
  "read_async",
  "burst",
  "write",
  "write_async",
  "link",
  "check_then_read",
  "import",
  "worker",
  "spawn",
  "start",
  "ffi",
  "env",
  "connect",
  "busy",
] as const;

/** Asynchronous reads that are under way at once. */
const BURST = 400;
/** Rounds of a path that changes between check and use. */
const ROUNDS = 25;

/** `path` is what the action is aimed at, mostly absolute; `claim` what the capabilities say, for a thread of that kind. */
const input = {
  type: "object",
  properties: {
    action: { type: "string", enum: ACTIONS },
    path: { type: "string" },
    claim: { type: "string", enum: ["read", "write", "spawn"], default: "read" },
  },
  required: ["action", "path"],
} as const satisfies Schema;

const output = { type: "object", additionalProperties: true } as const satisfies Schema;

type Output = Infer<typeof output>;

const tool: Tool<typeof input, typeof output> = {
  name: "probe",
  category: "util",
  description: "Tries what the lower layers should stop.",
  risk: "safe",
  permission: null,
  riskOfPrograms: false,
  input,
  output,
  describe: ({ action }) => `Probe: ${action}`,
  capabilities({ claim }) {
    switch (claim) {
      case "read":
        return [{ kind: "fs.read", path: ".", tree: true }];
      case "write":
        return [{ kind: "fs.write", path: ".", tree: true }];
      case "spawn":
        return [{ kind: "process.spawn", argv: ["cat", "inside.txt"], cwd: "." }];
    }
  },
  async run({ action, path }) {
    switch (action) {
      case "busy": {
        // Without a pause until the file is there: nothing else of this thread gets a turn.
        while (!isThere(path));
        return { busy: true };
      }
      case "read":
        return { text: Deno.readTextFileSync(path) };
      case "read_async":
        return { text: await Deno.readTextFile(path) };
      case "burst":
        return await burst(path);
      case "write":
        Deno.writeTextFileSync(path, "changed by the probe");
        return { wrote: true };
      case "write_async":
        await Deno.writeTextFile(path, "changed by the probe");
        return { wrote: true };
      case "link":
        Deno.symlinkSync(path, "link-of-the-probe");
        return { linked: true };
      case "check_then_read":
        return await checkThenRead(path);
      case "import": {
        const module: unknown = await import(`file://${path}`);
        return { imported: Object.keys(module as Output) };
      }
      case "worker":
        return await readInWorker(path);
      case "spawn":
        return await run("/usr/bin/cat", [path]);
      case "start":
        return await run(path, []);
      case "ffi":
        Deno.dlopen(path, {}).close();
        return { opened: true };
      case "env":
        return { value: Deno.env.get(path) ?? null };
      case "connect":
        (await Deno.connect({ hostname: "127.0.0.1", port: Number(path) })).close();
        return { connected: true };
    }
  },
};

async function run(program: string, args: readonly string[]): Promise<Output> {
  const { code, stdout } = await new Deno.Command(program, {
    args: [...args],
    clearEnv: true,
    stdin: "null",
    stdout: "piped",
    stderr: "null",
  }).output();
  return { code, text: new TextDecoder().decode(stdout) };
}

/**
 * Many asynchronous reads at once, every other one inside: they run on the runtime's other threads, which
 * must be held, too, and not more than that.
 */
async function burst(path: string): Promise<Output> {
  const reads = (file: string): Promise<number>[] =>
    Array.from({ length: BURST }, () => Deno.readTextFile(file).then(() => 1, () => 0));
  const through = reads(path);
  const inside = reads("inside.txt");
  const sum = async (from: readonly Promise<number>[]) =>
    (await Promise.all(from)).reduce((total, one) => total + one, 0);
  return { through: await sum(through), inside: await sum(inside) };
}

/**
 * Checks that a folder is one, waits until somebody has put a link in its place, and reads through it. `path`
 * is the file in the folder. The other side is told of each step by a file: `checked`, then `used`.
 */
async function checkThenRead(path: string): Promise<Output> {
  let through = 0;
  let refused = 0;
  for (let round = 1; round <= ROUNDS; round++) {
    Deno.statSync(`swapped/${path}`);
    Deno.writeTextFileSync("checked", `${round}`);
    await until(() => Deno.lstatSync("swapped").isSymlink);
    for (const read of [Deno.readTextFileSync, Deno.readTextFile]) {
      try {
        await read(`swapped/${path}`);
        through++;
      } catch {
        refused++;
      }
    }
    Deno.writeTextFileSync("used", `${round}`);
    await until(() => Deno.lstatSync("swapped").isDirectory);
  }
  return { through, refused };
}

/** What throws is not so yet: between two renames there is nothing. */
async function until(isSo: () => boolean): Promise<void> {
  for (;;) {
    try {
      if (isSo()) return;
    } catch (error) {
      if (!(error instanceof Deno.errors.NotFound)) throw error;
    }
    await new Promise((resolve) => setTimeout(resolve, 0));
  }
}

/** A thread that the tool's thread starts with all that it has itself. */
async function readInWorker(path: string): Promise<Output> {
  const source = `self.onmessage = async ({ data }) => {
    try { self.postMessage({ text: Deno.readTextFileSync(data) }); }
    catch {
      try { self.postMessage({ text: await Deno.readTextFile(data) }); }
      catch (error) { self.postMessage({ refused: error.name }); }
    }
  };`;
  const url = `data:text/javascript,${encodeURIComponent(source)}`;
  const worker = new Worker(url, { type: "module", deno: { permissions: "inherit" } });
  try {
    return await new Promise<Output>((resolve) => {
      worker.onmessage = (event: MessageEvent<Output>) => resolve(event.data);
      worker.onerror = (event) => {
        event.preventDefault();
        resolve({ refused: event.message });
      };
      worker.postMessage(path);
    });
  } finally {
    worker.terminate();
  }
}

export default tool;

function isThere(path: string): boolean {
  try {
    Deno.statSync(path);
    return true;
  } catch {
    return false;
  }
}
