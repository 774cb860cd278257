/** `run_formatter`: the project's own formatter, and exactly what it changed. */

import { ToolError } from "../../core/errors.ts";
import type { Infer, Schema } from "../../core/schema.ts";
import type { Files, Tool, ToolContext } from "../../core/tool.ts";
import { commandOutput } from "../../toolkit/command_output.ts";
import type { Facts } from "./project/facts.ts";
import { FILES_SCHEMA, readsOf, writesOf } from "./project/files_argument.ts";
import { fittingBest } from "./project/fitting.ts";
import { type Formatter, FORMATTERS } from "./project/formatters.ts";
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
import type { Reformatted } from "./reports/reformatted.ts";
import { plainText } from "./reports/text.ts";
import { checkWord, checkWords } from "../../toolkit/words.ts";

/** Files whose contents are kept for the diff, each up to the same size as a manifest that is read whole. */
const MAX_DIFFED = 50;
const MAX_DIFFED_BYTES = 1 << 20;
/** The search for the shortest diff is quadratic in the lines that differ: of more, the file is only named. */
const MAX_EDITS = 2000;

const BY_NAME: Readonly<Record<string, Formatter>> = FORMATTERS;

const input = {
  type: "object",
  properties: {
    files: FILES_SCHEMA,
    check: {
      type: "boolean",
      default: false,
      description: "Only say what would change.",
    },
    tool: {
      type: "string",
      enum: Object.keys(FORMATTERS),
      description: "Which formatter to use, where the project's files say another or none.",
    },
    cwd: CWD_SCHEMA,
    timeout: TIMEOUT_SCHEMA,
  },
} as const satisfies Schema;

const output = {
  type: "object",
  properties: {
    changed: {
      type: "array",
      items: { type: "string" },
      description: "Files that changed, or with check would; as many as the limit of entries.",
    },
    total_changed: { type: "integer", description: "How many there were to list." },
    diff: {
      type: "string",
      description:
        "A unified diff of what changed. With check, in the formatter's own form; empty where it has none.",
    },
    failed: {
      type: "array",
      items: {
        type: "object",
        properties: {
          file: { type: "string", description: "Relative to the workspace." },
          message: { type: "string", description: "Why it could not be formatted." },
        },
        required: ["file", "message"],
      },
      description: "Files that it could not read.",
    },
    tool: { type: "string", description: "What formatted." },
    command: { type: "array", items: { type: "string" }, description: "The command that ran." },
    checked_only: { type: "boolean", description: "Whether nothing was to be changed." },
    truncated: { type: "boolean", description: "Whether files or the diff are cut short." },
  },
  required: [
    ...["changed", "total_changed", "diff", "failed", "tool", "command", "checked_only"],
    "truncated",
  ],
} as const satisfies Schema;

type Input = Infer<typeof input> & Chosen;
type Output = Infer<typeof output>;

const tool: Tool<typeof input, typeof output, Chosen> = {
  name: "run_formatter",
  category: "exec",
  description:
    "Runs the project's own formatter (black, ruff format, prettier, deno fmt, gofmt, cargo fmt; found by the " +
    "project's files) over the project or some files, and answers which files it changed, with a diff. With " +
    "check: true, and as a preview, it changes nothing and answers what it would change.",
  risk: "dangerous",
  riskOfPrograms: true,
  permission: "code_execution",
  tellsOutput: true,
  input,
  output,
  prepare: () => import("diff"),
  examples: [
    { note: "what it would change", args: { check: true } },
    { note: "some files", args: { files: ["src/a.py", "src/b.py"] } },
    { note: "with a formatter of one's choice", args: { tool: "black" } },
  ],
  describe: (input) => describeWay(input.check ? "Check format" : "Format files", input),
  check({ files, cwd }) {
    checkWords("files", files);
    if (cwd !== undefined) checkWord("cwd", cwd);
  },
  survey: surveyOf(choose),
  dryRun: (input) => ({ ...input, check: true }),
  capabilities(input) {
    const { files, cwd = "." } = input;
    // What it changes is read before and after.
    const whole = files === undefined
      ? [{ kind: "fs.read", path: cwd, tree: true } as const]
      : readsOf(input);
    return [...spawns(input), ...whole, ...(input.check ? [] : writesOf(input))];
  },
  preview: (input) => previewOf(input.check ? "Check format" : "Format files", input),
  async run(input, context) {
    const { tool: name, commands } = wayOf(input);
    const formatter = BY_NAME[name];
    const [check, next] = commands;
    if (formatter === undefined || check === undefined) throw new Error("no way was chosen");
    const found = await lookWith(formatter, check, input, context);
    if (input.check) {
      const diff = next === undefined
        ? found.diff
        : await filtered(found.files, next, input, context);
      return answer(input, context, found, { command: check, diff });
    }
    const write = next ?? check;
    const before = contentsOf(context.files, found.files);
    const ran = await runProgram(context, write, options(input));
    const early = endedEarly(tool.name, write, ran);
    const after = contentsOf(context.files, found.files);
    const changed = found.files.filter((file) => before.get(file) !== after.get(file));
    const done = { ...found, files: changed };
    const output = answer(input, context, done, {
      command: write,
      diff: await diffOf(changed, before, after),
    });
    const error = early ??
      (found.failed.length > 0 ? null : endedBadly(tool.name, write, ran));
    if (error !== null) throw withOutput(error, output);
    return output;
  },
};

export default tool;

interface Looked extends Reformatted {
  readonly ran: Ran;
  readonly diff: string;
}

/** Runs the check. Throws where it could not look. */
async function lookWith(
  formatter: Formatter,
  command: readonly string[],
  input: Input,
  context: ToolContext,
): Promise<Looked> {
  const ran = await runProgram(context, command, options(input));
  const output = commandOutput(ran.outcome);
  const plain = { stdout: plainText(output.stdout), stderr: plainText(output.stderr) };
  const { files, failed } = formatter.read(plain);
  const error = endedEarly(tool.name, command, ran) ??
    (failed.length > 0
      ? null
      : endedBadly(tool.name, command, ran, files.length > 0 ? formatter.good : [0]));
  if (error !== null) throw error;
  const shown = (path: string) => shownPath(context.files, input.cwd ?? ".", path);
  return {
    ran,
    diff: files.reduce((text, file) => text.replaceAll(file, shown(file)), formatter.diff(plain)),
    files: files.map(shown),
    failed: failed.map(({ file, message }) => ({ file: shown(file), message })),
  };
}

function options({ cwd = ".", timeout }: Input) {
  return { cwd, timeoutMs: milliseconds(timeout) };
}

/** What a filter makes of each file, as a diff. */
async function filtered(
  files: readonly string[],
  command: readonly string[],
  input: Input,
  context: ToolContext,
): Promise<string> {
  const before = contentsOf(context.files, files);
  const after = new Map<string, string>();
  for (const [file, text] of before) {
    const stdin = new TextEncoder().encode(text);
    const ran = await runProgram(context, command, { ...options(input), stdin });
    const error = endedEarly(tool.name, command, ran);
    if (error !== null) throw error;
    if (ran.outcome.exitCode === 0) after.set(file, commandOutput(ran.outcome).stdout);
  }
  return diffOf(files, before, after);
}

/** The answer, or COMMAND_FAILED with it where files could not be formatted. */
function answer(
  { check, way }: Input,
  { limits }: ToolContext,
  { files, failed, ran }: Looked,
  { command, diff }: { readonly command: readonly string[]; readonly diff: string },
): Output {
  const dropped = ran.outcome.dropped.stdout + ran.outcome.dropped.stderr;
  const output: Output = {
    changed: files.slice(0, limits.entries),
    total_changed: files.length,
    diff: diff.slice(0, limits.output),
    failed: failed.slice(0, limits.entries),
    tool: way?.tool ?? "",
    command,
    checked_only: check,
    truncated: dropped > 0 || diff.length > limits.output ||
      files.length > Math.min(limits.entries, MAX_DIFFED),
  };
  const [first] = failed;
  if (first === undefined) return output;
  throw new ToolError(
    "COMMAND_FAILED",
    `${tool.name}: ${failed.length} ${
      failed.length === 1 ? "file" : "files"
    } could not be formatted: ` +
      `${first.file}: ${first.message}`,
    { output },
  );
}

/** Texts of the first files; what cannot be read is left out. */
function contentsOf(files: Files, paths: readonly string[]): ReadonlyMap<string, string> {
  const contents = new Map<string, string>();
  for (const path of paths.slice(0, MAX_DIFFED)) {
    try {
      contents.set(path, new TextDecoder().decode(files.read(path, MAX_DIFFED_BYTES).bytes));
    } catch (error) {
      if (!(error instanceof ToolError)) throw error;
    }
  }
  return contents;
}

async function diffOf(
  files: readonly string[],
  before: ReadonlyMap<string, string>,
  after: ReadonlyMap<string, string>,
): Promise<string> {
  if (files.length === 0) return "";
  const { createTwoFilesPatch, FILE_HEADERS_ONLY } = await import("diff");
  return files.map((file) => {
    const old = before.get(file);
    const now = after.get(file);
    if (old === undefined || now === undefined) return "";
    const options = { context: 3, maxEditLength: MAX_EDITS, headerOptions: FILE_HEADERS_ONLY };
    const names = [`a/${file}`, `b/${file}`] as const;
    return createTwoFilesPatch(...names, old, now, undefined, undefined, options) ??
      `--- ${names[0]}\n+++ ${names[1]}\n`;
  }).join("");
}

function choose({ files, tool: asked, check }: Input, facts: Facts): readonly Way[] {
  const names = asked === undefined ? fittingBest(BY_NAME, facts, files) : [asked];
  const ways = names.flatMap((name) =>
    BY_NAME[name]?.commands(facts, files).map((commands) => ({
      tool: name,
      commands: check
        ? [commands.check, ...commands.filter === undefined ? [] : [commands.filter]]
        : [commands.check, commands.write],
    })) ?? []
  );
  if (ways.length > 0) return ways;
  throw nothingFits(
    "formatter",
    Object.keys(FORMATTERS),
    "Name one as tool, name files that one of them formats, or use run_command",
  );
}
