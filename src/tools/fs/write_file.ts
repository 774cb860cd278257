/** `write_file`: the whole content of a file, new or replaced, as one atomic step. */

import { ToolError } from "../../core/errors.ts";
import { printable } from "../../core/printable.ts";
import { sha256 } from "../../core/sha256.ts";
import type { FileInfo, Preview, ReadContext, Tool } from "../../core/tool.ts";
import { checkSyntax, loadValidators } from "../../syntax/validators.ts";
import { decoderOf, looksBinary } from "./_decode.ts";
import { encoderOf } from "./_encode.ts";
import { pathSchema } from "./_path_schema.ts";
import { unifiedDiff } from "./_unified_diff.ts";

interface Input {
  readonly path: string;
  readonly content: string;
  readonly encoding: string;
  readonly create_dirs: boolean;
  readonly validate_syntax: boolean;
  readonly expected_sha256?: string;
}

interface Output {
  readonly path: string;
  readonly bytes_written: number;
  readonly created: boolean;
}

const tool: Tool<Input, Output> = {
  name: "write_file",
  category: "fs",
  description:
    "Writes the whole content of a file, making it and its parent directories where they are missing. " +
    "Atomic: readers see the old content or the new. The content of .json, .yaml, .toml and .js files must " +
    "be valid unless validate_syntax is false. Answers the bytes written and whether the file is new.",
  risk: "moderate",
  permission: "file_write",
  input: {
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
      validate_syntax: {
        type: "boolean",
        default: true,
        description: "Refuse content that is not valid for the file's ending.",
      },
      expected_sha256: {
        type: "string",
        minLength: 64,
        maxLength: 64,
        description: "Write only over this content: the sha256 that read_file gave.",
      },
    },
    required: ["path", "content"],
  },
  output: {
    type: "object",
    properties: {
      path: { type: "string", description: "The file, relative to the workspace." },
      bytes_written: { type: "integer", description: "Size of the file now." },
      created: { type: "boolean", description: "Whether it was not there before." },
    },
    required: ["path", "bytes_written", "created"],
  },
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
    if (expected_sha256 !== undefined && !/^[0-9a-fA-F]{64}$/.test(expected_sha256)) {
      throw new ToolError(
        "INVALID_ARGUMENTS",
        "expected_sha256: expected 64 hexadecimal digits, as read_file gives them",
      );
    }
  },
  capabilities: ({ path }) => [
    { kind: "fs.write", path, tree: false },
    // For the preview's diff alone.
    { kind: "fs.read", path, tree: false, optional: true },
  ],
  prepare: () => Promise.all([loadValidators(), import("diff")]),
  async preview(input, context) {
    const bytes = await plan(input, context);
    return await compare(input, bytes, context);
  },
  async run(input, context) {
    const bytes = await plan(input, context);
    const { created } = context.files.write(input.path, bytes, {
      createParents: input.create_dirs,
      ...(input.expected_sha256 === undefined
        ? {}
        : { expectedSha256: input.expected_sha256.toLowerCase() }),
    });
    context.count("bytes_written", bytes.length);
    return { path: context.files.display(input.path), bytes_written: bytes.length, created };
  },
};

export default tool;

/** The bytes that would be written, once nothing speaks against them. */
async function plan(
  { path, content, encoding, validate_syntax }: Input,
  { files, limits }: ReadContext,
): Promise<Uint8Array> {
  const bytes = encoderOf(encoding)(content);
  if (bytes.length > limits.write) {
    throw new ToolError(
      "FILE_TOO_LARGE",
      `the content has ${bytes.length} bytes; the policy lets ${limits.write} be written at once`,
      { details: { size: bytes.length, limit: limits.write } },
    );
  }
  if (validate_syntax && encoding !== "base64") await checkSyntax(files.display(path), content);
  return bytes;
}

/** `diff` is null where there is no text to compare; where what is there may not be read, `exists` is null too. */
async function compare(input: Input, bytes: Uint8Array, context: ReadContext): Promise<Preview> {
  const path = context.files.display(input.path);
  const found = findIfAllowed(input.path, context);
  if (found?.type === "directory") {
    throw new ToolError("NOT_A_FILE", `${path} is a directory; name a file in it`);
  }
  const before = found === null ? null : readIfAllowed(input.path, context);
  if (input.expected_sha256 !== undefined && before !== undefined) {
    if (before === null || sha256(before) !== input.expected_sha256.toLowerCase()) {
      throw new ToolError(
        "STALE_FILE",
        `${path} ${before === null ? "is not there" : "has changed"}; read it again before writing`,
      );
    }
  }
  const text = before instanceof Uint8Array ? asText(before, input.encoding) : before;
  const diff = text === undefined || input.encoding === "base64"
    ? null
    : await unifiedDiff(path, text, input.content);
  const exists = found === undefined ? null : found !== null;
  return { path, exists, created: exists === null ? null : !exists, bytes: bytes.length, diff };
}

/** Null where there is nothing, undefined where that may not be known. */
function findIfAllowed(path: string, { files }: ReadContext): FileInfo | null | undefined {
  try {
    return files.find(path);
  } catch (error) {
    if (error instanceof ToolError) return undefined;
    throw error;
  }
}

/** Undefined where the file may not be read, is too large, or is no regular file. */
function readIfAllowed(path: string, { files, limits }: ReadContext): Uint8Array | undefined {
  try {
    return files.read(path, limits.write).bytes;
  } catch (error) {
    if (error instanceof ToolError) return undefined;
    throw error;
  }
}

function asText(bytes: Uint8Array, encoding: string): string | undefined {
  if (encoding === "base64") return undefined;
  const decoder = decoderOf(encoding);
  if (!decoder.encoding.startsWith("utf-16") && looksBinary(bytes)) return undefined;
  try {
    return decoder.decode(bytes);
  } catch {
    return undefined;
  }
}
