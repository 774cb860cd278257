/** Members of what was parsed, whatever it turned out to be. */

/** An object of a file, whose fields may be anything. */
export type Fields = Readonly<Record<string, unknown>>;

/** The members of a JSON object; null for any other value. */
export function fieldsOf(value: unknown): Fields | null {
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? value as Fields
    : null;
}

/** A member that is text; null where there is none. */
export function textIn(fields: Fields | null, name: string): string | null {
  const value = fields === null || !Object.hasOwn(fields, name) ? undefined : fields[name];
  return typeof value === "string" ? value : null;
}

/** A member that has members; null where there is none. */
export function fieldsIn(fields: Fields | null, name: string): Fields | null {
  return fields === null || !Object.hasOwn(fields, name) ? null : fieldsOf(fields[name]);
}

/** A member that is a list; empty where there is none. */
export function listIn(fields: Fields | null, name: string): readonly unknown[] {
  const value = fields === null || !Object.hasOwn(fields, name) ? undefined : fields[name];
  return Array.isArray(value) ? value : [];
}
