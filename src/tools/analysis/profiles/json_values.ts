/** Looking into parsed JSON of which nothing is known. */

/** An object of which no member is known. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** The list, or an empty one. */
export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** The text, or an empty one. */
export function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}
