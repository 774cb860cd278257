/** Child agents outlive the call that starts them: without a gate nobody is there to have them. */

import { ToolError } from "../../core/errors.ts";

/** The error of a tool that nobody is there for. */
export function gateRequired(tool: string): ToolError {
  return new ToolError(
    "GATE_REQUIRED",
    `${tool}: child agents live in a gate: toolgate serve --listen unix:PATH, and come to it with --gate PATH`,
  );
}
