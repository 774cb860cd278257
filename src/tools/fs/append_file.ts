/** `append_file`: text behind the end of a file, in the encoding and with the line ends that it has. */

import { ToolError } from "../../core/errors.ts";
import { printable } from "../../core/printable.ts";
import type { Infer, Schema } from "../../core/schema.ts";
import type { FileContent, Preview, ReadContext, Tool } from "../../core/tool.ts";
import { FILE_ENCODING } from "./edit/edit_arguments.ts";
import { unify } from "../../toolkit/line_ends.ts";
import { pathSchema } from "../../toolkit/path_schema.ts";
import { codecOf, openText, type TextFile } from "./edit/text_file.ts";
import { previewOf, requireSize } from "./edit/text_plan.ts";

/** How much of the file's beginning tells its encoding and line ends: even, so that UTF-16 is not cut in half. */
const SAMPLE = 64 * 1024;

const input = {
  type: "object",
  properties: {
    path: pathSchema("The file, relative to the workspace or absolute."),
    content: {
      type: "string",
      description: "What to add, with a line end of its own if wanted.",
    },
    encoding: FILE_ENCODING,
  },
  required: ["path", "content"],
} as const satisfies Schema;

const output = {
  type: "object",
  properties: {
    path: { type: "string", description: "The file, relative to the workspace." },
    bytes_written: { type: "integer", description: "Bytes added." },
    created: { type: "boolean", description: "Whether the file was not there before." },
  },
  required: ["path", "bytes_written", "created"],
} as const satisfies Schema;

type Input = Infer<typeof input>;

const tool: Tool<typeof input, typeof output> = {
  name: "append_file",
  category: "fs",
  description:
    "Adds text to the end of a file, in one atomic step; makes the file and its parent directories where they " +
    "are missing. Adds no line end by itself. The file's byte order mark and line ends are heeded where the file " +
    "may be read; else the text is written as UTF-8, as it is. Answers the bytes added.",
  risk: "moderate",
  permission: "file_write",
  input,
  output,
  examples: [
    { note: "a line more", args: { path: "notes/log.md", content: "- tests pass\n" } },
  ],
  describe: ({ path }) => `Append to file: ${printable(path)}`,
  check({ encoding }) {
    if (encoding !== undefined) codecOf(encoding);
  },
  capabilities: ({ path }) => [
    { kind: "fs.write", path, tree: false },
    // For the encoding, and for the preview: who may append need not be allowed to read.
    { kind: "fs.read", path, tree: false, optional: true },
  ],
  prepare: () => import("diff"),
  preview,
  run(input, context) {
    const { bytes } = plan(input, context);
    const { created } = context.files.append(input.path, bytes, { createParents: true });
    context.count("bytes_written", bytes.length);
    return { path: context.files.display(input.path), bytes_written: bytes.length, created };
  },
};

export default tool;

/** What is to be added. */
interface Plan {
  readonly bytes: Uint8Array;
  /** With the line ends that it gets. */
  readonly text: string;
  /** Size of what is there, null for nothing; undefined where that may not be known. */
  readonly size: number | null | undefined;
}

function plan({ path, content, encoding }: Input, context: ReadContext): Plan {
  const start = startOf(path, context);
  const file: TextFile | null = start instanceof Object
    ? openText(context.files.display(path), start.bytes, encoding)
    : null;
  const codec = file?.codec ?? codecOf(encoding ?? "utf-8");
  const returns = file !== null && !content.includes("\r") &&
    unify(codec.units(file.body)).sole === "\r\n";
  const text = returns ? content.replaceAll("\n", "\r\n") : content;
  const bytes = codec.encode(text);
  requireSize(bytes.length, context);
  return { bytes, text, size: start instanceof Object ? start.info.size : start };
}

/** Null where there is nothing, undefined where the call may not look. */
function startOf(path: string, { files }: ReadContext): FileContent | null | undefined {
  try {
    return files.readStart(path, SAMPLE);
  } catch (error) {
    if (!(error instanceof ToolError)) throw error;
    if (error.code === "FILE_NOT_FOUND") return null;
    if (error.code === "PATH_DENIED" || error.code === "NATIVE_DENIED") return undefined;
    throw error;
  }
}

/** Without a diff where the file may not be read, or is larger than may be written at once. */
async function preview(input: Input, context: ReadContext): Promise<Preview> {
  const { bytes, text, size } = plan(input, context);
  const shown = context.files.display(input.path);
  const common = {
    path: shown,
    exists: size === undefined ? null : size !== null,
    bytes: bytes.length,
    same: bytes.length === 0,
  };
  if (size === null) return await previewOf({ ...common, before: null, after: text });
  if (size === undefined || size > context.limits.write) {
    return await previewOf({ ...common, before: undefined, after: text });
  }
  const whole = context.files.read(input.path, context.limits.write).bytes;
  const { codec, body } = openText(shown, whole, input.encoding);
  const before = codec.decode(body);
  return await previewOf({ ...common, before, after: before + text });
}
