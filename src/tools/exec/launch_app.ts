/** `launch_app`: one program with its arguments, without a shell. */

import { PATH_SCHEMA } from "../../toolkit/path_schema.ts";
import { printable } from "../../core/printable.ts";
import type { Schema } from "../../core/schema.ts";
import type { Tool } from "../../core/tool.ts";
import { commandOutput, OUTPUT_PROPERTIES, OUTPUT_REQUIRED } from "../../toolkit/command_output.ts";
import {
  endedBadly,
  endedEarly,
  milliseconds,
  runProgram,
  TIMEOUT_SCHEMA,
  withOutput,
} from "../../toolkit/run_program.ts";
import { checkWord, checkWords, typed } from "../../toolkit/words.ts";

const input = {
  type: "object",
  properties: {
    app_name: {
      ...PATH_SCHEMA,
      description: "The program: a name of the search path, or a path in the workspace.",
    },
    args: {
      type: "array",
      default: [],
      maxItems: 10_000,
      items: { type: "string", description: "One word, taken as it is." },
      description: "Its arguments.",
    },
    timeout: { ...TIMEOUT_SCHEMA, default: 30 },
  },
  required: ["app_name"],
} as const satisfies Schema;

const output = {
  type: "object",
  properties: {
    ...OUTPUT_PROPERTIES,
    returncode: {
      oneOf: [{ type: "integer" }, { type: "null" }],
      description: "The exit code once more, by its other name.",
    },
  },
  required: [...OUTPUT_REQUIRED, "returncode"],
} as const satisfies Schema;

const tool: Tool<typeof input, typeof output> = {
  name: "launch_app",
  category: "exec",
  description:
    "Starts a program by name with its arguments, waits for its end, and answers its output and returncode. " +
    "Nothing passes through a shell. It is ended after timeout seconds (30) with what it had written kept; " +
    "another status than 0 is COMMAND_FAILED with the same output.",
  risk: "dangerous",
  riskOfPrograms: true,
  permission: "code_execution",
  tellsOutput: true,
  input,
  output,
  examples: [
    { note: "a program with arguments", args: { app_name: "ls", args: ["-l", "src"] } },
    { note: "for at most five seconds", args: { app_name: "make", timeout: 5 } },
  ],
  describe: ({ app_name, args }) =>
    printable(`Launch application: ${typed([app_name, ...args.slice(0, 50)])}`, 300),
  check({ app_name, args }) {
    checkWord("app_name", app_name);
    checkWords("args", args);
  },
  capabilities: ({ app_name, args }, { cwd }) => [
    { kind: "process.spawn", argv: [app_name, ...args], cwd },
  ],
  preview: ({ app_name, args, timeout }) => ({
    description: tool.describe({ app_name, args, timeout }),
    argv: [app_name, ...args],
  }),
  async run({ app_name, args, timeout }, context) {
    const argv = [app_name, ...args];
    const ran = await runProgram(context, argv, { timeoutMs: milliseconds(timeout) });
    const output = { ...commandOutput(ran.outcome), returncode: ran.outcome.exitCode };
    const error = endedEarly(tool.name, argv, ran) ?? endedBadly(tool.name, argv, ran);
    if (error !== null) throw withOutput(error, output);
    return output;
  },
};

export default tool;
