/** `edit_file`: changes a text file by exact replacements made as one step, or by its whole new content. */

import { ToolError } from "../../core/errors.ts";
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
import {
  planText,
  previewText,
  type TextPlan,
  writeText,
  writeTextKeeping,
} from "./edit/text_plan.ts";
import { describeChange } from "../../toolkit/unified_diff.ts";

/** Far more than a model sends; each is a pass over the file. */
const MAX_EDITS = 1000;

const input = {
  type: "object",
  properties: {
    path: pathSchema("The file, relative to the workspace or absolute. It must exist."),
    content: { type: "string", description: "All that the file is to hold; or use edits." },
    edits: {
      type: "array",
      minItems: 1,
      maxItems: MAX_EDITS,
      description: "Replacements in order, each made on what those before it left.",
      items: {
        type: "object",
        properties: {
          old: {
            type: "string",
            minLength: 1,
            description: "What to replace, exactly as the file has it, indentation included.",
          },
          new: { type: "string", description: "What to put there; empty removes the text." },
          replace_all: {
            type: "boolean",
            default: false,
            description: "Replace every place, not the only one.",
          },
        },
        required: ["old", "new"],
      },
    },
    create_backup: {
      type: "boolean",
      default: true,
      description: "Keep the file as it was beside it: .bak, .bak.1, …",
    },
    validate_syntax: VALIDATE_SYNTAX,
    expected_sha256: EXPECTED_SHA256,
    encoding: FILE_ENCODING,
  },
  required: ["path"],
} as const satisfies Schema;

const output = {
  type: "object",
  properties: {
    path: { type: "string", description: "The file, relative to the workspace." },
    bytes_written: {
      type: "integer",
      description: "Size of the file now; 0 if nothing changed.",
    },
    backup_path: {
      oneOf: [{ type: "string" }, { type: "null" }],
      description: "Where the file is kept as it was; null where no backup was made.",
    },
    diff: {
      type: "string",
      description: "Unified diff; empty if nothing changed, cut after 64 KiB.",
    },
    added_lines: { type: "integer", description: "Lines of the diff that begin with +." },
    removed_lines: { type: "integer", description: "Lines of the diff that begin with -." },
    replacements: { type: "integer", description: "Texts replaced; 0 for content." },
    sha256: { type: "string", description: "SHA-256 of the file now, for expected_sha256." },
  },
  required: [
    "path",
    "bytes_written",
    "backup_path",
    "diff",
    "added_lines",
    "removed_lines",
    "replacements",
    "sha256",
  ],
} as const satisfies Schema;

type Input = Infer<typeof input>;

const tool: Tool<typeof input, typeof output> = {
  name: "edit_file",
  category: "fs",
  description:
    "Changes a text file: edits replace exact texts, each of which must be there exactly once unless " +
    "replace_all, in order and all or none; content replaces everything. Encoding, byte order mark and line " +
    "ends stay. Makes a backup, checks syntax first, and answers a unified diff. Where a text is not found, the " +
    "error shows the closest passage and how it differs.",
  risk: "moderate",
  permission: "file_modify",
  input,
  output,
  examples: [
    {
      note: "replace every occurrence, and no backup",
      args: {
        path: "README.md",
        edits: [{ old: "# Title\n", new: "# Heading\n", replace_all: true }],
        create_backup: false,
      },
    },
    { note: "replace the whole content", args: { path: "config.json", content: "{}\n" } },
  ],
  describe: ({ path }) => `Edit file: ${printable(path)}`,
  check({ content, edits, encoding, expected_sha256 }) {
    if ((content === undefined) === (edits === undefined)) {
      throw new ToolError(
        "INVALID_ARGUMENTS",
        content === undefined
          ? "edits: missing; say what to replace, or give the whole content"
          : "content, edits: take one of the two",
      );
    }
    for (const [index, edit] of (edits ?? []).entries()) {
      checkReplacement(prefix(index), edit.old, edit.new);
    }
    if (encoding !== undefined) codecOf(encoding);
    checkSha256(expected_sha256);
  },
  capabilities: ({ path, create_backup }) => [
    { kind: "fs.write", path, tree: false, ...(create_backup ? { backups: true } : {}) },
    { kind: "fs.read", path, tree: false },
  ],
  prepare: () => Promise.all([loadValidators(), import("diff")]),
  async preview(input, context) {
    const made = await plan(input, context);
    return { ...await previewText(made), replacements: made.replacements };
  },
  async run(input, context) {
    const made = await plan(input, context);
    const { shown, bytes, before, after, replacements } = made;
    const change = await describeChange(shown, before, after);
    const changed = made.sha256 !== made.expected;
    const backup_path = input.create_backup ? writeTextKeeping(made, context) : null;
    if (!input.create_backup) writeText(made, context);
    return {
      path: shown,
      bytes_written: changed ? bytes.length : 0,
      backup_path,
      ...change,
      replacements,
      sha256: made.sha256,
    };
  },
};

export default tool;

function prefix(index: number): string {
  return `edits[${index}].`;
}

function plan(input: Input, context: ReadContext): Promise<TextPlan> {
  const { path, content, edits = [], encoding, expected_sha256, validate_syntax } = input;
  return planText({
    path,
    encoding,
    expected_sha256,
    validate_syntax,
    change: content !== undefined ? { content } : {
      edits: edits.map((edit) => ({ ...edit, replaceAll: edit.replace_all })),
      prefix,
    },
  }, context);
}
