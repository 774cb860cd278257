/** `run_linter` and `run_type_checker` in common: choosing a checker, running it, and its findings as one list. */

import type { Tool, ToolContext } from "../../../core/tool.ts";
import type { Infer, Schema } from "../../../core/schema.ts";
import type { Checker } from "./checkers.ts";
import { commandOutput } from "../../../toolkit/command_output.ts";
import type { Facts } from "./facts.ts";
import { fittingBest } from "./fitting.ts";
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
} from "./project_call.ts";
import {
  endedBadly,
  endedEarly,
  milliseconds,
  runProgram,
  TIMEOUT_SCHEMA,
  withOutput,
} from "../../../toolkit/run_program.ts";
import { plainText } from "../reports/text.ts";
import { checkWord, checkWords } from "../../../toolkit/words.ts";
import { FILES_SCHEMA, readsOf } from "./files_argument.ts";

/** What the two tools do not share. */
export interface CheckTool {
  readonly name: string;
  readonly title: string;
  /** "linter" */
  readonly what: string;
  readonly description: string;
  readonly checkers: Readonly<Record<string, Checker>>;
}

/** A tool that runs one of its checkers and reads what it finds. */
export function checkTool(own: CheckTool): CheckingTool {
  const { name, title, checkers } = own;
  return {
    name,
    category: "exec",
    description: own.description,
    risk: "dangerous",
    riskOfPrograms: true,
    permission: "code_execution",
    tellsOutput: true,
    input: inputSchema(own),
    output: OUTPUT,
    examples: [
      { note: "the whole project", args: {} },
      { note: "some files", args: { files: ["src/a.py", "src/b.py"] } },
      { note: "with one of one's choice", args: { tool: Object.keys(checkers)[0] } },
    ],
    describe: (input) => describeWay(title, input),
    check({ files, cwd }) {
      checkWords("files", files);
      if (cwd !== undefined) checkWord("cwd", cwd);
    },
    survey: surveyOf((input, facts) => choose(own, input, facts)),
    capabilities: (input) => [...spawns(input), ...readsOf(input)],
    preview: (input) => previewOf(title, input),
    run: (input, context) => run(own, input, context),
  };
}

function inputSchema({ what, checkers }: CheckTool) {
  return {
    type: "object",
    properties: {
      files: FILES_SCHEMA,
      tool: {
        type: "string",
        enum: Object.keys(checkers),
        description: `Which ${what} to use, where the project's files say another or none.`,
      },
      cwd: CWD_SCHEMA,
      timeout: TIMEOUT_SCHEMA,
    },
  } as const satisfies Schema;
}

const PLACE = { oneOf: [{ type: "integer" }, { type: "null" }] } as const;

const OUTPUT = {
  type: "object",
  properties: {
    findings: {
      type: "array",
      items: {
        type: "object",
        properties: {
          file: {
            type: "string",
            description: "Relative to the workspace; empty for the project.",
          },
          line: { ...PLACE, description: "From 1; null where none is named." },
          column: { ...PLACE, description: "From 1; null where none is named." },
          rule: {
            oneOf: [{ type: "string" }, { type: "null" }],
            description: "The rule's code or name.",
          },
          severity: {
            type: "string",
            enum: ["error", "warning", "info"],
            description: "How bad it is, in the words of all checkers.",
          },
          message: { type: "string", description: "What is wrong." },
        },
        required: ["file", "line", "column", "rule", "severity", "message"],
      },
      description: "As many as the policy's limit of entries.",
    },
    total_findings: { type: "integer", description: "How many there were to list." },
    errors: { type: "integer", description: "How many of all are errors." },
    warnings: { type: "integer", description: "How many of all are warnings." },
    tool: { type: "string", description: "What found them." },
    command: { type: "array", items: { type: "string" }, description: "The command that ran." },
    exit_code: {
      oneOf: [{ type: "integer" }, { type: "null" }],
      description: "Of the program.",
    },
    duration_ms: { type: "number", description: "From start to end." },
    truncated: {
      type: "boolean",
      description: "Whether findings may be missing: over a limit, or in output that was cut.",
    },
  },
  required: [
    ...["findings", "total_findings", "errors", "warnings", "tool", "command"],
    ...["exit_code", "duration_ms", "truncated"],
  ],
} as const satisfies Schema;

type CheckInput = Infer<ReturnType<typeof inputSchema>> & Chosen;
type CheckOutput = Infer<typeof OUTPUT>;
type CheckingTool = Tool<ReturnType<typeof inputSchema>, typeof OUTPUT, Chosen>;

function choose(
  { what, checkers }: CheckTool,
  { files, tool }: CheckInput,
  facts: Facts,
): readonly Way[] {
  const names = tool === undefined ? fittingBest(checkers, facts, files) : [tool];
  const ways = names.flatMap((name) =>
    checkers[name]?.commands(facts, files).map((command) => ({
      tool: name,
      commands: [command],
    })) ??
      []
  );
  if (ways.length > 0) return ways;
  throw nothingFits(
    what,
    Object.keys(checkers),
    "Name one as tool, name files that one of them checks, or use run_command",
  );
}

async function run(
  { name, checkers }: CheckTool,
  input: CheckInput,
  context: ToolContext,
): Promise<CheckOutput> {
  const { tool, commands } = wayOf(input);
  const [command = []] = commands;
  const checker = checkers[tool];
  if (checker === undefined) throw new Error(`no checker is named ${tool}`);
  const { cwd = ".", files } = input;
  const ran = await runProgram(context, command, { cwd, timeoutMs: milliseconds(input.timeout) });
  const { outcome } = ran;
  const { stdout, stderr } = commandOutput(outcome);
  const found = checker.read({ stdout: plainText(stdout), stderr: plainText(stderr) })
    .map((finding) => ({ ...finding, file: shownPath(context.files, cwd, finding.file) }));
  const asked = files?.map((file) => shownPath(context.files, cwd, file));
  const findings = checker.whole === true && asked !== undefined
    ? found.filter(({ file }) => isIn(file, asked))
    : found;
  const most = context.limits.entries;
  const dropped = outcome.dropped.stdout + outcome.dropped.stderr > 0;
  const output: CheckOutput = {
    findings: findings.slice(0, most),
    total_findings: findings.length,
    errors: findings.filter(({ severity }) => severity === "error").length,
    warnings: findings.filter(({ severity }) => severity === "warning").length,
    tool,
    command,
    exit_code: outcome.exitCode,
    duration_ms: Math.round(outcome.durationMs * 100) / 100,
    truncated: findings.length > most || dropped,
  };
  // A status that is no verdict is one all the same where it comes with findings: mypy's 2 for a syntax error.
  const good = found.length > 0 ? [...checker.good, 2] : checker.good.filter((one) => one === 0);
  const error = endedEarly(name, command, ran) ?? endedBadly(name, command, ran, good);
  if (error === null) return output;
  throw withOutput(error, { ...output, stdout, stderr });
}

/** Whether a file is one of those, or lies in one of them. Findings without a file are the project's. */
function isIn(file: string, asked: readonly string[]): boolean {
  return file === "" ||
    asked.some((one) => one === "." || file === one || file.startsWith(`${one}/`));
}
