/** Writing the whole of a file, whatever was there: planned, then either shown or done. */

import { ToolError } from "../../../core/errors.ts";
import { sha256 } from "../../../core/sha256.ts";
import type { Expectation, FileInfo, Preview, ReadContext } from "../../../core/tool.ts";
import { byteOrderMark, decoderOf, looksBinary } from "../../../toolkit/decode.ts";
import { encoderOf } from "../_encode.ts";
import { previewOf, requireSize, staleFile } from "./text_plan.ts";

/** A file that is to be written whole. */
export interface WholeFile {
  readonly path: string;
  readonly content: string;
  readonly encoding: string;
  readonly validate_syntax: boolean;
}

/** The bytes that would be written, once nothing in them speaks against it: FILE_TOO_LARGE, SYNTAX_INVALID. */
export async function planWhole(file: WholeFile, context: ReadContext): Promise<Uint8Array> {
  const { path, content, encoding, validate_syntax } = file;
  const bytes = encoderOf(encoding)(content);
  requireSize(bytes.length, context);
  if (validate_syntax && encoding !== "base64") {
    await context.syntax.check(context.files.display(path), content);
  }
  return bytes;
}

/**
 * The preview of `bytes` in the place of what is there, as far as the call may see it: what it may not is null.
 * Fails as the writing would, with NOT_A_FILE, FILE_EXISTS and STALE_FILE.
 */
export async function previewWhole(
  { path, content, encoding }: WholeFile,
  bytes: Uint8Array,
  expect: Expectation,
  context: ReadContext,
): Promise<Preview> {
  const shown = context.files.display(path);
  const found = ifAllowed(() => context.files.find(path));
  if (found !== undefined) requireExpected(shown, found, expect);
  const before = found === null
    ? null
    : ifAllowed(() => context.files.read(path, context.limits.write).bytes);
  if (before !== undefined && typeof expect === "object") {
    const now = before === null ? null : sha256(before);
    if (now !== expect.sha256) {
      throw staleFile(shown, before === null ? "is not there" : "has changed");
    }
  }
  // Before any pause: the next read may overwrite what was read.
  const text = before instanceof Uint8Array ? asText(before, encoding) : before;
  return await previewOf({
    path: shown,
    exists: found === undefined ? null : found !== null,
    bytes: bytes.length,
    same: before instanceof Uint8Array && sha256(before) === sha256(bytes),
    before: text,
    after: encoding === "base64" ? null : content,
  });
}

/** What there is to say of a name that is taken. */
export function fileExists(shown: string): ToolError {
  return new ToolError(
    "FILE_EXISTS",
    `${shown} exists; edit_file changes it, overwrite: true replaces it`,
  );
}

function requireExpected(shown: string, found: FileInfo | null, expect: Expectation): void {
  if (found !== null && expect === "nothing") throw fileExists(shown);
  if (found === null || found.type === "file") return;
  const what = found.type === "directory" ? "a directory; name a file in it" : "no regular file";
  throw new ToolError("NOT_A_FILE", `${shown} is ${what}`);
}

/** Undefined where the call may not look, or there is nothing that could be read. */
function ifAllowed<T>(look: () => T): T | undefined {
  try {
    return look();
  } catch (error) {
    if (error instanceof ToolError) return undefined;
    throw error;
  }
}

/** By its byte order mark, else in the encoding that it is to have; undefined for what is no text there. */
function asText(bytes: Uint8Array, encoding: string): string | undefined {
  if (encoding === "base64") return undefined;
  const decoder = decoderOf(byteOrderMark(bytes)?.encoding ?? encoding);
  if (!decoder.encoding.startsWith("utf-16") && looksBinary(bytes)) return undefined;
  try {
    return decoder.decode(bytes);
  } catch {
    return undefined;
  }
}
