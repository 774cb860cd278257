/** `create_file`: a new text file, never over one that is there unless told so. */

import { ToolError } from "../../core/errors.ts";
import { printable } from "../../core/printable.ts";
import type { Infer, Schema } from "../../core/schema.ts";
import type { Expectation, Tool } from "../../core/tool.ts";
import { loadValidators } from "../../syntax/validators.ts";
import { VALIDATE_SYNTAX } from "./edit/edit_arguments.ts";
import { pathSchema } from "../../toolkit/path_schema.ts";
import { fileExists, planWhole, previewWhole } from "./edit/whole_file.ts";

const input = {
  type: "object",
  properties: {
    path: pathSchema("The file, relative to the workspace or absolute."),
    content: { type: "string", description: "All that the file is to hold." },
    overwrite: {
      type: "boolean",
      default: false,
      description: "Replace a file that is there.",
    },
    validate_syntax: VALIDATE_SYNTAX,
  },
  required: ["path", "content"],
} as const satisfies Schema;

const output = {
  type: "object",
  properties: {
    path: { type: "string", description: "The file, relative to the workspace." },
    bytes_written: { type: "integer", description: "Size of the file now." },
    created: { type: "boolean", description: "Whether it was not there before." },
  },
  required: ["path", "bytes_written", "created"],
} as const satisfies Schema;

type Input = Infer<typeof input>;

const tool: Tool<typeof input, typeof output> = {
  name: "create_file",
  category: "fs",
  description:
    "Makes a new UTF-8 text file, with its parent directories. Fails where the file exists, unless overwrite is " +
    "true: then its content is replaced and its permissions stay. Syntax is checked first, by the file's ending. " +
    "Answers the bytes written and whether the file is new.",
  risk: "moderate",
  permission: "file_write",
  input,
  output,
  examples: [
    { note: "a new file", args: { path: "src/version.ts", content: 'export const V = "1";\n' } },
    { note: "replace", args: { path: "config.json", content: "{}\n", overwrite: true } },
  ],
  describe: ({ path }) => `Create file: ${printable(path)}`,
  capabilities: ({ path }) => [{ kind: "fs.write", path, tree: false }],
  previewReads: ({ path }) => [{ path, tree: false }],
  prepare: () => Promise.all([loadValidators(), import("diff")]),
  async preview(input, context) {
    const whole = { ...input, encoding: "utf-8" };
    const bytes = await planWhole(whole, context);
    return await previewWhole(whole, bytes, expectationOf(input), context);
  },
  async run(input, context) {
    const bytes = await planWhole({ ...input, encoding: "utf-8" }, context);
    const path = context.files.display(input.path);
    try {
      const { created } = context.files.write(input.path, bytes, {
        createParents: true,
        expect: expectationOf(input),
      });
      context.count("bytes_written", bytes.length);
      return { path, bytes_written: bytes.length, created };
    } catch (error) {
      throw error instanceof ToolError && error.code === "FILE_EXISTS" ? fileExists(path) : error;
    }
  },
};

export default tool;

function expectationOf({ overwrite }: Input): Expectation {
  return overwrite ? "anything" : "nothing";
}
