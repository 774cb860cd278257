/** `search_files`: lines that match, in the files of a tree that a person would look at. */

import { ToolError } from "../../core/errors.ts";
import { printable, quoted } from "../../core/printable.ts";
import type { Capability } from "../../core/capability.ts";
import type { Tool, ToolContext, WalkEntry } from "../../core/tool.ts";
import { looksBinary } from "./_decode.ts";
import { globArgument, pathBelow } from "./_glob_argument.ts";
import { createIgnoreRules, ignoreFilesAbove, type IgnoreRules } from "./_ignore_rules.ts";
import { pathSchema } from "./_path_schema.ts";
import { type LineMatch, searchText } from "./_search_text.ts";

interface Input {
  readonly pattern: string;
  readonly path: string;
  readonly file_pattern?: string;
  readonly literal: boolean;
  readonly case_sensitive: boolean;
  readonly context: number;
  readonly hidden: boolean;
  readonly max_results?: number;
}

interface Match extends LineMatch {
  readonly file: string;
}

interface Output {
  readonly matches: readonly Match[];
  readonly total_matches: number;
  readonly files_searched: number;
  readonly files_skipped: number;
  readonly truncated: boolean;
}

/** Larger files are passed over: what people write is far smaller, and memory must stay bounded. */
const LARGEST_FILE = 32 * 1024 * 1024;

/** Never entered: what lies there is Git's or somebody else's. */
const PASSED_OVER: ReadonlySet<string> = new Set([".git", "node_modules"]);

const LINES = { type: "array", items: { type: "string" } } as const;

const tool: Tool<Input, Output> = {
  name: "search_files",
  category: "fs",
  description:
    "Searches files for lines that match a JavaScript regular expression, or hold a literal text. " +
    "Each matching line comes once, with file, line, column and content, in the order of paths. " +
    "Binary files, .git, node_modules, what .gitignore names and, unless hidden is true, hidden files are " +
    "passed over. With file_pattern alone (no pattern) it finds files by name.",
  risk: "safe",
  long: true,
  permission: "file_read",
  input: {
    type: "object",
    properties: {
      pattern: {
        type: "string",
        maxLength: 10_000,
        default: "",
        description: "What to look for in each line; a regular expression unless literal is true.",
      },
      path: {
        ...pathSchema("Directory or file to search, relative to the workspace or absolute."),
        default: ".",
      },
      file_pattern: {
        type: "string",
        minLength: 1,
        maxLength: 1000,
        description: "Glob for the files to search: *.ts, src/**/*.{js,ts}.",
      },
      literal: { type: "boolean", default: false, description: "Take pattern as plain text." },
      case_sensitive: {
        type: "boolean",
        default: true,
        description: "Tell upper from lower case.",
      },
      context: {
        type: "integer",
        minimum: 0,
        maximum: 50,
        default: 0,
        description: "Lines to show before and after each match.",
      },
      hidden: {
        type: "boolean",
        default: false,
        description: "Search files and directories whose names begin with a dot, too.",
      },
      max_results: {
        type: "integer",
        minimum: 1,
        description: "Matches to answer at most; the policy caps it (50 by default).",
      },
    },
  },
  output: {
    type: "object",
    properties: {
      matches: {
        type: "array",
        description: "Without a pattern: one a file, with line and column 0.",
        items: {
          type: "object",
          properties: {
            file: { type: "string", description: "Relative to the workspace." },
            line: { type: "integer", description: "From 1." },
            column: { type: "integer", description: "Of the first match in the line, from 1." },
            content: { type: "string", description: "The line; long ones are cut with …" },
            before: { ...LINES, description: "Lines before it." },
            after: { ...LINES, description: "Lines after it." },
          },
          required: ["file", "line", "column", "content"],
        },
      },
      total_matches: { type: "integer", description: "Matching lines in all files." },
      files_searched: { type: "integer", description: "Files whose lines were looked at." },
      files_skipped: {
        type: "integer",
        description: "Files passed over for being binary, over 32 MiB, or not to be read.",
      },
      truncated: { type: "boolean", description: "Whether there are more matches than these." },
    },
    required: ["matches", "total_matches", "files_searched", "files_skipped", "truncated"],
  },
  examples: [
    {
      note: "a function in TypeScript files",
      args: { pattern: "function \\w+Error", file_pattern: "*.ts" },
    },
    {
      note: "plain text, in any case",
      args: { pattern: "a[0]", literal: true, case_sensitive: false },
    },
    { note: "files by name", args: { file_pattern: "**/*_test.ts" } },
  ],
  describe: ({ pattern, path, file_pattern }) =>
    pattern === ""
      ? `Find files: ${printable(file_pattern ?? "", 100)} in ${printable(path, 100)}`
      : `Search files: ${printable(pattern, 100)} in ${printable(path, 100)}`,
  check(input) {
    if (input.pattern === "" && input.file_pattern === undefined) {
      throw new ToolError(
        "INVALID_ARGUMENTS",
        "pattern: missing; say what to look for, or which files to find with file_pattern",
      );
    }
    expressionOf(input);
    globArgument("file_pattern", input.file_pattern);
  },
  capabilities: ({ path }) => [
    { kind: "fs.read", path, tree: true },
    ...ignoreFilesAbove(path).map((file): Capability => (
      { kind: "fs.read", path: file, tree: false, optional: true }
    )),
  ],
  prepare: () => import("ignore"),
  run: search,
};

export default tool;

/** Throws INVALID_PATTERN. */
function expressionOf({ pattern, literal, case_sensitive }: Input): RegExp {
  const source = literal ? pattern.replaceAll(/[\\^$.*+?()[\]{}|/]/g, "\\$&") : pattern;
  try {
    return new RegExp(source, case_sensitive ? "" : "i");
  } catch (error) {
    const why = error instanceof SyntaxError ? error.message.replace(/^.*\/[a-z]*: /s, "") : "";
    throw new ToolError(
      "INVALID_PATTERN",
      `pattern: ${
        quoted(pattern)
      } is no regular expression: ${why}; literal: true takes it as plain text`,
    );
  }
}

async function search(input: Input, context: ToolContext): Promise<Output> {
  const { files, limits } = context;
  const wanted = Math.min(input.max_results ?? limits.matches, limits.matches);
  const expression = input.pattern === "" ? null : expressionOf(input);
  const matches: Match[] = [];
  let total = 0;
  let searched = 0;
  let skipped = 0;
  const start = context.files.display(input.path);
  const rules = await createIgnoreRules(start, ignoreFilesAbove(input.path), context);
  for (const file of candidates(input, context, rules)) {
    context.checkpoint();
    if (expression === null) {
      searched++;
      total++;
      if (matches.length < wanted) {
        matches.push({ file: files.display(file), line: 0, column: 0, content: "" });
      }
      continue;
    }
    const text = textOf(file, context);
    if (text === null) {
      skipped++;
      continue;
    }
    searched++;
    if (searched % 500 === 0) context.progress(searched, null, "files");
    const found = searchText(text, expression, {
      wanted: wanted - matches.length,
      context: input.context,
      pause: context.checkpoint,
    });
    total += found.total;
    const shown = files.display(file);
    for (const match of found.matches) matches.push({ file: shown, ...match });
  }
  return {
    matches,
    total_matches: total,
    files_searched: searched,
    files_skipped: skipped,
    truncated: total > matches.length,
  };
}

/** The files to look at, in the order of paths, `.gitignore` files read on the way. */
function* candidates(input: Input, context: ToolContext, rules: IgnoreRules): Iterable<string> {
  const { files } = context;
  const start = files.display(input.path);
  const matches = globArgument("file_pattern", input.file_pattern);
  const isPassedOver = ({ name, path, type }: WalkEntry) =>
    (name.startsWith(".") && !input.hidden) || PASSED_OVER.has(name) ||
    rules.ignores(path, type === "directory");
  const enter = (entry: WalkEntry) => {
    context.checkpoint();
    if (isPassedOver(entry)) return false;
    rules.add(entry.path);
    return true;
  };
  rules.add(start);
  try {
    for (const entry of files.walk(input.path, { maxDepth: Infinity, sizes: false, enter })) {
      if (entry.type !== "file" || isPassedOver(entry)) continue;
      if (matches(pathBelow(start, entry.path)) || matches(entry.path)) yield entry.path;
    }
  } catch (error) {
    if (!(error instanceof ToolError) || error.code !== "NOT_A_DIRECTORY") throw error;
    if (matches(start)) yield input.path;
  }
}

/** Null for what is binary, too large, gone, or not to be read. */
function textOf(path: string, context: ToolContext): string | null {
  try {
    const { bytes } = context.files.read(path, LARGEST_FILE);
    context.count("bytes_read", bytes.length);
    return looksBinary(bytes) ? null : new TextDecoder().decode(bytes);
  } catch (error) {
    if (!(error instanceof ToolError) || error.code === "CANCELLED" || error.code === "TIMEOUT") {
      throw error;
    }
    return null;
  }
}
