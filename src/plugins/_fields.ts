/** Fields that manifests and their cases share. */

import { isObject } from "../core/json_value.ts";
import type { Field } from "../config/field.ts";
import { found } from "../config/value_kind.ts";

/** Arguments of a call: any mapping, which the parameters' schema judges. */
export const argumentsField: Field<Readonly<Record<string, unknown>>> = {
  schema: { type: "object" },
  read: (value, place) =>
    isObject(value) ? value : place.report(`found ${found(value)}; write a mapping of arguments`),
};
