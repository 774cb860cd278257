/** `run_tests`: the project's own tests, and what became of each that failed. */

import { PATH_SCHEMA } from "../../toolkit/path_schema.ts";
import type { ToolError } from "../../core/errors.ts";
import type { Infer, Schema } from "../../core/schema.ts";
import type { Tool } from "../../core/tool.ts";
import { commandOutput } from "../../toolkit/command_output.ts";
import {
  type Chosen,
  CWD_SCHEMA,
  describeWay,
  nothingFits,
  previewOf,
  shownPath,
  spawns,
  surveyOf,
  type Way,
  wayOf,
} from "./project/project_call.ts";
import {
  endedBadly,
  endedEarly,
  milliseconds,
  type Ran,
  runProgram,
  TIMEOUT_SCHEMA,
  withOutput,
} from "../../toolkit/run_program.ts";
import { type Framework, FRAMEWORKS, TEST_PROGRAMS } from "./project/test_frameworks.ts";
import { plainText } from "./reports/text.ts";
import { checkWord } from "../../toolkit/words.ts";
import type { Facts } from "./project/facts.ts";
import { readsOf } from "./project/files_argument.ts";
import { fittingBest } from "./project/fitting.ts";

interface TestWay extends Way {
  readonly tool: Framework;
  /** The main module's path, where the project is one of Go. */
  readonly module: string;
}

/** What people want to see of a run: its end. */
const TAIL = 4_000;
/** Statuses by which a program says that there was nothing to test: pytest(1), unittest of Python 3.12. */
const NO_TESTS = 5;

const input = {
  type: "object",
  properties: {
    test_pattern: {
      type: "string",
      minLength: 1,
      maxLength: 1000,
      description: "Only tests whose names fit, in the words of the framework (-k, --grep, …).",
    },
    path: { ...PATH_SCHEMA, description: "Only tests of this file or folder." },
    framework: {
      type: "string",
      enum: FRAMEWORKS,
      description: "Which to use, where the project's files say another or none.",
    },
    cwd: CWD_SCHEMA,
    timeout: TIMEOUT_SCHEMA,
  },
} as const satisfies Schema;

const output = {
  type: "object",
  properties: {
    framework: { type: "string", description: "What ran them." },
    command: {
      type: "array",
      items: { type: "string" },
      description: "The command that ran.",
    },
    passed: { type: "integer", description: "How many passed." },
    failed: { type: "integer", description: "How many failed, or could not be loaded." },
    skipped: { type: "integer", description: "Skipped, or expected to fail and did." },
    failures: {
      type: "array",
      items: {
        type: "object",
        properties: {
          name: { type: "string", description: "The test's whole name." },
          file: { type: "string", description: "Relative to the workspace." },
          line: { type: "integer", description: "Where it failed, from 1." },
          message: { type: "string", description: "What went wrong." },
        },
        required: ["name", "message"],
      },
      description: "As many as the policy's limit of entries.",
    },
    total_failures: { type: "integer", description: "How many failures there were to list." },
    recognized: {
      type: "boolean",
      description: "False where a script passed with output that holds no known report.",
    },
    exit_code: {
      oneOf: [{ type: "integer" }, { type: "null" }],
      description: "Of the program that ran them.",
    },
    duration_ms: { type: "number", description: "From start to end." },
    output: { type: "string", description: "The end of what it printed for people." },
    truncated: { type: "boolean", description: "Whether there was more output." },
  },
  required: [
    ...["framework", "command", "passed", "failed", "skipped", "failures", "total_failures"],
    ...["recognized", "exit_code", "duration_ms", "output", "truncated"],
  ],
} as const satisfies Schema;

type Input = Infer<typeof input> & Chosen<TestWay>;
type Output = Infer<typeof output>;

const tool: Tool<typeof input, typeof output, Chosen<TestWay>> = {
  name: "run_tests",
  category: "exec",
  description:
    "Runs the project's own tests (pytest, unittest, jest, vitest, mocha, node --test, deno test, go test, " +
    "cargo test, a package.json script, make test; found by the project's files) and answers counts and " +
    "failures with file and line. Failing tests are an answer, not an error: look at failed. A run that " +
    "breaks is COMMAND_FAILED.",
  risk: "dangerous",
  riskOfPrograms: true,
  permission: "code_execution",
  tellsOutput: true,
  input,
  output,
  examples: [
    { note: "all tests of the project", args: {} },
    { note: "some tests of one file", args: { path: "tests/test_api.py", test_pattern: "login" } },
    { note: "with a framework of one's choice", args: { framework: "unittest" } },
  ],
  describe: (input) => describeWay("Run tests", input),
  check({ test_pattern, path, cwd }) {
    for (const [name, word] of Object.entries({ test_pattern, path, cwd })) {
      if (word !== undefined) checkWord(name, word);
    }
  },
  survey: surveyOf<TestWay, Input>(choose),
  capabilities(input) {
    const { path, cwd } = input;
    const files = path === undefined ? [] : [fileOf(path)];
    return [...spawns(input), ...readsOf({ files, ...(cwd === undefined ? {} : { cwd }) })];
  },
  preview: (input) => previewOf("Run tests", input),
  async run(input, context) {
    const { tool: framework, commands, module } = wayOf(input);
    const [command = []] = commands;
    const cwd = input.cwd ?? ".";
    const ran = await runProgram(context, command, { cwd, timeoutMs: milliseconds(input.timeout) });
    const { outcome } = ran;
    const { stdout, stderr } = commandOutput(outcome);
    const program = TEST_PROGRAMS[framework];
    const plain = { stdout: plainText(stdout), stderr: plainText(stderr) };
    const report = program.read({ module })(plain);
    const { passed, failed, skipped, failures } = report ?? NOTHING;
    const most = context.limits.entries;
    const shown = [...program.machine === true ? [] : [plain.stdout], plain.stderr]
      .filter((text) => text.trim() !== "").join("\n");
    const output: Output = {
      framework,
      command,
      passed,
      failed,
      skipped,
      failures: failures.slice(0, most).map((failure) => {
        if (failure.file === undefined) return failure;
        const file = shownPath(context.files, cwd, failure.file);
        // What could not be loaded goes by the name of its file.
        return { ...failure, name: failure.name === failure.file ? file : failure.name, file };
      }),
      total_failures: failures.length,
      recognized: report !== null,
      exit_code: outcome.exitCode,
      duration_ms: Math.round(outcome.durationMs * 100) / 100,
      output: shown.slice(-TAIL).replace(/^[\udc00-\udfff]/, ""),
      truncated: shown.length > TAIL || outcome.dropped.stdout + outcome.dropped.stderr > 0,
    };
    const error = endedEarly(tool.name, command, ran) ?? broken(command, ran, output);
    if (error === null) return output;
    throw withOutput(error, output);
  },
};

export default tool;

const NOTHING = { passed: 0, failed: 0, skipped: 0, failures: [] };

/** A program that ended badly without a failing test to show for it. */
function broken(
  command: readonly string[],
  ran: Ran,
  { failed, recognized, exit_code }: Output,
): ToolError | null {
  if (failed > 0 || (recognized && exit_code === NO_TESTS)) return null;
  return endedBadly(tool.name, command, ran);
}

/** A test may stand behind its file: tests/test_a.py::test_x. */
function fileOf(path: string): string {
  return path.split("::")[0] || ".";
}

function choose({ framework, path, test_pattern }: Input, facts: Facts): readonly TestWay[] {
  const selection = {
    ...(path === undefined ? {} : { path }),
    ...(test_pattern === undefined ? {} : { test_pattern }),
  };
  const module = /^module\s+(\S+)/m.exec(facts.text("go.mod"))?.[1] ?? "";
  const files = path === undefined ? [] : [fileOf(path)];
  const names = framework === undefined
    ? fittingBest(TEST_PROGRAMS, facts, files) as readonly Framework[]
    : [framework];
  if (names.length === 0) {
    throw nothingFits("tests", FRAMEWORKS, "Name one as framework, or use run_command");
  }
  const problems: unknown[] = [];
  const ways = names.flatMap((name) => {
    try {
      return TEST_PROGRAMS[name].commands(facts, selection).map((command): TestWay => ({
        tool: name,
        commands: [command],
        module,
      }));
    } catch (error) {
      problems.push(error);
      return [];
    }
  });
  if (ways.length === 0) throw problems[0];
  return ways;
}
