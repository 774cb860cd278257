/** Why a command of git that shows contents was not started. */

import { ToolError } from "../../../core/errors.ts";
import { printable, quoted } from "../../../core/printable.ts";

const MOST_NAMED = 100;

/** It would show contents of these names. `advice`: what can be done instead. */
export function wouldShow(
  argv: readonly string[],
  names: readonly string[],
  advice: string,
): ToolError {
  const few = names.slice(0, 5).map((name) => printable(name, 200)).join(", ");
  const more = names.length > 5 ? ` and ${names.length - 5} more` : "";
  return new ToolError(
    "PATH_DENIED",
    `${
      quoted(printable(argv.join(" "), 200))
    } would show what commits or the index hold of ${few}${more}, ` +
      `which the policy's paths deny, or do not plainly allow; it was not started: ${advice}`,
    { details: { denied: names.slice(0, MOST_NAMED) } },
  );
}

/** It cannot be looked through, in a repository where names are denied. `why` ends a sentence. */
export function refusal(argv: readonly string[], why: string): ToolError {
  return new ToolError(
    "PATH_DENIED",
    `${
      quoted(printable(argv.join(" "), 200))
    } was not started, as the policy denies names and ${why}`,
  );
}
