/** `run_command`: a program by its words, or a command line that is understood whole. */

import { PATH_SCHEMA } from "../../toolkit/path_schema.ts";
import type { Capability } from "../../core/capability.ts";
import type { Plan } from "../../core/plan.ts";
import { printable, quoted } from "../../core/printable.ts";
import type { Infer, Schema } from "../../core/schema.ts";
import type { LineScope } from "../../core/line_scope.ts";
import type { Tool } from "../../core/tool.ts";
import { lowerCommand, lowerPlan } from "../../shell/lower_command.ts";
import { isJudgedLater, startsLater, startsOne } from "../../shell/certain.ts";
import { parseLine, parseShellCall } from "../../shell/parse_line.ts";
import { COMMAND_OUTPUT, commandError, commandOutput } from "../../toolkit/command_output.ts";
import { isOutOfTime } from "../../toolkit/run_program.ts";
import { checkWord, invalid } from "../../toolkit/words.ts";

const input = {
  type: "object",
  properties: {
    command: {
      type: "string",
      minLength: 1,
      description: "A command line as for bash, such as: cd src && grep -n main *.ts | head",
    },
    argv: {
      type: "array",
      minItems: 1,
      maxItems: 10_000,
      items: { type: "string", description: "One word, taken as it is." },
      description: "Program and arguments, instead of command.",
    },
    cwd: {
      ...PATH_SCHEMA,
      description: "Directory to start in; the workspace unless given.",
    },
    env: {
      type: "object",
      default: {},
      additionalProperties: { type: "string" },
      description: "Variables to set beside those that the policy passes on.",
    },
    stdin: { type: "string", description: "What the program reads; nothing unless given." },
    output_file: {
      ...PATH_SCHEMA,
      description:
        "A file that all output is written to whole, however long; what it held is gone.",
    },
    timeout_ms: {
      type: "integer",
      minimum: 1,
      description: "Milliseconds until it is ended; can only shorten what the policy gives.",
    },
  },
} as const satisfies Schema;

type Input = Infer<typeof input>;

/** What is worked out of the arguments once. */
interface Planned {
  /**
   * The plan of a line, or of words that are a shell with its script; null where plain words say what to run. Never in
   * a request: the schema does not know it.
   */
  readonly plan?: Plan | null;
}

const tool: Tool<typeof input, typeof COMMAND_OUTPUT, Planned> = {
  name: "run_command",
  category: "exec",
  description: "Runs a command line, or one program by its words as argv. Without a shell, but " +
    "as bash does it: pipes, lists, groups, redirections, here-documents, globs, $NAME, $(…), cd, " +
    "set -e, for, while, if, case, [[ ]], functions, arrays, read, $((…)), source, trap … EXIT, " +
    "&, wait. All is judged before it starts; what still runs at the end is ended. Answers " +
    "stdout, stderr, exit code; another status than 0 is COMMAND_FAILED with the output. Ended " +
    "after timeout_ms or the policy's time, what it wrote kept.",
  risk: "dangerous",
  riskOfPrograms: true,
  goesOn: ({ plan }) => plan !== undefined && plan !== null && plan.root.kind !== "simple",
  startsOne: ({ plan, output_file }) =>
    output_file === undefined && plan !== undefined && (plan === null || startsOne(plan)),
  startsLater: ({ plan }) => plan !== undefined && plan !== null && startsLater(plan),
  judgedLater: ({ plan }) => plan !== undefined && plan !== null && isJudgedLater(plan),
  permission: "code_execution",
  tellsOutput: true,
  input,
  output: COMMAND_OUTPUT,
  examples: [
    { note: "a command line", args: { command: "git log --oneline -5 | grep fix > fixes.txt" } },
    { note: "words as they are", args: { argv: ["grep", "-rn", "a|b", "src"] } },
    {
      note: "in a directory, with input",
      args: { argv: ["sort", "-u"], cwd: "data", stdin: "b\na\n" },
    },
  ],
  describe: ({ command, argv = [] }) =>
    `Run command: ${printable(command ?? argv.map(shown).join(" "), 300)}`,
  check,
  complete: async (input, scope) => ({ ...input, plan: await parsed(input, scope) }),
  async capabilities(input, scope) {
    const { argv = [], cwd = scope.cwd } = input;
    const plan = planOf(input);
    const needs = plan === null
      ? await lowerCommand({ argv, cwd, redirections: [], variables: [] })
      : await lowerPlan(plan, cwd);
    const { output_file: spill } = input;
    return [
      ...needs,
      ...(spill === undefined ? [] : [{ kind: "fs.write", path: spill, tree: false } as const]),
      ...Object.keys(input.env).map((name): Capability => ({
        kind: "env.read",
        name,
        change: true,
      })),
    ];
  },
  prepare: () => import("unbash"),
  async preview(input) {
    const { argv, cwd = "." } = input;
    const plan = planOf(input);
    const needs = plan === null ? [] : await lowerPlan(plan, cwd);
    return {
      description: tool.describe(input),
      ...(plan === null
        ? { argv }
        : { commands: needs.flatMap((one) => one.kind === "process.spawn" ? [one.argv] : []) }),
      cwd,
      env: Object.keys(input.env),
    };
  },
  async run(input, context) {
    const { argv = [] } = input;
    const plan = planOf(input);
    const timeoutMs = Math.min(input.timeout_ms ?? context.timeoutMs, context.timeoutMs);
    const options = {
      cwd: input.cwd ?? ".",
      env: input.env,
      stdin: input.stdin === undefined ? null : new TextEncoder().encode(input.stdin),
      timeoutMs,
      ...(input.output_file === undefined ? {} : { spill: input.output_file }),
    };
    const outcome = plan === null
      ? await context.processes.run(argv, options)
      : await context.processes.runLine(plan, options);
    const ended = outcome.cancelled && isOutOfTime(context)
      ? { ...outcome, cancelled: false, timedOut: true }
      : outcome;
    const error = commandError(tool.name, argv[0] ?? "the command line", ended, timeoutMs);
    if (error !== null) throw error;
    return commandOutput(ended);
  },
};

export default tool;

/** Each is judged: 60,000 of them kept everybody waiting for a second. */
const MOST_VARIABLES = 1_000;

/** Throws INVALID_ARGUMENTS. */
function check({ command, argv, env }: Input): void {
  if ((command === undefined) === (argv === undefined)) {
    throw command === undefined
      ? invalid("command", "missing; give a command line as command, or its words as argv")
      : invalid("command, argv", "both are given; one of them says what to run");
  }
  if (argv !== undefined) {
    if (argv[0] === "") throw invalid("argv[0]", "must not be empty; it names the program");
    argv.forEach((word, index) => checkWord(`argv[${index}]`, word));
  }
  const variables = Object.entries(env);
  if (variables.length > MOST_VARIABLES) {
    throw invalid("env", `${variables.length} variables; at most ${MOST_VARIABLES}`);
  }
  for (const [name, value] of variables) {
    if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name)) {
      throw invalid(
        "env",
        `${quoted(name)} is no name of a variable; they are letters, digits and _`,
      );
    }
    checkWord(`env.${name}`, value);
  }
}

/** Throws COMMAND_UNPARSABLE. */
async function parsed({ command, argv = [] }: Input, scope?: LineScope): Promise<Plan | null> {
  const plan = command === undefined ? await parseShellCall(argv) : await parseLine(command);
  if (plan === null || scope === undefined || !plan.line.includes("/tmp")) return plan;
  const { withOwnTemporary } = await import("../../shell/own_temporary.ts");
  return withOwnTemporary(plan, await scope.ownTemporary());
}

function planOf({ plan }: Planned): Plan | null {
  if (plan === undefined) throw new Error("asked before the line was read");
  return plan;
}

/** A word as one would type it, for people to read. */
function shown(word: string): string {
  return /^[\w@%+=:,./^-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
