/** A tool as `tools` and the pipe's `tools` show it. */

import type { ToolDescription } from "../core/tool.ts";

/** What the operation `tools` says of a tool, in the names of the protocol. */
export function toolShape(tool: ToolDescription): Readonly<Record<string, unknown>> {
  const { name, aliases, category, description, risk, changes, permission, input, output } = tool;
  return {
    name,
    aliases,
    category,
    description,
    risk,
    changes,
    permission,
    input_schema: input,
    output_schema: output,
  };
}
