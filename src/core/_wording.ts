/** How schemas, values and places in arguments are named in messages. */

import { isObject } from "./json_value.ts";
import { printable, quoted } from "./printable.ts";
import type { JsonSchema } from "./schema.ts";

/** `edits[2]` and `old` give `edits[2].old`; names that are no identifiers stand in brackets, quoted. */
export function joinPath(path: string, key: string): string {
  const name = /^[A-Za-z_$][\w$-]*$/.test(key) ? printable(key, 60) : `[${quoted(key)}]`;
  return path === "" || name.startsWith("[") ? `${path}${name}` : `${path}.${name}`;
}

const TYPE_WORDS = {
  string: "a string",
  number: "a number",
  integer: "an integer",
  boolean: "true or false",
  array: "an array",
  object: "an object",
  null: "null",
} as const;

/** `an integer of at least 1`, `one of "a", "b"`. */
export function describeType(schema: JsonSchema): string {
  if (schema.enum !== undefined) {
    return `one of ${schema.enum.map((member) => JSON.stringify(member)).join(", ")}`;
  }
  if (schema.oneOf !== undefined && schema.type === undefined) {
    return schema.oneOf.map(describeType).join(" or ");
  }
  if (schema.type === undefined) return "a value";
  const { minimum, maximum } = schema;
  const range = minimum !== undefined && maximum !== undefined
    ? ` from ${minimum} to ${maximum}`
    : minimum !== undefined
    ? ` of at least ${minimum}`
    : maximum !== undefined
    ? ` of at most ${maximum}`
    : "";
  return TYPE_WORDS[schema.type] + range;
}

/** `the string "3"`, `an array`, `true`. */
export function describeValue(value: unknown): string {
  if (typeof value === "string") return `the string ${quoted(value)}`;
  if (Array.isArray(value)) return "an array";
  if (isObject(value)) return "an object";
  return String(value);
}

/** The commonest slips of models, each with its remedy. */
export function typeHint(schema: JsonSchema, value: unknown): string {
  switch (schema.type) {
    case "boolean":
      return value === "true" || value === "false" ? ": leave out the quotes" : "";
    case "integer":
    case "number":
      return typeof value === "string" && /^-?\d+(\.\d+)?$/.test(value)
        ? ": leave out the quotes"
        : "";
    case "array":
      if (typeof value === "string" && value.startsWith("[")) {
        return ": send it as JSON, not as text";
      }
      return value === null || isObject(value) ? "" : ": put it in [ ]";
    case "object":
      return typeof value === "string" && value.startsWith("{")
        ? ": send it as JSON, not as text"
        : "";
    default:
      return "";
  }
}
