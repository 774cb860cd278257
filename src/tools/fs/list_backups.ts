/** `list_backups`: the copies that were kept of a file before it was changed. */

import { printable } from "../../core/printable.ts";
import type { Schema } from "../../core/schema.ts";
import type { Tool } from "../../core/tool.ts";
import { pathSchema } from "../../toolkit/path_schema.ts";

const input = {
  type: "object",
  properties: { path: pathSchema("The file whose backups are asked for, not a backup.") },
  required: ["path"],
} as const satisfies Schema;

const output = {
  type: "object",
  properties: {
    backups: {
      type: "array",
      description: "Oldest first.",
      items: {
        type: "object",
        properties: {
          path: { type: "string", description: "Relative to the workspace." },
          size: { type: "integer", description: "Bytes." },
          modified: {
            type: "string",
            description: "When its content was last changed: ISO 8601, UTC.",
          },
        },
        required: ["path", "size", "modified"],
      },
    },
  },
  required: ["backups"],
} as const satisfies Schema;

const tool: Tool<typeof input, typeof output> = {
  name: "list_backups",
  category: "fs",
  description:
    "Lists the backups of a file, oldest first: x.bak, x.bak.1 and up, the highest number the newest. The " +
    "file itself may be gone. restore_file puts one back, read_file shows one.",
  risk: "safe",
  permission: "file_read",
  input,
  output,
  examples: [{ note: "of a file", args: { path: "src/main.ts" } }],
  describe: ({ path }) => `List backups: ${printable(path)}`,
  capabilities: ({ path }) => [{ kind: "fs.read", path, tree: false, backups: true }],
  run: ({ path }, { files }) => ({
    backups: files.backups(path).map((backup) => ({
      path: backup.path,
      size: backup.size,
      modified: new Date(backup.modified).toISOString(),
    })),
  }),
};

export default tool;
