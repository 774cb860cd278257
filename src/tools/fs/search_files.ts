/** `search_files`: lines that match, in the files of a tree that a person would look at. */

import { ToolError } from "../../core/errors.ts";
import { printable } from "../../core/printable.ts";
import type { ScannedFile, SharedScan } from "../../core/scan.ts";
import type { Infer, Schema } from "../../core/schema.ts";
import type { ReadContext, Tool, ToolContext } from "../../core/tool.ts";
import { createFilter } from "../../toolkit/file_filter.ts";
import { globArgument } from "../../toolkit/glob_argument.ts";
import { ignoreCapabilities } from "../../toolkit/ignore_rules.ts";
import { withPartial } from "../../toolkit/partial.ts";
import { pathSchema } from "../../toolkit/path_schema.ts";
import { scanOrVisit } from "../../toolkit/scan_or_visit.ts";
import { Findings, type SearchPart, Tally } from "./search/findings.ts";
import { createFileSearch } from "./search/file_search.ts";
import { findFiles, matchesFile } from "./search/names.ts";
import { compilePattern } from "./search/pattern.ts";
import type { Scanner } from "./search/scanner.ts";

/** Larger files are passed over: what people write is far smaller, and memory must stay bounded. */
const LARGEST_FILE = 32 * 1024 * 1024;

/** Files between two events on progress. */
const PROGRESS = 500;

const LINES = { type: "array", items: { type: "string" } } as const;

const input = {
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
} as const satisfies Schema;

const output = {
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
} as const satisfies Schema;

type Input = Infer<typeof input>;
type Output = Infer<typeof output>;

const tool: Tool<typeof input, typeof output> = {
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
  input,
  output,
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
  prepare: () => import("./search/scanner.ts"),
  help,
  run: (input, context) =>
    input.pattern === "" ? findByName(input, context) : search(input, context),
};

export default tool;

async function search(input: Input, context: ToolContext): Promise<Output> {
  const fileSearch = await createFileSearch(input, context);
  const tally = new Tally(wantedOf(input, context));
  let told = 0;
  const tell = () => {
    for (; tally.searched >= told + PROGRESS; told += PROGRESS) {
      context.progress(told + PROGRESS, null, "files");
    }
  };
  const visit = (file: ScannedFile): void => {
    fileSearch.into(file, tally.at(file.place));
    tell();
  };
  const shared: SharedScan = {
    wanted: (place) => tally.wanted(place),
    take(place, findings) {
      tally.put(place, JSON.parse(findings) as SearchPart);
      tell();
    },
  };
  const glob = globArgument("file_pattern", input.file_pattern);
  try {
    scanOrVisit(input.path, context, () => {
      const filter = createFilter({ ...input, glob }, context);
      const options = { filter, room: fileSearch.scanner, limit: LARGEST_FILE, shared };
      context.files.scan(input.path, options, visit);
    }, (path) => {
      if (!matchesFile(glob, path)) return;
      const length = readInto(fileSearch.scanner, input.path, context);
      context.timed(() => visit({ path, length, place: 0 }));
    });
  } catch (error) {
    throw withPartial(error, () => ({ ...outputOf(tally.result()), truncated: true }));
  }
  const found = tally.result();
  context.count("bytes_read", found.bytes);
  return { ...outputOf(found), ...(found.total === 0 ? noteOn(input, found.searched) : {}) };
}

/** Looks at some of the files in another thread's stead. */
async function help(input: Input, context: ReadContext): Promise<void> {
  if (input.pattern === "") return;
  const fileSearch = await createFileSearch(input, context);
  const reading = { room: fileSearch.scanner, limit: LARGEST_FILE };
  context.files.help(input.path, reading, (wanted, scan) => {
    const findings = new Findings(wanted);
    scan((file) => fileSearch.into(file, findings));
    return JSON.stringify(findings);
  });
}

function wantedOf({ max_results }: Input, { limits }: ReadContext): number {
  return Math.min(max_results ?? limits.matches, limits.matches);
}

function outputOf({ matches, total, searched, skipped }: SearchPart): Output {
  return {
    matches,
    total_matches: total,
    files_searched: searched,
    files_skipped: skipped,
    truncated: total > matches.length,
  };
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
  const { found, total } = findFiles({
    ...input,
    glob: globArgument("file_pattern", input.file_pattern),
    wanted: wantedOf(input, context),
  }, context);
  return {
    matches: found.map((file) => ({ file, line: 0, column: 0, content: "" })),
    total_matches: total,
    files_searched: total,
    files_skipped: 0,
    truncated: total > found.length,
  };
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
