/** The answer where a command is allowed by its words, but no such program is there to be started. */

import { ToolError } from "../../core/errors.ts";
import { quoted } from "../../core/printable.ts";
import type { DecidedCall } from "./decided_call.ts";

/**
 * COMMAND_NOT_FOUND for the one program of a call that was not found, null where it is there; where the line says what
 * follows then (`nope || true`), it goes on as with any shell (status 127).
 */
export function missingProgram(
  { tool, input, decision, sought = [] }: Pick<
    DecidedCall,
    "tool" | "input" | "decision" | "sought"
  >,
): ToolError | null {
  if (tool.goesOn?.(input) === true) return null;
  const spawns = decision.verdicts.flatMap(({ capability }) =>
    capability.kind === "process.spawn" && capability.opened !== true ? [capability] : []
  );
  const [only] = spawns;
  if (only === undefined || spawns.length > 1 || only.program !== null) return null;
  const name = only.argv[0] ?? "";
  const where = name.includes("/")
    ? "there is no program that may be executed at that path"
    : "the search path leads to no program of that name in the folders that commands may use";
  const others = sought.filter((other) => other !== name).map((other) => quoted(other));
  const looked = others.length === 0 ? "" : `; looked for ${others.join(", ")} too`;
  const remedy = only.own === undefined ? "" : `; ${only.own.missing}`;
  return new ToolError("COMMAND_NOT_FOUND", `${quoted(name)}: ${where}${looked}${remedy}`);
}
