/** `search_files`: lines that match, in the files of a tree that a person would look at. */

import { ToolError } from "../../core/errors.ts";
import { printable } from "../../core/printable.ts";
import type { Tool, ToolContext } from "../../core/tool.ts";
import { globArgument } from "./_glob_argument.ts";
import { ignoreCapabilities } from "./_ignore_rules.ts";
import { withPartial } from "./_partial.ts";
import { pathSchema } from "./_path_schema.ts";
import { contentsOf } from "./_search_contents.ts";
import { createFilter } from "./_search_filter.ts";
import { findFiles, matchesFile, scanOrVisit } from "./_search_names.ts";
import { compilePattern } from "./_search_pattern.ts";
import type { Scanner } from "./_search_scanner.ts";
import { createTextSearch, type LineMatch } from "./_search_text.ts";

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
  readonly note?: string;
}

/** Larger files are passed over: what people write is far smaller, and memory must stay bounded. */
const LARGEST_FILE = 32 * 1024 * 1024;

/** Characters of lines in one answer, about: matches beyond them are counted and not shown. */
const MOST_SHOWN = 256 * 1024;

/** Bytes between two looks at whether the call is to end, and what a file costs beside its bytes. */
const PAUSE_BYTES = 1024 * 1024;
const FILE_COST = 8 * 1024;

/** Files between two events on progress. */
const PROGRESS = 500;

const LINES = { type: "array", items: { type: "string" } } as const;

const tool: Tool<Input, Output> = {
  name: "search_files",
  category: "fs",
  description:
    "Searches files for lines that match a JavaScript regular expression, or hold a literal text. Each matching line " +
    "comes once, with file, line, column and content, in the order of paths. Lines are matched one by one: no pattern " +
    "spans lines, ^ and $ are their ends. (?i) may begin a pattern. Passed over are binary files, .git, node_modules, " +
    "what .gitignore and .ignore files name, and hidden files unless hidden is true. With file_pattern alone (no " +
    "pattern) it finds files by name.",
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
        description: "Glob for the files to search: *.ts, src/**/*.{js,ts}; !*.min.js for all but.",
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
      files_searched: { type: "integer", description: "Files that were looked into." },
      files_skipped: {
        type: "integer",
        description:
          "Files passed over for being binary (a NUL in the first 8 KiB), over 32 MiB, or not to be read.",
      },
      truncated: { type: "boolean", description: "Whether there are more matches than these." },
      note: { type: "string", description: "Where nothing was found: what to look at." },
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
    compilePattern(input);
    globArgument("file_pattern", input.file_pattern);
  },
  capabilities: ({ path }) => [{ kind: "fs.read", path, tree: true }, ...ignoreCapabilities(path)],
  prepare: () => import("./_search_scanner.ts"),
  run: (input, context) =>
    input.pattern === "" ? findByName(input, context) : search(input, context),
};

export default tool;

async function search(input: Input, context: ToolContext): Promise<Output> {
  const { createScanner } = await import("./_search_scanner.ts");
  const pattern = compilePattern(input);
  const scanner = createScanner(pattern);
  const searchText = createTextSearch(pattern);
  const wanted = Math.min(input.max_results ?? context.limits.matches, context.limits.matches);
  const matches: Match[] = [];
  let shown = 0;
  let total = 0;
  let searched = 0;
  let skipped = 0;
  let bytes = 0;
  let unchecked = 0;
  const visit = (path: string, length: number | null): void => {
    unchecked += FILE_COST + (length ?? 0);
    if (unchecked > PAUSE_BYTES) {
      context.checkpoint();
      unchecked = 0;
    }
    const contents = length === null ? null : contentsOf(scanner, length, input.context);
    if (length === null || contents === null || contents.binary) {
      skipped++;
      return;
    }
    if (++searched % PROGRESS === 0) context.progress(searched, null, "files");
    bytes += length;
    if (contents.pieces === null) return;
    const result = searchText(contents.pieces, {
      wanted: shown < MOST_SHOWN ? wanted - matches.length : 0,
      context: input.context,
      pause: context.checkpoint,
    });
    total += result.total;
    for (const found of result.matches) {
      if (shown >= MOST_SHOWN) break;
      const match = { file: path, ...found };
      shown += sizeOf(match);
      matches.push(match);
    }
  };
  const glob = globArgument("file_pattern", input.file_pattern);
  const found = (): Output => ({
    matches,
    total_matches: total,
    files_searched: searched,
    files_skipped: skipped,
    truncated: total > matches.length,
  });
  try {
    scanOrVisit(input.path, context, () => {
      const filter = createFilter({ ...input, glob }, context);
      context.files.scan(
        input.path,
        { filter, room: scanner, limit: LARGEST_FILE },
        (file) => visit(file.path, file.length),
      );
    }, (file) => {
      if (matchesFile(glob, file)) visit(file, readInto(scanner, input.path, context));
    });
  } catch (error) {
    throw withPartial(error, () => ({ ...found(), truncated: true }));
  }
  context.count("bytes_read", bytes);
  return total === 0 ? { ...found(), ...noteOn(input, searched) } : found();
}

/** The file that was named, of any age and place; null where it is too large. */
function readInto(scanner: Scanner, path: string, { files }: ToolContext): number | null {
  try {
    const { bytes } = files.read(path, LARGEST_FILE);
    scanner.grow(bytes.length);
    scanner.bytes.set(bytes);
    return bytes.length;
  } catch (error) {
    if (error instanceof ToolError && error.code === "FILE_TOO_LARGE") return null;
    throw error;
  }
}

function findByName(input: Input, context: ToolContext): Output {
  const { limits } = context;
  const { found, total } = findFiles({
    ...input,
    glob: globArgument("file_pattern", input.file_pattern),
    wanted: Math.min(input.max_results ?? limits.matches, limits.matches),
  }, context);
  return {
    matches: found.map((file) => ({ file, line: 0, column: 0, content: "" })),
    total_matches: total,
    files_searched: total,
    files_skipped: 0,
    truncated: total > found.length,
  };
}

/** Characters of a match, about. */
function sizeOf({ file, content, before = [], after = [] }: Match): number {
  return [file, content, ...before, ...after].reduce((sum, text) => sum + text.length, 0);
}

/** What most often stands behind an answer without matches. */
function noteOn({ pattern, literal, file_pattern }: Input, searched: number): { note?: string } {
  if (searched === 0) {
    const wanted = file_pattern === undefined ? "no file" : "no file that file_pattern matches";
    return {
      note:
        `${wanted} was looked into; hidden files (hidden: true takes them), .git, node_modules and what ` +
        "ignore files name are passed over",
    };
  }
  const escaped = literal ? null : /\\[|(){}+?]/.exec(pattern);
  if (escaped === null) return {};
  const [sign] = escaped;
  return { note: `${sign} is a plain ${sign[1]} here; without the backslash it has its meaning` };
}
