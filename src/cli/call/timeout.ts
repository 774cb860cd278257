/** `--timeout`. */

import { parseDuration } from "../../config/duration.ts";
import type { CommandLine } from "../flags.ts";
import { UsageError } from "../usage_error.ts";

/** In milliseconds, or null. */
export function timeoutOf(invocation: CommandLine): number | null {
  const text = invocation.values["timeout"]?.[0];
  if (text === undefined) return null;
  try {
    const ms = parseDuration(text);
    if (ms > 0) return ms;
  } catch (error) {
    throw new UsageError(`--timeout: ${error instanceof Error ? error.message : "no duration"}`);
  }
  throw new UsageError("--timeout: must be above 0");
}
