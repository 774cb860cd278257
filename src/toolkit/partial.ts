/** What a call that ran out of time had found by then. */

import { ToolError } from "../core/errors.ts";

/** The error to throw: the same, with `found` as its output where time is what ran out. */
export function withPartial(error: unknown, found: () => unknown): unknown {
  if (!(error instanceof ToolError) || error.code !== "TIMEOUT") return error;
  const { code, message, details, rule } = error;
  return new ToolError(code, message, {
    ...(details === null ? {} : { details }),
    rule,
    output: found(),
  });
}
