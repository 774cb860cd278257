/** Tools as `toolgate mcp` lists them. */

import type { ToolDescription } from "../../../core/tool.ts";
import { STATELESS_REVISION } from "../../../serve/mcp/messages.ts";
import { listedTool } from "../../../serve/mcp/tool_listing.ts";
import type { SchemaExport } from "./_schema_export.ts";

/** The `tools` of the result of `tools/list`, in the newest revision. */
export function toMcp(tools: readonly ToolDescription[]): SchemaExport {
  return { value: tools.map((tool) => listedTool(tool, STATELESS_REVISION)), notes: [] };
}
