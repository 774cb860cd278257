/** A path argument that names a directory to go through, or one file. */

import { ToolError } from "../core/errors.ts";
import type { ReadContext } from "../core/tool.ts";

/** Scans a directory; where the path is a file, visits that, whatever rules say of it. */
export function scanOrVisit(
  path: string,
  { files }: ReadContext,
  scan: () => void,
  visit: (file: string) => void,
): void {
  try {
    scan();
  } catch (error) {
    if (!(error instanceof ToolError) || error.code !== "NOT_A_DIRECTORY") throw error;
    visit(files.display(path));
  }
}
