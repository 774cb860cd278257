/** `install_package`: packages by name, with the project's own package manager. */

import type { Schema } from "../../core/schema.ts";
import type { Tool } from "../../core/tool.ts";
import { commandOutput } from "../../toolkit/command_output.ts";
import { checkPackages, installCommands, managerOf, MANAGERS } from "./project/package_managers.ts";
import {
  type Chosen,
  CWD_SCHEMA,
  describeWay,
  nothingFits,
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
import { checkWord } from "../../toolkit/words.ts";

const input = {
  type: "object",
  properties: {
    packages: {
      type: "array",
      minItems: 1,
      maxItems: 100,
      items: {
        type: "string",
        minLength: 1,
        maxLength: 200,
        description: "A name, with a version or without, as the manager writes it.",
      },
      description: "What to install.",
    },
    manager: {
      type: "string",
      enum: MANAGERS,
      description: "Which to use, where the project's files say another or none.",
    },
    dev: {
      type: "boolean",
      default: false,
      description: "For development only, where the manager knows the difference.",
    },
    run_scripts: {
      type: "boolean",
      default: false,
      description: "Whether packages may run code of theirs while they are installed.",
    },
    cwd: CWD_SCHEMA,
    timeout: TIMEOUT_SCHEMA,
  },
  required: ["packages"],
} as const satisfies Schema;

const output = {
  type: "object",
  properties: {
    manager: { type: "string", description: "What installed them." },
    packages: { type: "array", items: { type: "string" }, description: "What was asked for." },
    command: { type: "array", items: { type: "string" }, description: "The command that ran." },
    stdout: { type: "string", description: "What it printed." },
    stderr: { type: "string", description: "Likewise." },
    truncated: { type: "boolean", description: "Whether output was dropped at the limit." },
    duration_ms: { type: "number", description: "From start to end." },
  },
  required: [
    ...["manager", "packages", "command", "stdout", "stderr", "truncated", "duration_ms"],
  ],
} as const satisfies Schema;

const tool: Tool<typeof input, typeof output, Chosen> = {
  name: "install_package",
  category: "exec",
  description:
    "Adds packages to the project with its own package manager (pip, uv, npm, pnpm, yarn, bun, deno, cargo, go; " +
    "found by lock files and manifests). Takes names with versions, no options, addresses or files. Code of " +
    "packages does not run during installation unless run_scripts is set. Needs network for commands.",
  // Code from elsewhere: as what it is, not as what its manager is.
  risk: "dangerous",
  permission: "code_execution",
  tellsOutput: true,
  input,
  output,
  examples: [
    {
      note: "for development",
      args: { packages: ["eslint@9.39.0"], manager: "npm", dev: true },
    },
    { note: "into .venv", args: { packages: ["requests>=2.32,<3"], manager: "pip" } },
  ],
  describe: (input) => describeWay(`Install ${input.packages.slice(0, 20).join(", ")}`, input),
  check({ packages, manager, cwd }) {
    if (cwd !== undefined) checkWord("cwd", cwd);
    if (manager !== undefined) checkPackages(manager, packages);
  },
  survey: surveyOf((input, facts) => {
    const manager = input.manager ?? managerOf(facts);
    if (manager === null) {
      throw nothingFits("package manager", MANAGERS, "Name one as manager");
    }
    checkPackages(manager, input.packages);
    return installCommands(manager, facts, input)
      .map((command) => ({ tool: manager, commands: [command] }));
  }),
  capabilities: (input) => [
    ...spawns(input),
    // Manifests, lock files and folders of packages.
    { kind: "fs.write", path: input.cwd ?? ".", tree: true },
  ],
  preview: (input) => ({ ...previewOf("Install", input), packages: input.packages }),
  async run(input, context) {
    const { tool: manager, commands: [argv = []] } = wayOf(input);
    const { cwd = ".", timeout, packages } = input;
    const ran = await runProgram(context, argv, { cwd, timeoutMs: milliseconds(timeout) });
    const error = endedEarly(tool.name, argv, ran) ?? endedBadly(tool.name, argv, ran);
    if (error !== null) throw error;
    const { stdout, stderr, truncated, duration_ms } = commandOutput(ran.outcome);
    return { manager, packages, command: argv, stdout, stderr, truncated, duration_ms };
  },
};

export default tool;
