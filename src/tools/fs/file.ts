/** `file`: several file tools under one name, for callers that know one tool with an `operation`. */

import { ToolError } from "../../core/errors.ts";
import { printable } from "../../core/printable.ts";
import type { Schema } from "../../core/schema.ts";
import type { Tool } from "../../core/tool.ts";
import { pathSchema } from "../../toolkit/path_schema.ts";

type Arguments = Readonly<Record<string, unknown>>;

/** What one operation means: a tool, and what that tool calls the arguments that it takes. */
interface Operation {
  readonly tool: string;
  readonly takes: Readonly<Record<string, string>>;
}

const OPERATION_NAMES = ["read", "write", "search", "list", "metadata"] as const;

type OperationName = (typeof OPERATION_NAMES)[number];

const OPERATIONS: Readonly<Record<OperationName, Operation>> = {
  read: { tool: "read_file", takes: same("path", "encoding", "start_line", "end_line") },
  write: {
    tool: "write_file",
    takes: same("path", "content", "encoding", "create_dirs", "validate_syntax", "expected_sha256"),
  },
  search: {
    tool: "search_files",
    takes: {
      ...same("pattern", "path", "literal", "case_sensitive", "context", "hidden", "max_results"),
      glob: "file_pattern",
    },
  },
  list: {
    tool: "list_directory",
    takes: { ...same("path", "pattern", "recursive", "max_depth"), glob: "pattern" },
  },
  metadata: { tool: "get_file_info", takes: same("path") },
};

/** A search without a pattern: which files there are. */
const FIND: Operation = {
  tool: "find_files",
  takes: same("glob", "path", "hidden", "max_results"),
};

const input = {
  type: "object",
  properties: {
    operation: {
      type: "string",
      enum: OPERATION_NAMES,
      description: "What to do.",
    },
    path: pathSchema("File or directory, relative to the workspace or absolute."),
    content: { type: "string", description: "Of write: all that the file is to hold." },
    pattern: {
      type: "string",
      description: "Of search: a regular expression, or plain text where literal is true.",
    },
    glob: {
      type: "string",
      description: "Of search and list: which files, as in *.ts or src/**/*.js.",
    },
    encoding: { type: "string", description: "Of read and write; utf-8 unless told otherwise." },
    start_line: { type: "integer", description: "Of read: the first line, from 1." },
    end_line: { type: "integer", description: "Of read: the last line, included." },
    create_dirs: { type: "boolean", description: "Of write: make missing parents (true)." },
    validate_syntax: {
      type: "boolean",
      description: "Of write: refuse content that is not valid for the file's ending (true).",
    },
    expected_sha256: { type: "string", description: "Of write: write only over this content." },
    literal: { type: "boolean", description: "Of search: take pattern as plain text." },
    case_sensitive: { type: "boolean", description: "Of search: tell upper from lower case." },
    context: { type: "integer", description: "Of search: lines around each match." },
    hidden: { type: "boolean", description: "Of search: hidden files, too." },
    max_results: { type: "integer", description: "Of search: matches to answer at most." },
    recursive: { type: "boolean", description: "Of list: what lies below, too." },
    max_depth: { type: "integer", description: "Of list: how deep recursive goes." },
  },
  required: ["operation"],
} as const satisfies Schema;

const output = { type: "object", additionalProperties: true } as const satisfies Schema;

const tool: Tool<typeof input, typeof output> = {
  name: "file",
  category: "fs",
  description:
    "One name for several file tools. operation says which: read (read_file), write (write_file), search " +
    "(search_files; with glob and no pattern find_files), list (list_directory), metadata " +
    "(get_file_info). Takes that tool's arguments, needs its permission, and answers what it answers.",
  risk: "safe",
  permission: null,
  input,
  output,
  examples: [
    { note: "as read_file", args: { operation: "read", path: "README.md" } },
    { note: "as write_file", args: { operation: "write", path: "notes.md", content: "- one\n" } },
    { note: "as search_files", args: { operation: "search", pattern: "Title", glob: "*.md" } },
    { note: "as find_files", args: { operation: "search", glob: "**/*.ts" } },
    { note: "as list_directory", args: { operation: "list", path: "src" } },
  ],
  describe: ({ operation, path }) =>
    `File ${operation}: ${path === undefined ? "the workspace" : printable(path)}`,
  standsFor: {
    tools: [...Object.values(OPERATIONS), FIND].map((operation) => operation.tool),
    call: ({ operation, ...args }) => {
      const meant = operation === "search" && (args.pattern ?? "") === "" && "glob" in args
        ? FIND
        : OPERATIONS[operation];
      return { tool: meant.tool, args: translate(operation, meant, args) };
    },
  },
  capabilities: () => [],
  run: () => {
    throw new ToolError("INTERNAL_ERROR", "file: the tool that it stands for was not called");
  },
};

export default tool;

/** The same arguments by the tool's names. Throws INVALID_ARGUMENTS for those that it has no use for. */
function translate(name: string, { tool, takes }: Operation, args: Arguments): Arguments {
  const meant = new Map<string, unknown>();
  for (const [key, value] of Object.entries(args)) {
    if (tool === FIND.tool && key === "pattern") continue;
    const own = Object.hasOwn(takes, key) ? takes[key] : undefined;
    if (own === undefined) {
      const known = Object.keys(takes).join(", ");
      throw invalid(`${key}: operation ${name} has no use for it; as ${tool} it takes ${known}`);
    }
    if (meant.has(own)) throw invalid(`${key}: given twice, as ${own} of ${tool}; leave one out`);
    meant.set(own, value);
  }
  return Object.fromEntries(meant);
}

function invalid(message: string): ToolError {
  return new ToolError("INVALID_ARGUMENTS", `file: ${message}`);
}

function same(...names: readonly string[]): Readonly<Record<string, string>> {
  return Object.fromEntries(names.map((name) => [name, name]));
}
