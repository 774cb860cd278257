/** Values of JSON, and of YAML, which has the same. */

/** What JSON can write. */
export type JsonValue =
  | string
  | number
  | boolean
  | null
  | readonly JsonValue[]
  | { readonly [key: string]: JsonValue };

/** Whether a value has named members: an object of JSON, a mapping of YAML; no list, no null. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
