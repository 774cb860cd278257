/**
 * A tool that tries the lower layers: it ignores its handles and uses the runtime directly, as a tool with a
 * defect or an attacker on its thread would. It is part of the probe binary alone.
 */

import type { Tool } from "../../src/core/tool.ts";

interface Input {
  readonly action: "read" | "read_async" | "write" | "spawn" | "import" | "burst" | "swap";
  /** Absolute path that the action is aimed at. */
  readonly path: string;
  /** What the capabilities claim, so that the call gets a thread of that kind. */
  readonly claim: "read" | "write" | "spawn";
}

const tool: Tool<Input, Record<string, unknown>> = {
  name: "probe",
  category: "util",
  description: "Tries what the lower layers should stop.",
  risk: "safe",
  permission: null,
  riskOfPrograms: false,
  input: {
    type: "object",
    properties: {
      action: {
        type: "string",
        enum: ["read", "read_async", "write", "spawn", "import", "burst", "swap"],
      },
      path: { type: "string" },
      claim: { type: "string", enum: ["read", "write", "spawn"], default: "read" },
    },
    required: ["action", "path"],
  },
  output: { type: "object", additionalProperties: true },
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
      case "read":
        return { text: Deno.readTextFileSync(path) };
      case "read_async":
        return { text: await Deno.readTextFile(path) };
      case "write":
        Deno.writeTextFileSync(path, "changed by the probe");
        return { wrote: true };
      case "spawn": {
        const { code, stdout } = await new Deno.Command("/usr/bin/cat", {
          args: [path],
          clearEnv: true,
          stdin: "null",
        }).output();
        return { code, text: new TextDecoder().decode(stdout) };
      }
      case "import": {
        const module: unknown = await import(`file://${path}`);
        return { imported: Object.keys(module as Record<string, unknown>) };
      }
      case "burst":
        return await burst(path);
      case "swap":
        return await swap(path);
    }
  },
};

/** Many asynchronous reads at once: they run on the runtime's other threads, which must be held too. */
async function burst(path: string): Promise<Record<string, unknown>> {
  const reads = Array.from({ length: 400 }, () => Deno.readTextFile(path).then(() => 1, () => 0));
  const through = (await Promise.all(reads)).filter((one) => one === 1).length;
  return { through };
}

/**
 * A path that changes between check and use: `folder/file` is checked, `folder` becomes a link to elsewhere, then
 * it is read. `path` is the folder that the link leads to.
 */
async function swap(path: string): Promise<Record<string, unknown>> {
  let through = 0;
  let inside = 0;
  for (let round = 0; round < 200; round++) {
    Deno.lstatSync("swapped/sentinel.txt");
    Deno.renameSync("swapped", "kept");
    Deno.symlinkSync(path, "swapped");
    for (const read of [Deno.readTextFileSync, Deno.readTextFile]) {
      try {
        await read("swapped/sentinel.txt");
        through++;
      } catch {
        inside++;
      }
    }
    Deno.removeSync("swapped");
    Deno.renameSync("kept", "swapped");
  }
  return { through, refused: inside };
}

export default tool;
