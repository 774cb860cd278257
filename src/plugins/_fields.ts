/** Fields that manifests and their cases share. */

import type { Field } from "../config/field.ts";
import { found } from "../config/value_kind.ts";

/** Arguments of a call: any mapping, which the parameters' schema judges. */
export const argumentsField: Field<Readonly<Record<string, unknown>>> = {
  schema: { type: "object" },
  read: (value, place) =>
    isMapping(value) ? value : place.report(`found ${found(value)}; write a mapping of arguments`),
};

/** Whether a value of YAML has keys. */
export function isMapping(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
