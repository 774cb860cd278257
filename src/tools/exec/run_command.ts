/** `run_command`: one program, from its words or from a line that is nothing but those. */

import type { Capability } from "../../core/capability.ts";
import { ToolError } from "../../core/errors.ts";
import { printable } from "../../core/printable.ts";
import type { Tool, ToolContext } from "../../core/tool.ts";
import { argvOf, checkCommandArguments, type CommandArguments } from "./_command_arguments.ts";
import { commandError, type CommandOutput, commandOutput } from "./_command_output.ts";

interface Input extends CommandArguments {
  readonly cwd?: string;
  readonly stdin?: string;
  readonly timeout_ms?: number;
}

const tool: Tool<Input, CommandOutput> = {
  name: "run_command",
  category: "exec",
  description:
    "Runs one program without a shell and waits for its end: give its words as argv, or a command line " +
    "without pipes, redirections, variables, globs and the like. Answers stdout, stderr and exit code; " +
    "another status than 0 is COMMAND_FAILED with the same output. It is ended after timeout_ms (30 s by " +
    "default) with what it had written kept.",
  risk: "dangerous",
  riskOfPrograms: true,
  permission: "code_execution",
  input: {
    type: "object",
    properties: {
      command: {
        type: "string",
        minLength: 1,
        description: "A command line: one program and its arguments, quoted as for sh.",
      },
      argv: {
        type: "array",
        minItems: 1,
        maxItems: 10_000,
        items: { type: "string", description: "One word, taken as it is." },
        description: "Program and arguments, instead of command.",
      },
      cwd: {
        type: "string",
        minLength: 1,
        maxLength: 4095,
        description: "Directory to start in; the workspace unless given.",
      },
      env: {
        type: "object",
        default: {},
        additionalProperties: { type: "string" },
        description: "Variables to set beside those that the policy passes on.",
      },
      stdin: { type: "string", description: "What the program reads; nothing unless given." },
      timeout_ms: {
        type: "integer",
        minimum: 1,
        description: "Milliseconds until it is ended; can only shorten what the policy gives.",
      },
    },
  },
  output: {
    type: "object",
    properties: {
      stdout: { type: "string", description: "Up to the output limit (1 MiB by default)." },
      stderr: { type: "string", description: "Likewise." },
      exit_code: {
        oneOf: [{ type: "integer" }, { type: "null" }],
        description: "Null where a signal ended it.",
      },
      signal: {
        oneOf: [{ type: "string" }, { type: "null" }],
        description: "The signal that ended it, such as SIGKILL.",
      },
      timed_out: { type: "boolean", description: "Whether it was ended for taking too long." },
      truncated: { type: "boolean", description: "Whether output was dropped at the limit." },
      invalid_utf8: {
        type: "boolean",
        description: "True where the output was no UTF-8: bad bytes came out as U+FFFD.",
      },
      duration_ms: { type: "number", description: "From start to end." },
      sandbox: {
        type: "array",
        items: { type: "string" },
        description: "The layers that held it.",
      },
    },
    required: [
      "stdout",
      "stderr",
      "exit_code",
      "signal",
      "timed_out",
      "truncated",
      "duration_ms",
      "sandbox",
    ],
  },
  examples: [
    { note: "a command line", args: { command: "git log --oneline -5" } },
    { note: "words as they are", args: { argv: ["grep", "-rn", "a|b", "src"] } },
    {
      note: "in a directory, with input",
      args: { argv: ["sort", "-u"], cwd: "data", stdin: "b\na\n" },
    },
  ],
  describe: ({ command, argv = [] }) =>
    `Run command: ${printable(command ?? argv.map(shown).join(" "), 300)}`,
  check: checkCommandArguments,
  async capabilities(input, scope) {
    return [
      { kind: "process.spawn", argv: await argvOf(input), cwd: input.cwd ?? scope.cwd },
      ...Object.keys(input.env).map((name): Capability => ({ kind: "env.read", name })),
    ];
  },
  prepare: () => import("unbash"),
  async preview(input) {
    const argv = await argvOf(input);
    return {
      description: tool.describe(input),
      argv,
      cwd: input.cwd ?? ".",
      env: Object.keys(input.env),
    };
  },
  async run(input, context) {
    const argv = await argvOf(input);
    const timeoutMs = Math.min(input.timeout_ms ?? context.timeoutMs, context.timeoutMs);
    const outcome = await context.processes.run(argv, {
      cwd: input.cwd ?? ".",
      env: input.env,
      stdin: input.stdin === undefined ? null : new TextEncoder().encode(input.stdin),
      timeoutMs,
    });
    const ended = outcome.cancelled && isOutOfTime(context)
      ? { ...outcome, cancelled: false, timedOut: true }
      : outcome;
    const error = commandError(tool.name, argv[0] ?? "", ended, timeoutMs);
    if (error !== null) throw error;
    return commandOutput(ended);
  },
};

export default tool;

/** Whether the call, not its caller, cancelled the program: the engine's clock and the program's run side by side. */
function isOutOfTime(context: ToolContext): boolean {
  try {
    context.checkpoint();
    return false;
  } catch (error) {
    return error instanceof ToolError && error.code === "TIMEOUT";
  }
}

/** A word as one would type it, for people to read. */
function shown(word: string): string {
  return /^[\w@%+=:,./^-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
