/**
 * The tool that a manifest with a module describes. What it needs of the workspace is judged like the needs of any
 * other tool, and what the judgement grants is all that the module's process has.
 */

import type { Capability } from "../core/capability.ts";
import { ToolError } from "../core/errors.ts";
import { invalidArguments } from "../core/parse_arguments.ts";
import { printable } from "../core/printable.ts";
import type { Schema } from "../core/schema.ts";
import type { Files, Preview, Tool, ToolContext } from "../core/tool.ts";
import {
  answerOf,
  logOf,
  type ModuleOutput,
  moduleOutputSchema,
  valueOf,
} from "./_module_output.ts";
import { expandNeeds, type NeededPath } from "./_needs.ts";
import type { ModuleManifest, PluginArguments } from "./manifest.ts";
import { withCode } from "./module_source.ts";

/** Among the arguments of a call that is to show what it would do. No parameter can have the name. */
const DRY_RUN = "--preview";

interface Needed {
  readonly read: readonly NeededPath[];
  readonly write: readonly NeededPath[];
}

/** The tool. Its module is made ready when it is first called, and once. */
export function createModuleTool(
  manifest: ModuleManifest,
): Tool<Schema<PluginArguments>, Schema<ModuleOutput | Preview>> {
  const { name, category, description, risk, permission, parameters, env, examples } = manifest;
  let ready = manifest;
  return {
    name,
    category,
    description,
    risk,
    leastRisk: risk,
    riskOfPrograms: true,
    ownProcess: true,
    tellsOutput: true,
    permission,
    input: parameters,
    output: moduleOutputSchema(manifest.output),
    examples,
    get definition() {
      return ready;
    },
    describe: (args) =>
      `Custom tool ${name}: ${printable(JSON.stringify(ownArguments(args)), 300)}`,
    check: (args) => void neededBy(manifest, args),
    dryRun: (args) => ({ ...args, [DRY_RUN]: true }),
    async capabilities(args) {
      ready = await prepared(ready);
      return capabilitiesOf(neededBy(manifest, args), env, isDryRun(args));
    },
    preview: (args) => granted(manifest, args),
    run: (args, context) =>
      isDryRun(args) ? runDry(ready, args, context) : run(ready, args, context),
  };
}

function isDryRun(args: PluginArguments): boolean {
  return Object.hasOwn(args, DRY_RUN);
}

function ownArguments({ [DRY_RUN]: _, ...args }: PluginArguments): PluginArguments {
  return args;
}

/** Throws EXECUTION_ERROR with the place of what is wrong in it. */
async function prepared(manifest: ModuleManifest): Promise<ModuleManifest> {
  try {
    return await withCode(manifest);
  } catch (error) {
    const why = error instanceof Error ? error.message : "?";
    throw new ToolError(
      "EXECUTION_ERROR",
      `${manifest.name}: the module cannot be used: ${printable(why, 1_000)}`,
    );
  }
}

/** Throws INVALID_ARGUMENTS where the arguments come to no paths. */
function neededBy(manifest: ModuleManifest, args: PluginArguments): Needed {
  const needed = expandNeeds(manifest, args);
  if ("problems" in needed) throw invalidArguments(manifest.name, needed.problems);
  return needed;
}

/** Whoever may write a file may read it, too; who only shows what would happen writes none. */
function capabilitiesOf(
  { read, write }: Needed,
  env: readonly string[],
  dryRun: boolean,
): readonly Capability[] {
  return [
    ...[...read, ...write].map((need): Capability => ({ kind: "fs.read", ...need })),
    ...(dryRun ? [] : write).map((need): Capability => ({ kind: "fs.write", ...need })),
    ...env.map((name): Capability => ({ kind: "env.read", name })),
  ];
}

/** What a call would be granted. */
function granted(manifest: ModuleManifest, args: PluginArguments): Preview {
  const { read, write } = neededBy(manifest, args);
  const shown = ({ path, tree }: NeededPath) => tree ? `${path}/**` : path;
  return {
    description: `Custom tool ${manifest.name}`,
    grants: {
      read: [...read, ...write].map(shown),
      write: write.map(shown),
      env: manifest.env,
      programs: [],
      network: [],
    },
  };
}

/** What the module itself says that it would do, with nothing that it could write. */
async function runDry(
  manifest: ModuleManifest,
  args: PluginArguments,
  context: ToolContext,
): Promise<Preview> {
  const own = ownArguments(args);
  const shown = granted(manifest, own);
  const { json, log } = await callModule(manifest, "preview", own, context);
  return json === null ? shown : { ...shown, preview: JSON.parse(json), log };
}

async function run(
  manifest: ModuleManifest,
  args: PluginArguments,
  context: ToolContext,
): Promise<ModuleOutput> {
  const made = makeRoom(context.files, neededBy(manifest, args).write);
  try {
    const { json, log, truncated } = await callModule(manifest, "default", args, context);
    if (json === null) {
      throw new ToolError("EXECUTION_ERROR", `${manifest.name}: no default export`);
    }
    return { value: valueOf(manifest, json), log, truncated };
  } catch (error) {
    takeBack(context.files, made);
    throw error;
  }
}

async function callModule(
  { name, module, source, env, timeoutMs }: ModuleManifest,
  entry: "default" | "preview",
  args: PluginArguments,
  context: ToolContext,
): Promise<{ readonly json: string | null } & Pick<ModuleOutput, "log" | "truncated">> {
  if (source === null) throw new ToolError("INTERNAL_ERROR", `${name}: its module was not read`);
  const limitMs = Math.min(timeoutMs ?? context.timeoutMs, context.timeoutMs);
  const outcome = await context.processes.runModule({
    code: source.text,
    file: module.replace(/^\.\//, ""),
    entry,
    args,
    tool: name,
    env,
    timeoutMs: limitMs,
  });
  // Its own clock may be that of the call, which tells of itself.
  const ended = outcome.cancelled && context.timeoutMs === 0
    ? { ...outcome, cancelled: false, timedOut: true }
    : outcome;
  return { json: answerOf(name, ended, limitMs), ...logOf(ended) };
}

/**
 * The rules of the kernel name what is there: what a module may write is made before it starts, empty. Answers with
 * what was made.
 */
function makeRoom(files: Files, needs: readonly NeededPath[]): readonly NeededPath[] {
  return needs.filter(({ path, tree }) => {
    if (tree) return files.createDirectory(path, { parents: true }).created;
    if (files.find(path) !== null) return false;
    return files.write(path, new Uint8Array(), { createParents: true, expect: "nothing" }).created;
  });
}

/** What was made for a call that failed, and is still empty, goes again. */
function takeBack(files: Files, made: readonly NeededPath[]): void {
  for (const { path, tree } of made) {
    try {
      if (!tree && files.info(path).size > 0) continue;
      files.remove(path, { recursive: false });
    } catch (error) {
      // It is gone already, or no longer empty.
      if (!(error instanceof ToolError)) throw error;
    }
  }
}
