/**
 * The tool that a manifest describes. A call of it is a call of `run_command` with the words that the template comes to:
 * the same capabilities, judged by the same rules, run by the same code.
 */

import type { Capability } from "../core/capability.ts";
import { ToolError } from "../core/errors.ts";
import { invalidArguments, parseArguments } from "../core/parse_arguments.ts";
import type { Schema } from "../core/schema.ts";
import type { Scope, Tool, ToolContext } from "../core/tool.ts";
import { type CommandResult, outputOf, outputSchema, type PluginOutput } from "./_output.ts";
import { expandCommand, expandInput } from "./_expand.ts";
import type { CommandManifest, PluginArguments } from "./manifest.ts";

/** The tool. `runCommand`: the one that starts a program by its words. */
export function createCommandTool(
  manifest: CommandManifest,
  runCommand: Tool,
): Tool<Schema<PluginArguments>, Schema<PluginOutput>> {
  const { name, category, description, risk, permission, parameters, env, examples } = manifest;
  const request = (args: PluginArguments) => requestOf(manifest, runCommand, args);
  const completed = async (args: PluginArguments): Promise<unknown> => {
    const asked = request(args);
    return await runCommand.complete?.(asked) ?? asked;
  };
  return {
    name,
    category,
    description,
    risk,
    leastRisk: risk,
    riskOfPrograms: true,
    tellsOutput: true,
    permission,
    input: parameters,
    output: outputSchema(manifest.output),
    examples,
    definition: manifest,
    describe: (args) => `Custom tool ${name}. ${runCommand.describe(request(args))}`,
    check: (args) => underOwnName(name, runCommand, () => runCommand.check?.(request(args))),
    async capabilities(args, scope: Scope) {
      const needed = env.map((name): Capability => ({ kind: "env.read", name }));
      return [...await runCommand.capabilities(await completed(args), scope), ...needed];
    },
    async preview(args, context) {
      const shown = await runCommand.preview?.(await completed(args), context);
      return { ...shown, description: `Custom tool ${name}. ${String(shown?.["description"])}` };
    },
    async run(args, context) {
      const result = await run(manifest, runCommand, await completed(args), context);
      return outputOf(manifest, result);
    },
  };
}

/** The call of `run_command`. Throws INVALID_ARGUMENTS where the template takes no such values. */
function requestOf(manifest: CommandManifest, runCommand: Tool, args: PluginArguments): unknown {
  const { name, stdin, timeoutMs } = manifest;
  const expanded = expandCommand(manifest, args);
  if ("problems" in expanded) throw invalidArguments(name, expanded.problems);
  const input = expandInput(stdin, args);
  const parsed = parseArguments(runCommand.input, {
    argv: expanded.argv,
    ...(expanded.cwd === null ? {} : { cwd: expanded.cwd }),
    ...(input === null ? {} : { stdin: input }),
    ...(timeoutMs === null ? {} : { timeout_ms: timeoutMs }),
  });
  if ("problems" in parsed) throw invalidArguments(name, parsed.problems);
  return parsed.value;
}

/** The whole result of the program, where its exit status is one that the manifest calls a success. */
async function run(
  { name, success }: CommandManifest,
  runCommand: Tool,
  request: unknown,
  context: ToolContext,
): Promise<CommandResult> {
  try {
    // The tool's own schema says what its output is.
    const result = await underOwnName(
      name,
      runCommand,
      () => runCommand.run(request, context),
    ) as CommandResult;
    if (success.includes(0)) return result;
    throw new ToolError("COMMAND_FAILED", `${name}: the command ended with status 0`, {
      details: { exit_code: 0, signal: null },
      output: result,
    });
  } catch (error) {
    if (!(error instanceof ToolError) || error.code !== "COMMAND_FAILED") throw error;
    const status = error.details?.["exit_code"];
    if (typeof status !== "number" || status === 0 || !success.includes(status)) throw error;
    return error.output as CommandResult;
  }
}

/** What `act` throws, with the name of the custom tool where its message begins with the other's. */
function underOwnName<T>(name: string, { name: other }: Tool, act: () => T): T {
  const renamed = (error: unknown): unknown => {
    if (!(error instanceof ToolError) || !error.message.startsWith(`${other}:`)) return error;
    const { code, message, details, rule, output } = error;
    return new ToolError(code, `${name}${message.slice(other.length)}`, {
      ...(details === null ? {} : { details }),
      rule,
      output,
    });
  };
  try {
    const done = act();
    return done instanceof Promise
      ? done.catch((error) => Promise.reject(renamed(error))) as T
      : done;
  } catch (error) {
    throw renamed(error);
  }
}
