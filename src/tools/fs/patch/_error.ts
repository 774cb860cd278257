/** The refusal of a patch that cannot be read. */

import { ToolError } from "../../../core/errors.ts";

/** `line` of the patch, from 1. */
export function patchError(line: number, problem: string): ToolError {
  return new ToolError("PATCH_FAILED", `line ${line} of the patch: ${problem}`, {
    details: { patch_line: line },
  });
}
