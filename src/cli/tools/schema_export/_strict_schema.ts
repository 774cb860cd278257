/**
 * Schemas of OpenAI's strict mode, which holds the model to them: every property is required and every object closed, so
 * that what may be left out is `null` instead (platform.openai.com, Structured Outputs, supported schemas).
 */

import { isClosed, type JsonSchema } from "../../../core/schema.ts";
import { saidInWords } from "./_slim_schema.ts";

/** JSON Schema as strict mode writes it. */
export interface StrictSchema {
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly enum?: JsonSchema["enum"];
  readonly items?: StrictSchema;
  readonly anyOf?: readonly StrictSchema[];
  readonly properties?: Readonly<Record<string, StrictSchema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: false;
}

/** What every model with strict mode takes; the newer ones take 10 levels and 5,000 properties. */
const MOST_LEVELS = 5;
const MOST_PROPERTIES = 100;

/** A tool's input in strict mode. */
export interface StrictInput {
  /** Null where strict mode cannot describe it: something that must be given has no strict form. */
  readonly schema: StrictSchema | null;
  /** Optional arguments without a strict form, as in `edits[].env`. */
  readonly dropped: readonly string[];
}

/** The schema under strict mode's rules; null where they cannot say it. `dropped`: what of it they cannot. */
export function strictInput(input: JsonSchema): StrictInput {
  const dropped: string[] = [];
  const { oneOf: _, description: _said, ...root } = input;
  const schema = isClosed(root) ? strictObject(root, { path: "", dropped, inForm: false }) : null;
  const fits = schema !== null && levels(schema) <= MOST_LEVELS && count(schema) <= MOST_PROPERTIES;
  return fits ? { schema, dropped } : { schema: null, dropped: [] };
}

interface SchemaPosition {
  readonly path: string;
  readonly dropped: string[];
  /** Within alternatives, where `null` is not taken for absence. */
  readonly inForm: boolean;
}

/** Null where there is no strict form. */
function strictOf(schema: JsonSchema, place: SchemaPosition): StrictSchema | null {
  if (schema.oneOf !== undefined) {
    return schema.type === undefined ? alternatives(schema, schema.oneOf, place) : null;
  }
  const said = saidInWords(schema, { range: true, members: false });
  if (schema.enum !== undefined) {
    const types = [...new Set(schema.enum.map(typeOfMember))];
    return { type: types.length === 1 ? types[0] ?? "null" : types, ...said, enum: schema.enum };
  }
  switch (schema.type) {
    case undefined:
      return null;
    case "array": {
      const items = strictOf(schema.items ?? {}, { ...place, path: `${place.path}[]` });
      return items === null ? null : { type: "array", ...said, items };
    }
    case "object": {
      const object = isClosed(schema) ? strictObject(schema, place) : null;
      return object === null ? null : { ...object, ...said };
    }
    default:
      return { type: schema.type, ...said };
  }
}

function strictObject(
  { properties = {}, required = [] }: JsonSchema,
  place: SchemaPosition,
): StrictSchema | null {
  const strict: [string, StrictSchema][] = [];
  for (const [name, property] of Object.entries(properties)) {
    const path = place.path === "" ? name : `${place.path}.${name}`;
    const must = required.includes(name);
    if (!must && place.inForm) return null;
    const found = strictOf(property, { ...place, path });
    if (found !== null) strict.push([name, must ? found : orNull(found)]);
    else if (must) return null;
    else place.dropped.push(path);
  }
  return {
    type: "object",
    properties: Object.fromEntries(strict),
    required: strict.map(([name]) => name),
    additionalProperties: false,
  };
}

function alternatives(
  schema: JsonSchema,
  forms: readonly JsonSchema[],
  place: SchemaPosition,
): StrictSchema | null {
  const strict = forms.map((form) => strictOf(form, { ...place, inForm: true }));
  if (!strict.every((form) => form !== null)) return null;
  // Objects that begin with the same property are refused: the model could not tell them apart.
  const first = strict.flatMap(({ properties }) =>
    properties === undefined ? [] : [Object.keys(properties)[0] ?? ""]
  );
  if (new Set(first).size < first.length) return null;
  return { ...saidInWords(schema, { range: false, members: false }), anyOf: strict };
}

/** Simple types become a list of types, all else one of two forms: as OpenAI's own libraries write it. */
function orNull(schema: StrictSchema): StrictSchema {
  const { description, ...rest } = schema;
  if (rest.anyOf?.some(({ type }) => type === "null") === true || rest.type === "null") {
    return schema;
  }
  const isSimple = typeof rest.type === "string" && !["object", "array"].includes(rest.type) &&
    rest.enum === undefined;
  if (isSimple) return { ...schema, type: [String(rest.type), "null"] };
  return {
    ...(description === undefined ? {} : { description }),
    anyOf: [...rest.anyOf ?? [rest], { type: "null" }],
  };
}

function typeOfMember(member: string | number | boolean | null): string {
  if (member === null) return "null";
  return typeof member === "number" && Number.isInteger(member) ? "integer" : typeof member;
}

/** Objects and arrays within each other, alternatives not counted. */
function levels(schema: StrictSchema): number {
  const inner = innerOf(schema).map(levels);
  const own = schema.properties !== undefined || schema.items !== undefined ? 1 : 0;
  return own + Math.max(0, ...inner);
}

function count(schema: StrictSchema): number {
  const own = Object.keys(schema.properties ?? {}).length;
  return innerOf(schema).reduce((sum, inner) => sum + count(inner), own);
}

function innerOf({ properties = {}, items, anyOf = [] }: StrictSchema): readonly StrictSchema[] {
  return [...Object.values(properties), ...(items === undefined ? [] : [items]), ...anyOf];
}
