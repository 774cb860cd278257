/** Plain JSON Schema data (a subset of draft 2020-12), the types that read it, and what it leaves implied. */

/** The keywords that tools may use. */
export interface JsonSchema {
  readonly type?: "string" | "number" | "integer" | "boolean" | "array" | "object" | "null";
  readonly description?: string;
  readonly enum?: readonly (string | number | boolean | null)[];
  readonly default?: unknown;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly items?: JsonSchema;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | JsonSchema;
  readonly oneOf?: readonly JsonSchema[];
}

/** A schema of objects that parses to `T`: the phantom member ties data to type and is never there. */
export type Schema<T> = JsonSchema & { readonly type: "object"; readonly __type?: T };

/** Whether objects of this schema take no other properties than it names: so unless it says otherwise. */
export function isClosed(schema: JsonSchema): boolean {
  return schema.additionalProperties === false ||
    (schema.additionalProperties === undefined &&
      (schema.type === "object" || schema.properties !== undefined));
}

/** The same schema with `additionalProperties: false` written out where it is implied: what others may read. */
export function toStandardSchema(schema: JsonSchema): JsonSchema {
  const { items, properties, additionalProperties, oneOf } = schema;
  return {
    ...schema,
    ...(items === undefined ? {} : { items: toStandardSchema(items) }),
    ...(properties === undefined ? {} : {
      properties: Object.fromEntries(
        Object.entries(properties).map(([name, property]) => [name, toStandardSchema(property)]),
      ),
    }),
    ...(typeof additionalProperties === "object"
      ? { additionalProperties: toStandardSchema(additionalProperties) }
      : isClosed(schema)
      ? { additionalProperties: false }
      : {}),
    ...(oneOf === undefined ? {} : { oneOf: oneOf.map(toStandardSchema) }),
  };
}
