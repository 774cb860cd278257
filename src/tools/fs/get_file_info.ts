/** `get_file_info`: what the file system knows of one path. */

import { printable } from "../../core/printable.ts";
import type { Schema } from "../../core/schema.ts";
import type { Tool } from "../../core/tool.ts";
import { pathSchema } from "../../toolkit/path_schema.ts";

const TIME = "ISO 8601, UTC.";

const input = {
  type: "object",
  properties: { path: pathSchema("What to look at, relative to the workspace or absolute.") },
  required: ["path"],
} as const satisfies Schema;

const output = {
  type: "object",
  properties: {
    path: { type: "string", description: "Relative to the workspace." },
    type: {
      type: "string",
      enum: ["file", "directory", "symlink", "other"],
      description: "other: devices, pipes, sockets.",
    },
    size: { type: "integer", description: "Bytes." },
    permissions: { type: "string", description: "Octal, as chmod takes them: 0644." },
    modified: { type: "string", description: TIME },
    accessed: { type: "string", description: TIME },
    created: {
      oneOf: [{ type: "string" }, { type: "null" }],
      description: `${TIME} Null where the file system keeps none.`,
    },
    target: { type: "string", description: "Of a link: where it points, as it is written." },
  },
  required: ["path", "type", "size", "permissions", "modified", "accessed", "created"],
} as const satisfies Schema;

const tool: Tool<typeof input, typeof output> = {
  name: "get_file_info",
  category: "fs",
  description:
    "Tells type, size, permissions and times of a file, directory or link without reading it. " +
    "Links are not followed: target says where one points.",
  risk: "safe",
  permission: "file_read",
  input,
  output,
  examples: [{ note: "size and times of a file", args: { path: "README.md" } }],
  describe: ({ path }) => `Get file info: ${printable(path)}`,
  capabilities: ({ path }) => [{ kind: "fs.read", path, tree: false, entry: true }],
  run({ path }, { files }) {
    const { type, size, mode, modified, accessed, created, target } = files.info(path);
    return {
      path: files.display(path),
      type,
      size,
      permissions: mode.toString(8).padStart(4, "0"),
      modified: isoTime(modified),
      accessed: isoTime(accessed),
      created: created === null ? null : isoTime(created),
      ...(target === undefined ? {} : { target }),
    };
  },
};

export default tool;

function isoTime(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}
