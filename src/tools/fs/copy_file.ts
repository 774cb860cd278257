/** `copy_file`: a copy of a file, or of a directory with what may be read in it. */

import { printable } from "../../core/printable.ts";
import type { Schema } from "../../core/schema.ts";
import type { Tool } from "../../core/tool.ts";
import { refuseTaken } from "./_destination.ts";
import { pathSchema } from "../../toolkit/path_schema.ts";
import { treeCountShape } from "./_tree_count.ts";

const input = {
  type: "object",
  properties: {
    src: pathSchema("The file or directory to copy, relative to the workspace or absolute."),
    dst: pathSchema("The name of the copy."),
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
    src: { type: "string", description: "What was copied, relative to the workspace." },
    dst: { type: "string", description: "The copy, relative to the workspace." },
    files: { type: "integer", description: "Files copied." },
    bytes: { type: "integer", description: "Their sizes together." },
    left_out: { type: "integer", description: "Entries that could not be or may not be copied." },
  },
  required: ["src", "dst", "files", "bytes", "left_out"],
} as const satisfies Schema;

const tool: Tool<typeof input, typeof output> = {
  name: "copy_file",
  category: "fs",
  description:
    "Copies a file to a new name, or a directory with all in it (links as links; what may not be read, and " +
    "pipes, sockets and devices, are left out and counted). dst is the copy's own name, never a " +
    "directory to put it in. It appears whole or not at all; parents are made.",
  risk: "moderate",
  permission: "file_write",
  input,
  output,
  examples: [
    { note: "a file", args: { src: "config.json", dst: "config.old.json" } },
    { note: "a directory", args: { src: "src", dst: "build/src" } },
  ],
  describe: ({ src, dst }) => `Copy: ${printable(src)} to ${printable(dst)}`,
  capabilities: ({ src, dst }) => [
    { kind: "fs.read", path: src, tree: true },
    { kind: "fs.write", path: dst, tree: true },
  ],
  previewReads: ({ dst }) => [{ path: dst, tree: false }],
  preview({ src, dst, overwrite }, context) {
    const { files } = context;
    const count = files.countTree(src, "read");
    const replaced = refuseTaken(dst, count.type, overwrite, context);
    return {
      src: files.display(src),
      dst: files.display(dst),
      ...treeCountShape(count),
      left_out: count.refused,
      replaced,
    };
  },
  run({ src, dst, overwrite }, context) {
    const { files } = context;
    const made = files.copy(src, dst, { overwrite });
    context.count("bytes_written", made.bytes);
    return {
      src: files.display(src),
      dst: files.display(dst),
      files: made.files,
      bytes: made.bytes,
      left_out: made.leftOut,
    };
  },
};

export default tool;
