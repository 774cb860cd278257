/** `list_directory`: what lies in a directory, and below it where asked. */

import { printable } from "../../core/printable.ts";
import type { Schema } from "../../core/schema.ts";
import type { FileType, Tool } from "../../core/tool.ts";
import { globArgument, pathBelow } from "../../toolkit/glob_argument.ts";
import { pathSchema } from "../../toolkit/path_schema.ts";

interface Entry {
  readonly name: string;
  readonly path: string;
  readonly type: FileType;
  readonly size: number;
}

const input = {
  type: "object",
  properties: {
    path: {
      ...pathSchema("The directory, relative to the workspace or absolute."),
      default: ".",
    },
    recursive: { type: "boolean", default: false, description: "List what lies below, too." },
    pattern: {
      type: "string",
      minLength: 1,
      maxLength: 1000,
      description:
        "Glob (* ? [a-z] {a,b} **, ! first for all but): without a slash it is matched against names, else " +
        "against paths below the directory.",
    },
    max_depth: {
      type: "integer",
      minimum: 1,
      description: "How deep recursive goes, 1 being the directory itself; the policy caps it.",
    },
  },
} as const satisfies Schema;

const output = {
  type: "object",
  properties: {
    entries: {
      type: "array",
      description: "Sorted by path, part by part.",
      items: {
        type: "object",
        properties: {
          name: { type: "string", description: "Last part of the path." },
          path: { type: "string", description: "Relative to the workspace." },
          type: {
            type: "string",
            enum: ["file", "directory", "symlink", "other"],
            description: "Links are not followed.",
          },
          size: { type: "integer", description: "Bytes." },
        },
        required: ["name", "path", "type", "size"],
      },
    },
    total: { type: "integer", description: "How many entries there are." },
    path: { type: "string", description: "The directory, relative to the workspace." },
    truncated: { type: "boolean", description: "Whether total is more than entries has." },
  },
  required: ["entries", "total", "path", "truncated"],
} as const satisfies Schema;

const tool: Tool<typeof input, typeof output> = {
  name: "list_directory",
  category: "fs",
  description:
    "Lists a directory: name, path, type and size of each entry, sorted by name; hidden ones too. recursive " +
    "goes down to max_depth (5 by default and at most), never through links. pattern keeps what a " +
    "glob matches. At most 500 entries come back; total counts all.",
  risk: "safe",
  permission: "file_read",
  input,
  output,
  examples: [
    { note: "the workspace", args: {} },
    { note: "all TypeScript below src", args: { path: "src", recursive: true, pattern: "*.ts" } },
  ],
  describe: ({ path }) => `List directory: ${printable(path)}`,
  check: ({ pattern }) => void globArgument("pattern", pattern),
  capabilities: ({ path }) => [{ kind: "fs.read", path, tree: true }],
  run({ path, recursive, pattern, max_depth }, context) {
    const { files, limits } = context;
    const { matches } = globArgument("pattern", pattern);
    const directory = files.display(path);
    const maxDepth = recursive ? Math.min(max_depth ?? limits.depth, limits.depth) : 1;
    const entries: Entry[] = [];
    let total = 0;
    for (const { name, path: at, type, size } of files.walk(path, { maxDepth, sizes: true })) {
      if (total % 256 === 0) context.checkpoint();
      if (pattern !== undefined && !matches(pathBelow(directory, at))) continue;
      total++;
      if (entries.length < limits.entries) entries.push({ name, path: at, type, size });
    }
    return { entries, total, path: directory, truncated: total > entries.length };
  },
};

export default tool;
