/** The answer where a command is allowed by its words, but no such program is there to be started. */

import { ToolError } from "../core/errors.ts";
import { quoted } from "../core/printable.ts";
import type { Decision } from "../policy/rulebook.ts";

/** Throws COMMAND_NOT_FOUND for the first program that was not found. */
export function refuseMissingProgram(decision: Decision): void {
  for (const { capability } of decision.verdicts) {
    if (capability.kind !== "process.spawn" || capability.program !== null) continue;
    const name = capability.argv[0] ?? "";
    const where = name.includes("/")
      ? "there is no program that may be executed at that path"
      : "the search path leads to no program of that name in the folders that commands may use";
    throw new ToolError("COMMAND_NOT_FOUND", `${quoted(name)}: ${where}`);
  }
}
