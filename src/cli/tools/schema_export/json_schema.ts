/** Tools as one document of JSON Schema: what calls may hold, and what each tool takes and answers. */

import type { ToolDescription } from "../../../core/tool.ts";
import type { SchemaExport } from "./_schema_export.ts";

/** JSON Schema 2020-12, whole: nothing is left out. A call is an object with `tool` and `args`, as `serve` takes it. */
export function toJsonSchema(tools: readonly ToolDescription[]): SchemaExport {
  return {
    value: {
      $schema: "https://json-schema.org/draft/2020-12/schema",
      title: "Calls of Toolgate's tools",
      ...(tools.length === 0 ? { not: {} } : { oneOf: tools.map(({ name }) => callOf(name)) }),
      $defs: Object.fromEntries(
        tools.flatMap(({ name, description, input, output }) => [
          [name, { description, ...input }],
          [`${name}.output`, output],
        ]),
      ),
    },
    notes: [],
  };
}

function callOf(name: string): Record<string, unknown> {
  // RFC 6901: ~ and / stand for the ends of its steps; and it is a fragment of a URI here.
  const pointer = encodeURIComponent(name.replaceAll("~", "~0").replaceAll("/", "~1"));
  return {
    type: "object",
    properties: { tool: { const: name }, args: { $ref: `#/$defs/${pointer}` } },
    required: ["tool", "args"],
  };
}
