/** A schema in a few words. */

import type { JsonSchema } from "../../core/schema.ts";

/** `integer ≥ 1`, `list of string`, `"iso" | "unix"`, `map to string`. */
export function schemaText(schema: JsonSchema): string {
  if (schema.enum !== undefined) {
    return schema.enum.map((member) => JSON.stringify(member)).join(" | ");
  }
  if (schema.oneOf !== undefined) return schema.oneOf.map(schemaText).join(" | ");
  const { type = "any", items, additionalProperties, properties } = schema;
  if (type === "array") return items === undefined ? "list" : `list of ${schemaText(items)}`;
  if (type === "object" && properties === undefined && typeof additionalProperties === "object") {
    return `map to ${schemaText(additionalProperties)}`;
  }
  return `${type}${rangeText(schema)}`;
}

function rangeText({ minimum, maximum }: JsonSchema): string {
  if (minimum !== undefined && maximum !== undefined) return ` ${minimum}–${maximum}`;
  if (minimum !== undefined) return ` ≥ ${minimum}`;
  return maximum === undefined ? "" : ` ≤ ${maximum}`;
}
