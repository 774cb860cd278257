/** `run_python`: code of Python, run by the project's own interpreter. */

import { printable } from "../../core/printable.ts";
import type { Schema } from "../../core/schema.ts";
import type { Tool } from "../../core/tool.ts";
import { commandOutput, OUTPUT_PROPERTIES, OUTPUT_REQUIRED } from "../../toolkit/command_output.ts";
import {
  type Chosen,
  CWD_SCHEMA,
  previewOf,
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
import { checkWord, invalid } from "../../toolkit/words.ts";

/**
 * The code is an argument, not input: what is judged, approved and logged is then the very code that runs.
 * Linux takes 128 KiB an argument (execve(2), MAX_ARG_STRLEN), with its end.
 */
const MAX_CODE_BYTES = 131_071;

const input = {
  type: "object",
  properties: {
    code: { type: "string", minLength: 1, description: "The program's text, up to 128 KiB." },
    cwd: { ...CWD_SCHEMA, description: "Where it runs; the workspace unless given." },
    timeout: TIMEOUT_SCHEMA,
  },
  required: ["code"],
} as const satisfies Schema;

const output = {
  type: "object",
  properties: OUTPUT_PROPERTIES,
  required: OUTPUT_REQUIRED,
} as const satisfies Schema;

const tool: Tool<typeof input, typeof output, Chosen> = {
  name: "run_python",
  category: "exec",
  description:
    "Runs Python code with the interpreter of the project's .venv, else python3, in the workspace, held as " +
    "every command is, and answers what it printed. The policy judges it as python3 -c: dangerous, and " +
    "asked for where no rule lets that be so. Longer programs: write a file, and run that.",
  risk: "dangerous",
  riskOfPrograms: true,
  permission: "code_execution",
  tellsOutput: true,
  input,
  output,
  examples: [{ note: "a calculation", args: { code: "print(sum(range(10)))" } }],
  describe: ({ code }) => `Run Python: ${printable(code, 300)}`,
  check({ code, cwd }) {
    checkWord("code", code);
    if (cwd !== undefined) checkWord("cwd", cwd);
    const bytes = new TextEncoder().encode(code).length;
    if (bytes > MAX_CODE_BYTES) {
      throw invalid(
        "code",
        `has ${bytes} bytes; at most ${MAX_CODE_BYTES} can be run: write it to a file and run that`,
      );
    }
  },
  survey: surveyOf(({ code }, { pythons }) =>
    pythons.map((python) => ({ tool: python, commands: [[python, "-c", code]] }))
  ),
  capabilities: spawns,
  preview: (input) => previewOf("Run Python", input),
  async run(input, context) {
    const [argv = []] = wayOf(input).commands;
    const { cwd = ".", timeout } = input;
    const ran = await runProgram(context, argv, { cwd, timeoutMs: milliseconds(timeout) });
    const error = endedEarly(tool.name, argv, ran) ?? endedBadly(tool.name, argv, ran);
    if (error !== null) throw error;
    return commandOutput(ran.outcome);
  },
};

export default tool;
