/** Arguments that the tools which write text share. */

import { ToolError } from "../../../core/errors.ts";
import type { JsonSchema } from "../../../core/schema.ts";

/** One exact replacement. */
export interface Edit {
  readonly old: string;
  readonly new: string;
  /** Else there must be exactly one place. */
  readonly replaceAll: boolean;
}

/** The argument `expected_sha256`. */
export const EXPECTED_SHA256 = {
  type: "string",
  minLength: 64,
  maxLength: 64,
  description: "Write only over this content: the sha256 that read_file gave.",
} as const satisfies JsonSchema;

/** The argument `validate_syntax`. */
export const VALIDATE_SYNTAX = {
  type: "boolean",
  default: true,
  description: "Refuse content that is not valid for the file's ending.",
} as const satisfies JsonSchema;

/** Without a default: that tells whether the caller said it. */
export const FILE_ENCODING = {
  type: "string",
  minLength: 1,
  maxLength: 40,
  description:
    "What the file is in, where it is neither UTF-8 nor begins with a byte order mark: latin1, utf-16le, …",
} as const satisfies JsonSchema;

/** Throws INVALID_ARGUMENTS. */
export function checkSha256(expected: string | undefined): void {
  if (expected === undefined || /^[0-9a-fA-F]{64}$/.test(expected)) return;
  throw new ToolError(
    "INVALID_ARGUMENTS",
    "expected_sha256: expected 64 hexadecimal digits, as read_file gives them",
  );
}

/** Throws INVALID_ARGUMENTS for a replacement that has no place or makes no difference. */
export function checkReplacement(prefix: string, before: string, after: string): void {
  if (before === "") {
    throw new ToolError(
      "INVALID_ARGUMENTS",
      `${prefix}old: must not be empty; to insert, replace the text beside the place by itself and more`,
    );
  }
  if (before === after) {
    throw new ToolError(
      "INVALID_ARGUMENTS",
      `${prefix}new: is the same as old, so nothing would change; leave the edit out`,
    );
  }
}
