/** `read_file`: a text file, whole or some of its lines. */

import { ToolError } from "../../core/errors.ts";
import { printable } from "../../core/printable.ts";
import { sha256 } from "../../core/sha256.ts";
import type { Infer, Schema } from "../../core/schema.ts";
import type { Tool, ToolContext } from "../../core/tool.ts";
import { decode, decoderOf, hasByteOrderMark, refuseBinary } from "../../toolkit/decode.ts";
import { locateLines } from "./_line_range.ts";
import { pathSchema } from "../../toolkit/path_schema.ts";

const LINE_FEED = 0x0a;

const input = {
  type: "object",
  properties: {
    path: pathSchema("The file, relative to the workspace or absolute."),
    encoding: {
      type: "string",
      minLength: 1,
      maxLength: 40,
      default: "utf-8",
      description: "utf-8, any other WHATWG label (latin1, utf-16le, shift_jis, …), or base64.",
    },
    start_line: { type: "integer", minimum: 1, description: "First line to read, from 1." },
    end_line: { type: "integer", minimum: 1, description: "Last line to read, included." },
  },
  required: ["path"],
} as const satisfies Schema;

const output = {
  type: "object",
  properties: {
    content: {
      type: "string",
      description: "The lines with their line ends, without a byte order mark; or base64.",
    },
    lines: { type: "integer", description: "Lines in content; 0 for base64." },
    total_lines: { type: "integer", description: "Lines in the file; 0 for base64." },
    bytes: { type: "integer", description: "Size of the file." },
    path: { type: "string", description: "The file, relative to the workspace." },
    truncated: { type: "boolean", description: "Whether the file has more than content." },
    sha256: { type: "string", description: "SHA-256 of the whole file, hexadecimal." },
    bom: { type: "boolean", description: "True where the file begins with a byte order mark." },
  },
  required: ["content", "lines", "total_lines", "bytes", "path", "truncated", "sha256"],
} as const satisfies Schema;

type Input = Infer<typeof input>;
type Output = Infer<typeof output>;

const tool: Tool<typeof input, typeof output> = {
  name: "read_file",
  category: "fs",
  description:
    "Reads a text file, whole or the lines from start_line to end_line (both included). Answers its " +
    "content, how many lines it has, its size, and its SHA-256 for expected_sha256. Binary files and " +
    'files over the read limit (1 MiB by default) are refused; encoding "base64" reads any bytes.',
  risk: "safe",
  permission: "file_read",
  input,
  output,
  examples: [
    { note: "a whole file", args: { path: "README.md" } },
    { note: "lines 10 to 20", args: { path: "src/main.ts", start_line: 10, end_line: 20 } },
    { note: "the bytes of a picture", args: { path: "logo.png", encoding: "base64" } },
  ],
  describe: ({ path }) => `Read file: ${printable(path)}`,
  check({ encoding, start_line, end_line }) {
    if (encoding === "base64") {
      if (start_line === undefined && end_line === undefined) return;
      throw new ToolError(
        "INVALID_ARGUMENTS",
        "start_line, end_line: base64 has no lines; leave them out, or name a text encoding",
      );
    }
    decoderOf(encoding);
    if (start_line !== undefined && end_line !== undefined && start_line > end_line) {
      throw new ToolError(
        "INVALID_ARGUMENTS",
        `start_line: ${start_line} is behind end_line, ${end_line}; the first line must come first`,
      );
    }
  },
  capabilities: ({ path }) => [{ kind: "fs.read", path, tree: false }],
  run(input, context) {
    const bytes = readLimited(input.path, context);
    const path = context.files.display(input.path);
    context.count("bytes_read", bytes.length);
    if (input.encoding === "base64") {
      return {
        content: bytes.toBase64(),
        lines: 0,
        total_lines: 0,
        bytes: bytes.length,
        path,
        truncated: false,
        sha256: sha256(bytes),
      };
    }
    const decoder = decoderOf(input.encoding);
    refuseBinary(path, bytes, decoder);
    return {
      ...linesOf(path, bytes, decoder, input),
      bytes: bytes.length,
      path,
      sha256: sha256(bytes),
      ...(hasByteOrderMark(bytes, decoder) ? { bom: true } : {}),
    };
  },
};

export default tool;

function readLimited(path: string, { files, limits }: ToolContext): Uint8Array {
  try {
    return files.read(path, limits.read).bytes;
  } catch (error) {
    if (!(error instanceof ToolError) || error.code !== "FILE_TOO_LARGE") throw error;
    throw new ToolError(
      error.code,
      `${error.message}; search_files finds the lines that matter without reading it whole`,
      { details: error.details ?? {} },
    );
  }
}

/** Only the lines asked for are decoded: in UTF-8 they are found among the bytes. */
function linesOf(
  path: string,
  bytes: Uint8Array,
  decoder: TextDecoder,
  { start_line = 1, end_line }: Input,
): Pick<Output, "content" | "lines" | "total_lines" | "truncated"> {
  const range = { start: start_line, end: end_line };
  const isWhole = start_line === 1 && end_line === undefined;
  // Lines are counted in text five times as fast as in bytes; finding some of many saves decoding the others.
  if (decoder.encoding === "utf-8" && !isWhole) {
    const { from, to, lines, total } = locateLines(
      bytes.length,
      (at) => bytes.indexOf(LINE_FEED, at),
      range,
    );
    const part = to - from === bytes.length ? bytes : bytes.subarray(from, to);
    const content = decode(path, part, decoder, from);
    return { content, lines, total_lines: total, truncated: lines < total };
  }
  const text = decode(path, bytes, decoder, 0);
  const { from, to, lines, total } = locateLines(
    text.length,
    (at) => text.indexOf("\n", at),
    range,
  );
  const content = isWhole ? text : text.slice(from, to);
  return { content, lines, total_lines: total, truncated: lines < total };
}
