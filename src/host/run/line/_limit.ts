/** What a line has too much of. */

import { ToolError } from "../../../core/errors.ts";

/** The error that ends it. */
export function limit(what: string): ToolError {
  return new ToolError("RESOURCE_LIMIT", `a line has at most ${what}`);
}
