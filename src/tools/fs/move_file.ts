/** `move_file`: gives an entry another name or place. */

import { printable } from "../../core/printable.ts";
import type { Schema } from "../../core/schema.ts";
import type { Tool } from "../../core/tool.ts";
import { refuseTaken } from "./_destination.ts";
import { pathSchema } from "../../toolkit/path_schema.ts";
import { refuseDeniedPart, treeCountShape } from "./_tree_count.ts";

const input = {
  type: "object",
  properties: {
    src: pathSchema("What to move, relative to the workspace or absolute."),
    dst: pathSchema("Its new name."),
    overwrite: {
      type: "boolean",
      default: false,
      description: "Replace a file that has this name. Directories are never replaced.",
    },
  },
  required: ["src", "dst"],
} as const satisfies Schema;

const output = {
  type: "object",
  properties: {
    src: { type: "string", description: "The old name, relative to the workspace." },
    dst: { type: "string", description: "The new name, relative to the workspace." },
  },
  required: ["src", "dst"],
} as const satisfies Schema;

const tool: Tool<typeof input, typeof output> = {
  name: "move_file",
  category: "fs",
  description:
    "Moves or renames a file, a link (itself, not what it points to) or a directory with all in it, across " +
    "file systems too. dst is the new name, never a directory to put it in; its parents are made. Nothing " +
    "is moved where the policy protects any part of it.",
  risk: "moderate",
  permission: "file_modify",
  input,
  output,
  examples: [
    { note: "another name", args: { src: "notes/old.md", dst: "notes/new.md" } },
    { note: "another directory", args: { src: "a_test.ts", dst: "tests/a_test.ts" } },
  ],
  describe: ({ src, dst }) => `Move: ${printable(src)} to ${printable(dst)}`,
  capabilities: ({ src, dst }) => [
    { kind: "fs.read", path: src, tree: true, entry: true },
    { kind: "fs.write", path: src, tree: true, entry: true },
    { kind: "fs.write", path: dst, tree: true },
  ],
  previewReads: ({ dst }) => [{ path: dst, tree: false }],
  preview({ src, dst, overwrite }, context) {
    const { files } = context;
    const shown = files.display(src);
    for (const access of ["read", "write"] as const) {
      refuseDeniedPart(shown, files.countTree(src, access), "moved");
    }
    const count = files.countTree(src, "write");
    const replaced = refuseTaken(dst, count.type, overwrite, context);
    return { src: shown, dst: files.display(dst), ...treeCountShape(count), replaced };
  },
  run({ src, dst, overwrite }, { files }) {
    const shown = files.display(src);
    files.move(src, dst, { overwrite });
    return { src: shown, dst: files.display(dst) };
  },
};

export default tool;
