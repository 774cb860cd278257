/** The exit status of what a command line asked for, however it went. */

import { EXIT } from "../core/errors.ts";
import { complain } from "./stdio.ts";
import { UsageError } from "./usage_error.ts";

/** Never throws: what went wrong is said on standard error. */
export async function settled(done: () => Promise<number>): Promise<number> {
  try {
    return await done();
  } catch (error) {
    if (error instanceof UsageError) {
      complain(`toolgate: ${error.message}`);
      return EXIT.usage;
    }
    // Any other is a defect of ours: say so, without the paths that its message may carry.
    complain(`toolgate: INTERNAL_ERROR: ${error instanceof Error ? error.name : "unknown"}`);
    return EXIT.internal;
  }
}
