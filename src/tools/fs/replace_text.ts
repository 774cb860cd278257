/** `replace_text`: every occurrence of a text in one file. */

import { printable } from "../../core/printable.ts";
import type { Infer, Schema } from "../../core/schema.ts";
import type { ReadContext, Tool } from "../../core/tool.ts";
import { loadValidators } from "../../syntax/validators.ts";
import {
  checkReplacement,
  checkSha256,
  EXPECTED_SHA256,
  FILE_ENCODING,
  VALIDATE_SYNTAX,
} from "./edit/edit_arguments.ts";
import { pathSchema } from "../../toolkit/path_schema.ts";
import { codecOf } from "./edit/text_file.ts";
import { planText, previewText, type TextPlan, writeText } from "./edit/text_plan.ts";

/** Lines of a sample, and characters of each. */
const SAMPLE_LINES = 5;
const SAMPLE_WIDTH = 200;

const input = {
  type: "object",
  properties: {
    path: pathSchema("The file, relative to the workspace or absolute. It must exist."),
    old: {
      type: "string",
      minLength: 1,
      description: "What to replace, exactly as the file has it; no regular expression.",
    },
    new: { type: "string", description: "What to put there, as it is; empty removes the text." },
    validate_syntax: VALIDATE_SYNTAX,
    expected_sha256: EXPECTED_SHA256,
    encoding: FILE_ENCODING,
  },
  required: ["path", "old", "new"],
} as const satisfies Schema;

const output = {
  type: "object",
  properties: {
    path: { type: "string", description: "The file, relative to the workspace." },
    replaced: { type: "integer", description: "Occurrences replaced." },
    bytes_written: {
      type: "integer",
      description: "Size of the file now; 0 if nothing changed.",
    },
    sha256: { type: "string", description: "SHA-256 of the file now, for expected_sha256." },
  },
  required: ["path", "replaced", "bytes_written", "sha256"],
} as const satisfies Schema;

type Input = Infer<typeof input>;

const tool: Tool<typeof input, typeof output> = {
  name: "replace_text",
  category: "fs",
  description:
    "Replaces every occurrence of an exact text in one file and answers how many there were; a preview shows " +
    "them first. Encoding, byte order mark and line ends stay. A text that is not there is an error, which " +
    "shows the closest passage and how it differs.",
  risk: "moderate",
  permission: "file_modify",
  input,
  output,
  examples: [
    { note: "rename", args: { path: "src/main.ts", old: "newError", new: "createError" } },
    { note: "remove", args: { path: "README.md", old: "# Title\n", new: "" } },
  ],
  describe: ({ path, old }) => `Replace text: ${printable(old, 60)} in ${printable(path)}`,
  check(input) {
    checkReplacement("", input.old, input.new);
    if (input.encoding !== undefined) codecOf(input.encoding);
    checkSha256(input.expected_sha256);
  },
  capabilities: ({ path }) => [
    { kind: "fs.write", path, tree: false },
    { kind: "fs.read", path, tree: false },
  ],
  prepare: () => Promise.all([loadValidators(), import("diff")]),
  async preview(input, context) {
    const made = await plan(input, context);
    const occurrences = made.replacements;
    return { ...await previewText(made), occurrences, sample: sampleOf(made) };
  },
  async run(input, context) {
    const made = await plan(input, context);
    const written = writeText(made, context);
    return {
      path: made.shown,
      replaced: made.replacements,
      bytes_written: written ? made.bytes.length : 0,
      sha256: made.sha256,
    };
  },
};

export default tool;

function plan(input: Input, context: ReadContext): Promise<TextPlan> {
  const { path, encoding, expected_sha256, validate_syntax } = input;
  const edit = { old: input.old, new: input.new, replaceAll: true };
  const change = { edits: [edit], prefix: () => "" };
  return planText({ path, encoding, expected_sha256, validate_syntax, change }, context);
}

/** The first lines in which the text stands, with their numbers, as they are: `3: let a = 1;` */
function sampleOf({ before, lines }: TextPlan): string {
  const numbers = [...new Set(lines)].slice(0, SAMPLE_LINES);
  const all = before.split("\n", numbers.at(-1) ?? 0);
  return numbers
    .map((line) => `${line}: ${printable(all[line - 1]?.replace(/\r$/, "") ?? "", SAMPLE_WIDTH)}`)
    .join("\n");
}
