/** `create_virtual_environment`: an environment of Python in the workspace. */

import { PATH_SCHEMA } from "../../toolkit/path_schema.ts";
import type { Schema } from "../../core/schema.ts";
import type { Tool } from "../../core/tool.ts";
import { inFolder } from "./project/facts.ts";
import { requested } from "./project/files_argument.ts";
import {
  type Chosen,
  CWD_SCHEMA,
  describeWay,
  previewOf,
  shownPath,
  spawns,
  surveyOf,
  wayOf,
} from "./project/project_call.ts";
import {
  endedBadly,
  endedEarly,
  milliseconds,
  runProgram,
  TIMEOUT_SCHEMA,
} from "../../toolkit/run_program.ts";
import { checkWord, invalid, operand } from "../../toolkit/words.ts";

const input = {
  type: "object",
  properties: {
    path: { ...PATH_SCHEMA, default: ".venv", description: "The folder to make it in." },
    python: {
      type: "string",
      maxLength: 30,
      description: "The interpreter to use: python3, python3.12, pypy3.",
    },
    with_pip: {
      type: "boolean",
      default: true,
      description: "Whether to install pip into it, from what the interpreter brings along.",
    },
    cwd: CWD_SCHEMA,
    timeout: TIMEOUT_SCHEMA,
  },
} as const satisfies Schema;

const output = {
  type: "object",
  properties: {
    path: { type: "string", description: "The environment's folder, relative to the workspace." },
    python: { type: "string", description: "Its interpreter, relative to the workspace." },
    tool: { type: "string", description: "What made it: venv or uv." },
    command: { type: "array", items: { type: "string" }, description: "The command that ran." },
    duration_ms: { type: "number", description: "From start to end." },
  },
  required: ["path", "python", "tool", "command", "duration_ms"],
} as const satisfies Schema;

const tool: Tool<typeof input, typeof output, Chosen> = {
  name: "create_virtual_environment",
  category: "exec",
  description:
    "Makes a virtual environment of Python in the workspace (with uv in projects that have uv.lock, else with " +
    "python3 -m venv) and answers the path of its interpreter. Other tools use .venv and venv by themselves. " +
    "What is there already is kept.",
  risk: "moderate",
  riskOfPrograms: true,
  permission: "code_execution",
  tellsOutput: true,
  input,
  output,
  examples: [
    { note: "the usual one", args: {} },
    { note: "of another version, elsewhere", args: { path: "env312", python: "python3.12" } },
  ],
  describe: (input) => describeWay("Create virtual environment", input),
  check({ path, python, cwd }) {
    checkWord("path", path);
    if (cwd !== undefined) checkWord("cwd", cwd);
    if (python !== undefined && !/^(?:python|pypy)[0-9.]*$/.test(python)) {
      throw invalid("python", "must be the name of an interpreter, such as python3 or python3.12");
    }
  },
  survey: surveyOf(({ path, python, with_pip }, facts) => {
    const folder = operand(path);
    const uv = facts.has("uv.lock")
      ? [{
        tool: "uv",
        commands: [[
          ...["uv", "venv"],
          ...(python === undefined ? [] : [`--python=${python}`]),
          ...(with_pip ? ["--seed"] : []),
          folder,
        ]],
      }]
      : [];
    // Not the interpreter of an environment: it would be another beside it.
    const interpreters = python === undefined ? ["python3", "python"] : [python];
    return [
      ...uv,
      ...interpreters.map((name) => ({
        tool: "venv",
        commands: [[name, "-m", "venv", ...(with_pip ? [] : ["--without-pip"]), folder]],
      })),
    ];
  }),
  capabilities(input) {
    const { path, cwd = "." } = input;
    // First: whether the program's words name what is there already must not be told of a place outside.
    return [{ kind: "fs.write", path: requested(cwd, path), tree: true }, ...spawns(input)];
  },
  preview: (input) => previewOf("Create virtual environment", input),
  async run(input, context) {
    const { tool: name, commands: [argv = []] } = wayOf(input);
    const { path, cwd = ".", timeout } = input;
    const ran = await runProgram(context, argv, { cwd, timeoutMs: milliseconds(timeout) });
    const error = endedEarly(tool.name, argv, ran) ?? endedBadly(tool.name, argv, ran);
    if (error !== null) throw error;
    const shown = shownPath(context.files, ".", requested(cwd, path));
    return {
      path: shown,
      python: inFolder(shown, "bin/python3"),
      tool: name,
      command: argv,
      duration_ms: Math.round(ran.outcome.durationMs * 100) / 100,
    };
  },
};

export default tool;
