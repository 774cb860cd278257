/** `find_files`: the files of a tree whose names or paths match a glob. */

import { printable } from "../../core/printable.ts";
import type { Schema } from "../../core/schema.ts";
import type { Tool } from "../../core/tool.ts";
import { globArgument } from "../../toolkit/glob_argument.ts";
import { ignoreCapabilities } from "../../toolkit/ignore_rules.ts";
import { pathSchema } from "../../toolkit/path_schema.ts";
import { findFiles } from "./search/names.ts";

const input = {
  type: "object",
  properties: {
    glob: {
      type: "string",
      minLength: 1,
      maxLength: 1000,
      description:
        "Glob: *.ts, src/**/*.{js,ts}; !*.min.js for all but. Below path, or from the workspace.",
    },
    path: {
      ...pathSchema("Directory to look in, relative to the workspace or absolute."),
      default: ".",
    },
    hidden: {
      type: "boolean",
      default: false,
      description: "Find files and look into directories whose names begin with a dot, too.",
    },
    max_results: {
      type: "integer",
      minimum: 1,
      description: "Files to answer at most; the policy caps it (500 by default).",
    },
  },
  required: ["glob"],
} as const satisfies Schema;

const output = {
  type: "object",
  properties: {
    files: {
      type: "array",
      items: { type: "string" },
      description: "Relative to the workspace, in the order of paths.",
    },
    total: { type: "integer", description: "How many files match." },
    truncated: { type: "boolean", description: "Whether total is more than files has." },
  },
  required: ["files", "total", "truncated"],
} as const satisfies Schema;

const tool: Tool<typeof input, typeof output> = {
  name: "find_files",
  category: "fs",
  description:
    "Finds files by glob: their paths, in the order of paths, directories and links left out. A glob without a slash is " +
    "matched against names (*.ts finds src/a.ts), any other against paths (src/**/*.{js,ts}). Passed over are .git, " +
    "node_modules, what .gitignore and .ignore files name, and hidden files unless the glob names a part that begins " +
    "with a dot or hidden is true. At most 500 files come back; total counts all.",
  risk: "safe",
  long: true,
  permission: "file_read",
  input,
  output,
  examples: [
    { note: "all tests in TypeScript", args: { glob: "**/*_test.ts" } },
    { note: "by a part of the name, below one directory", args: { glob: "*config*", path: "src" } },
  ],
  describe: ({ glob, path }) => `Find files: ${printable(glob, 100)} in ${printable(path, 100)}`,
  check: ({ glob }) => void globArgument("glob", glob),
  capabilities: ({ path }) => [{ kind: "fs.read", path, tree: true }, ...ignoreCapabilities(path)],
  run(input, context) {
    const { entries } = context.limits;
    const glob = globArgument("glob", input.glob);
    const { found, total } = findFiles({
      path: input.path,
      glob,
      hidden: input.hidden || glob.namesHidden,
      wanted: Math.min(input.max_results ?? entries, entries),
    }, context);
    return { files: found, total, truncated: total > found.length };
  },
};

export default tool;
