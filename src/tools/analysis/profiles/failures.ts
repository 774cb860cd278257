/** What a profile that cannot be read is refused with. */

import { ToolError } from "../../../core/errors.ts";

/** A profile with more of something than there is room for. */
export function tooMany(what: string, limit: number): ToolError {
  return new ToolError(
    "RESOURCE_LIMIT",
    `the profile has over ${limit} ${what}; record a shorter one, or with fewer frames a stack`,
    { details: { limit } },
  );
}

/** A profile that is of a known format, and damaged. */
export function damaged(format: string, what: string): ToolError {
  return new ToolError(
    "UNKNOWN_PROFILE",
    `this looks like ${format}, but ${what}; record it again, or hand over the whole file`,
  );
}
