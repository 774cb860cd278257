/** Child agents outlive the call that starts them: without a gate nobody is there to have them. */

import { ToolError } from "../../core/errors.ts";

/** The error of a tool that nobody is there for. */
export function gateRequired(tool: string): ToolError {
  return new ToolError(
    "GATE_REQUIRED",
    `${tool}: child agents live as long as who started them is connected: use serve, mcp, or a gate (serve --listen unix:PATH, then call --gate PATH)`,
  );
}
