/** Where copies and moves go: what may stand there already, judged before anything is done. */

import { ToolError } from "../../core/errors.ts";
import { quoted } from "../../core/printable.ts";
import type { FileType, ReadContext } from "../../core/tool.ts";
import { findIfAllowed } from "./_find_if_allowed.ts";

/**
 * Whether a file would be replaced; null where that may not be known. Throws FILE_EXISTS as the change itself
 * would. `from`: the type of what is to go there.
 */
export function refuseTaken(
  path: string,
  from: FileType,
  overwrite: boolean,
  context: ReadContext,
): boolean | null {
  const found = findIfAllowed(path, context);
  if (found === undefined) return null;
  if (found === null) return false;
  const shown = quoted(context.files.display(path));
  if (found.type === "directory") {
    throw new ToolError("FILE_EXISTS", `${shown} is a directory; name the new entry in it`);
  }
  if (from === "directory") {
    throw new ToolError(
      "FILE_EXISTS",
      `${shown} exists, and a directory replaces nothing; take another dst`,
    );
  }
  if (!overwrite) {
    throw new ToolError(
      "FILE_EXISTS",
      `${shown} exists; overwrite: true replaces it, or take another dst`,
    );
  }
  return true;
}
