/** Tools as Anthropic's Messages API takes them. */

import type { ToolDescription } from "../../../core/tool.ts";
import { exportEach, type SchemaExport } from "./_schema_export.ts";
import { slimInput } from "./_slim_schema.ts";

/** For tools newer versions of the API take 128 characters (API reference, Messages, tools). */
const NAMES = { tools: /^[a-zA-Z0-9_-]{1,64}$/, arguments: /^[a-zA-Z0-9_.-]{1,64}$/ };

/** `{name, description, input_schema}`, as `tools` of `POST /v1/messages`. */
export function toAnthropic(tools: readonly ToolDescription[]): SchemaExport {
  const { definitions, notes } = exportEach(tools, NAMES, ({ name, description, input }) => ({
    definition: { name, description, input_schema: slimInput(input) },
    notes: [],
  }));
  return { value: definitions, notes };
}
