/** Asking what is at a path where the policy lets it: for previews, by a capability that a call can do without. */

import { ToolError } from "../../core/errors.ts";
import type { FileInfo, ReadContext } from "../../core/tool.ts";

/** What is at a path; null where there is nothing, undefined where that may not be known. */
export function findIfAllowed(path: string, { files }: ReadContext): FileInfo | null | undefined {
  try {
    return files.find(path);
  } catch (error) {
    if (error instanceof ToolError) return undefined;
    throw error;
  }
}
