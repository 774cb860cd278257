/** `measure_code_complexity`: how hard functions are to test and to follow, the worst first. */

import { LANGUAGE_NAMES } from "../../toolkit/code/languages/languages.ts";
import { ToolError } from "../../core/errors.ts";
import { printable } from "../../core/printable.ts";
import type { Infer, Schema } from "../../core/schema.ts";
import type { ReadContext, Tool, ToolContext } from "../../core/tool.ts";
import { loadValidators } from "../../syntax/validators.ts";
import { ignoreCapabilities } from "../../toolkit/ignore_rules.ts";
import { pathSchema } from "../../toolkit/path_schema.ts";
import { measure, type Measures } from "./_complexity.ts";
import { FILE, LINE, PATH, SKIPPED, SKIPPED_TOTAL, skippedOf } from "./_schemas.ts";
import { helpWalk, isCode, type Seen, type Walk, walkCode } from "./_walk.ts";

/** How many functions `worst` names. */
const WORST = 10;

/** What functions may be sorted by. */
const MEASURES = ["cyclomatic", "cognitive", "nloc", "parameters", "nesting"] as const;

const input = {
  type: "object",
  properties: {
    path: PATH,
    files: {
      type: "array",
      minItems: 1,
      maxItems: 1_000,
      items: pathSchema("A file, or a directory."),
      description: "Files to measure, in the place of path.",
    },
    sort: {
      type: "string",
      enum: MEASURES,
      default: "cyclomatic",
      description: "The measure by which the worst come first.",
    },
    max_results: {
      type: "integer",
      minimum: 1,
      description: "Functions to answer at most; the policy caps it (500 by default).",
    },
  },
} as const satisfies Schema;

const CYCLOMATIC = {
  type: "integer",
  description: "McCabe: 1, and 1 for each branch, loop, case, handler, &&, || and ?:.",
} as const;
const COGNITIVE = {
  type: "integer",
  description: "As SonarSource defines it: what breaks the flow, the more the deeper it is nested.",
} as const;
const NLOC = {
  type: "integer",
  description: "Lines of code, comments and blanks left out.",
} as const;

const MEASURED = {
  type: "object",
  properties: {
    file: FILE,
    name: { type: "string", description: "With its class: Class.method." },
    line: LINE,
    end_line: { type: "integer", description: "Its last line." },
    cyclomatic: CYCLOMATIC,
    cognitive: COGNITIVE,
    nloc: NLOC,
    parameters: { type: "integer", description: "How many it takes." },
    nesting: {
      type: "integer",
      description: "How deep its branches and loops lie in one another.",
    },
  },
  required: [
    "file",
    "name",
    "line",
    "end_line",
    "cyclomatic",
    "cognitive",
    "nloc",
    "parameters",
    "nesting",
  ],
} as const;

const SUMS = {
  functions: { type: "integer", description: "How many functions." },
  cyclomatic: { type: "integer", description: "Sum of its functions'." },
  cognitive: { type: "integer", description: "Sum of its functions'." },
  nloc: { type: "integer", description: "Lines of code in functions." },
} as const;

const output = {
  type: "object",
  properties: {
    functions: { type: "array", items: MEASURED, description: "The worst first." },
    files: {
      type: "array",
      description: "The worst first.",
      items: {
        type: "object",
        properties: { file: FILE, ...SUMS },
        required: ["file", "functions", "cyclomatic", "cognitive", "nloc"],
      },
    },
    worst: { type: "array", items: MEASURED, description: "The ten worst functions." },
    totals: {
      type: "object",
      description: "Of all files.",
      properties: {
        files: { type: "integer", description: "How many." },
        ...SUMS,
        mean_cyclomatic: { type: "number", description: "Of a function." },
        mean_cognitive: { type: "number", description: "Of a function." },
      },
      required: ["files", "functions", "cyclomatic", "cognitive", "nloc"],
    },
    skipped: SKIPPED,
    skipped_total: SKIPPED_TOTAL,
    truncated: { type: "boolean", description: "Whether there are more functions or files." },
  },
  required: ["functions", "files", "worst", "totals", "skipped", "skipped_total", "truncated"],
} as const satisfies Schema;

type Input = Infer<typeof input>;
type Output = Infer<typeof output>;

/** As it goes from thread to thread: name, line, last line, and the measures in their order. */
type Row = readonly [string, number, number, number, number, number, number, number];

/** What a file gives: how many functions, their sums, and of them those that may be among the worst. */
interface Measured {
  readonly sums: Sums;
  readonly rows: readonly Row[];
}

interface Sums {
  readonly functions: number;
  readonly cyclomatic: number;
  readonly cognitive: number;
  readonly nloc: number;
}

const tool: Tool<typeof input, typeof output> = {
  name: "measure_code_complexity",
  category: "analysis",
  description:
    "Measures each function of files or a directory: cyclomatic and cognitive complexity, lines of code, parameters and " +
    "nesting, the worst first, with sums by file and in all. Functions within functions are measured apart; cyclomatic " +
    "complexity leaves them out, cognitive takes them in. " +
    `${LANGUAGE_NAMES}.`,
  risk: "safe",
  long: true,
  permission: "file_read",
  input,
  output,
  examples: [
    { note: "the worst functions of a tree", args: { path: "src", max_results: 20 } },
    {
      note: "two files, by what is hard to follow",
      args: { files: ["src/main.ts", "src/a_test.ts"], sort: "cognitive" },
    },
  ],
  describe: (given) => `Measure code complexity: ${printable(pathsOf(given).join(", "), 200)}`,
  check(given) {
    if (given.files !== undefined && given.path !== PATH.default) {
      throw new ToolError("INVALID_ARGUMENTS", "files: give path or files, not both");
    }
  },
  capabilities: (given) =>
    pathsOf(given).flatMap((path) => [
      { kind: "fs.read", path, tree: true } as const,
      ...ignoreCapabilities(path),
    ]),
  prepare: loadValidators,
  help: (given, context) => helpWalk(walkOf(given, context), context),
  run: (given, context) =>
    walkCode(walkOf(given, context), context, (seen) => outputOf(given, context, seen)),
};

export default tool;

function pathsOf({ path, files }: Input): readonly string[] {
  return files === undefined ? [path] : [...new Set(files)];
}

function walkOf(given: Input, context: ReadContext): Walk<Measured> {
  return {
    paths: pathsOf(given),
    takes: isCode,
    again: true,
    look(file) {
      const rows = measure(file).map(rowOf);
      return { sums: sumsOf(rows), rows };
    },
    cost: ({ rows }) => rows.length,
    trim(results) {
      const worst = new Set(worstOf(results.flatMap(({ rows }) => rows), given, context));
      return results.map(({ sums, rows }) => ({
        sums,
        rows: rows.filter((row) => worst.has(row)),
      }));
    },
  };
}

function wantedOf({ max_results }: Input, { limits }: ReadContext): number {
  return Math.min(max_results ?? limits.entries, limits.entries);
}

/** As many as are wanted. Sorting keeps the order of paths and lines where nothing tells functions apart. */
function worstOf(rows: readonly Row[], given: Input, context: ReadContext): readonly Row[] {
  const column = MEASURES.indexOf(given.sort) + 3;
  return rows.toSorted((a, b) =>
    (b[column] as number) - (a[column] as number) || b[3] - a[3] || b[4] - a[4]
  ).slice(0, wantedOf(given, context));
}

function rowOf(measures: Measures): Row {
  const { name, line, end_line, cyclomatic, cognitive, nloc, parameters, nesting } = measures;
  return [name, line, end_line, cyclomatic, cognitive, nloc, parameters, nesting];
}

function measuredOf(file: string, row: Row): Output["functions"][number] {
  const [name, line, end_line, cyclomatic, cognitive, nloc, parameters, nesting] = row;
  return { file, name, line, end_line, cyclomatic, cognitive, nloc, parameters, nesting };
}

function outputOf(
  given: Input,
  context: ToolContext,
  seen: readonly Seen<Measured>[],
): Output {
  context.count("bytes_read", seen.reduce((sum, { bytes }) => sum + bytes, 0));
  const measured = seen.flatMap(({ path, result }) =>
    result === undefined ? [] : [{ path, ...result }]
  );
  const wanted = wantedOf(given, context);
  const fileOf = new Map(measured.flatMap(({ path, rows }) => rows.map((row) => [row, path])));
  const functions = worstOf([...fileOf.keys()], given, context)
    .map((row) => measuredOf(fileOf.get(row) ?? "", row));
  const files = measured.map(({ path, sums }) => ({ file: path, ...sums }))
    .filter((file) => file.functions > 0)
    .sort((a, b) => b.cyclomatic - a.cyclomatic || b.cognitive - a.cognitive);
  const sum = (of: keyof Sums) => files.reduce((total, file) => total + file[of], 0);
  const totals = {
    files: measured.length,
    functions: sum("functions"),
    cyclomatic: sum("cyclomatic"),
    cognitive: sum("cognitive"),
    nloc: sum("nloc"),
  };
  return {
    functions,
    files: files.slice(0, wanted),
    worst: functions.slice(0, WORST),
    totals: { ...totals, ...meansOf(totals) },
    ...skippedOf(seen),
    truncated: functions.length < totals.functions || files.length > wanted,
  };
}

function sumsOf(rows: readonly Row[]): Sums {
  const sum = (column: 3 | 4 | 5) => rows.reduce((total, row) => total + row[column], 0);
  return { functions: rows.length, cyclomatic: sum(3), cognitive: sum(4), nloc: sum(5) };
}

function meansOf(
  { functions, cyclomatic, cognitive }: {
    readonly functions: number;
    readonly cyclomatic: number;
    readonly cognitive: number;
  },
): { mean_cyclomatic?: number; mean_cognitive?: number } {
  if (functions === 0) return {};
  const mean = (total: number) => Math.round(100 * total / functions) / 100;
  return { mean_cyclomatic: mean(cyclomatic), mean_cognitive: mean(cognitive) };
}
