/** Plain JSON Schema data (a subset of draft 2020-12), the types that read it, and what it leaves implied. */

import type { JsonValue } from "./json_value.ts";

/** The keywords that tools may use. */
export interface JsonSchema {
  readonly type?: "string" | "number" | "integer" | "boolean" | "array" | "object" | "null";
  readonly description?: string;
  readonly enum?: readonly (string | number | boolean | null)[];
  readonly default?: JsonValue;
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

/**
 * A schema of objects: what a tool takes and what it answers are objects. Where the schema is only known at run time (a
 * manifest's), `T` says what it parses to: the phantom member ties data to type and is never there. A schema that is
 * written down needs none: `{…} as const satisfies Schema`, and `Infer` reads the rest.
 */
export type Schema<T = unknown> = JsonSchema & { readonly type: "object"; readonly __type?: T };

/**
 * The type of what fits a schema that is written `as const`, after `parseArguments`: a property is there where it is
 * required or has a default (which is filled in everywhere but inside `oneOf`), and may be absent else; what is not
 * known to the type checker is `unknown`. Bounds (`minLength`, `maximum`, …) leave no trace in it.
 */
export type Infer<S extends JsonSchema> = "__type" extends keyof S
  ? S extends { readonly __type?: infer T } ? T : never
  : Value<S, true>;

/** All keywords bind at once, as in JSON Schema: what they allow each is intersected. */
type Value<S, Filled extends boolean> =
  & (S extends { readonly type: infer T } ? OfType<S, T, Filled> : unknown)
  & (S extends { readonly enum: readonly (infer Member)[] } ? Member : unknown)
  & (S extends { readonly oneOf: readonly (infer Form)[] } ? FormValue<Form> : unknown);

/** One of several forms; no default is filled in there. */
type FormValue<Form> = Form extends unknown ? Value<Form, false> : never;

type OfType<S, T, Filled extends boolean> = T extends "string" ? string
  : T extends "number" | "integer" ? number
  : T extends "boolean" ? boolean
  : T extends "null" ? null
  : T extends "array" ? readonly ItemOf<S, Filled>[]
  : T extends "object" ? ObjectOf<S, Filled>
  : never;

type ItemOf<S, Filled extends boolean> = S extends { readonly items: infer Item }
  ? Value<Item, Filled>
  : unknown;

/** What the schema does not say, and its type leaves open, is open: any object then. */
type ObjectOf<S, Filled extends boolean> = S extends { readonly properties: infer P } ?
    & Flat<Properties<P, NamesOf<S> | (Filled extends true ? DefaultNames<P> : never), Filled>>
    & (S extends { readonly additionalProperties: true | JsonSchema } ? AnyObject : unknown)
  : S extends { readonly additionalProperties: infer More }
    ? More extends JsonSchema ? Readonly<Record<string, Value<More, Filled>>>
    : More extends true ? AnyObject
    : Readonly<Record<string, never>>
  : "properties" extends keyof S ? AnyObject
  : Readonly<Record<string, never>>;

type AnyObject = Readonly<Record<string, unknown>>;

type Properties<P, Present, Filled extends boolean> =
  & { readonly [K in keyof P as K extends Present ? K : never]: Value<P[K], Filled> }
  & { readonly [K in keyof P as K extends Present ? never : K]?: Value<P[K], Filled> };

/** Names of which no more is known than that they are strings count as none. */
type NamesOf<S> = S extends { readonly required: readonly (infer Name)[] }
  ? string extends Name ? never : Name
  : never;

type DefaultNames<P> = {
  [K in keyof P]: P[K] extends { readonly default: unknown } ? K : never;
}[keyof P];

/** The same type as one list of properties, for people to read. */
type Flat<T> = { readonly [K in keyof T]: T[K] };

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
