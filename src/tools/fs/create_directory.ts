/** `create_directory`: makes a directory, with its parents where they are missing. */

import { printable } from "../../core/printable.ts";
import type { Schema } from "../../core/schema.ts";
import type { Tool } from "../../core/tool.ts";
import { findIfAllowed } from "./_find_if_allowed.ts";
import { pathSchema } from "../../toolkit/path_schema.ts";

const input = {
  type: "object",
  properties: {
    path: pathSchema("The directory, relative to the workspace or absolute."),
    parents: {
      type: "boolean",
      default: true,
      description: "Make missing parent directories, too.",
    },
  },
  required: ["path"],
} as const satisfies Schema;

const output = {
  type: "object",
  properties: {
    path: { type: "string", description: "The directory, relative to the workspace." },
    created: { type: "boolean", description: "Whether it was not there before." },
  },
  required: ["path", "created"],
} as const satisfies Schema;

const tool: Tool<typeof input, typeof output> = {
  name: "create_directory",
  category: "fs",
  description:
    "Makes a directory, and its parents unless parents is false. Where it is there already nothing " +
    "happens: created says which.",
  risk: "moderate",
  permission: "file_write",
  input,
  output,
  examples: [{ note: "with its parents", args: { path: "src/tools/fs" } }],
  describe: ({ path }) => `Create directory: ${printable(path)}`,
  capabilities: ({ path }) => [{ kind: "fs.write", path, tree: true }],
  previewReads: ({ path }) => [{ path, tree: false }],
  preview({ path }, context) {
    const found = findIfAllowed(path, context);
    return {
      path: context.files.display(path),
      created: found === undefined ? null : found === null,
    };
  },
  run({ path, parents }, { files }) {
    const { created } = files.createDirectory(path, { parents });
    return { path: files.display(path), created };
  },
};

export default tool;
