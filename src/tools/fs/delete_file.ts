/** `delete_file`: takes an entry away: a file, a link itself, a directory. */

import { ToolError } from "../../core/errors.ts";
import { printable, quoted } from "../../core/printable.ts";
import type { Schema } from "../../core/schema.ts";
import type { Tool } from "../../core/tool.ts";
import { pathSchema } from "../../toolkit/path_schema.ts";
import { refuseDeniedPart, treeCountShape } from "./_tree_count.ts";

const input = {
  type: "object",
  properties: {
    path: pathSchema("What to delete, relative to the workspace or absolute."),
    recursive: {
      type: "boolean",
      default: false,
      description: "Delete a directory with all that lies in it.",
    },
  },
  required: ["path"],
} as const satisfies Schema;

const output = {
  type: "object",
  properties: {
    path: { type: "string", description: "What was deleted, relative to the workspace." },
    deleted: { type: "boolean", description: "True: it is gone." },
    entries: { type: "integer", description: "How many entries went, itself included." },
  },
  required: ["path", "deleted", "entries"],
} as const satisfies Schema;

const tool: Tool<typeof input, typeof output> = {
  name: "delete_file",
  category: "fs",
  description:
    "Deletes a file, a link (never what it points to) or an empty directory; with recursive a directory and " +
    "all in it. Nothing is deleted where the policy protects any part of it. " +
    "There is no way back. Answers how many entries went.",
  risk: "moderate",
  permission: "file_modify",
  input,
  output,
  examples: [
    { note: "one file", args: { path: "notes/old.md" } },
    { note: "a directory and all in it", args: { path: "build", recursive: true } },
  ],
  describe: ({ path, recursive }) =>
    `Delete${recursive ? " with all in it" : ""}: ${printable(path)}`,
  capabilities: ({ path, recursive }) => [
    { kind: "fs.write", path, tree: recursive, entry: true },
  ],
  preview({ path, recursive }, { files }) {
    const shown = files.display(path);
    const count = files.countTree(path, "write");
    const entries = count.files + count.directories + count.others;
    if (count.type === "directory" && !recursive && entries + count.refused > 1) {
      throw new ToolError(
        "INVALID_ARGUMENTS",
        `${
          quoted(shown)
        } is a directory that is not empty; recursive: true deletes it with all in it`,
      );
    }
    refuseDeniedPart(shown, count, "deleted");
    return { path: shown, entries, ...treeCountShape(count) };
  },
  run({ path, recursive }, { files }) {
    const shown = files.display(path);
    const { entries } = files.remove(path, { recursive });
    return { path: shown, deleted: true, entries };
  },
};

export default tool;
