/** `write_file`: the whole content of a file, new or replaced, as one atomic step. */

import { printable } from "../../core/printable.ts";
import type { Infer, Schema } from "../../core/schema.ts";
import type { Expectation, Tool } from "../../core/tool.ts";
import { loadValidators } from "../../syntax/validators.ts";
import { checkSha256, EXPECTED_SHA256, VALIDATE_SYNTAX } from "./edit/edit_arguments.ts";
import { encoderOf } from "./_encode.ts";
import { pathSchema } from "../../toolkit/path_schema.ts";
import { planWhole, previewWhole } from "./edit/whole_file.ts";

const input = {
  type: "object",
  properties: {
    path: pathSchema("The file, relative to the workspace or absolute."),
    content: { type: "string", description: "All that the file is to hold." },
    encoding: {
      type: "string",
      minLength: 1,
      maxLength: 40,
      default: "utf-8",
      description:
        "How content is written: utf-8, utf-16le, utf-16be, latin1 and others of one byte a " +
        "character; base64 where content is base64 of the bytes.",
    },
    create_dirs: {
      type: "boolean",
      default: true,
      description: "Make missing parent directories.",
    },
    validate_syntax: VALIDATE_SYNTAX,
    expected_sha256: EXPECTED_SHA256,
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
  name: "write_file",
  category: "fs",
  description:
    "Writes the whole content of a file, making it and its parent directories where they are missing. " +
    "Atomic: readers see the old content or the new. Content of a language that its ending names (.json, .yaml, " +
    ".toml, .js, …) must be valid unless validate_syntax is false. Answers the bytes written and whether the " +
    "file is new.",
  risk: "moderate",
  permission: "file_write",
  input,
  output,
  examples: [
    { note: "a new file", args: { path: "notes/plan.md", content: "- write tests\n" } },
    {
      note: "replace only what was read",
      args: {
        path: "config.json",
        content: "{}\n",
        expected_sha256: "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
      },
    },
  ],
  describe: ({ path }) => `Write file: ${printable(path)}`,
  check({ encoding, expected_sha256 }) {
    encoderOf(encoding);
    checkSha256(expected_sha256);
  },
  capabilities: ({ path }) => [{ kind: "fs.write", path, tree: false }],
  previewReads: ({ path }) => [{ path, tree: false }],
  prepare: () => Promise.all([loadValidators(), import("diff")]),
  async preview(input, context) {
    const bytes = await planWhole(input, context);
    const seen = await previewWhole(input, bytes, expectationOf(input), context);
    return { ...seen, created: seen.exists === null ? null : !seen.exists };
  },
  async run(input, context) {
    const bytes = await planWhole(input, context);
    const { created } = context.files.write(input.path, bytes, {
      createParents: input.create_dirs,
      expect: expectationOf(input),
    });
    context.count("bytes_written", bytes.length);
    return { path: context.files.display(input.path), bytes_written: bytes.length, created };
  },
};

export default tool;

function expectationOf({ expected_sha256 }: Input): Expectation {
  return expected_sha256 === undefined ? "anything" : { sha256: expected_sha256.toLowerCase() };
}
