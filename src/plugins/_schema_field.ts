/** JSON Schema in manifests: the keywords that the interpreter knows, each held to what it can mean. */

import { quoted } from "../core/printable.ts";
import { parseArguments } from "../core/parse_arguments.ts";
import type { JsonSchema } from "../core/schema.ts";
import { converted, list, mapping, object, optional } from "../config/collection.ts";
import { type Field, number, oneOf, text } from "../config/field.ts";
import { either, found } from "../config/value_kind.ts";
import type { KeyPosition } from "../config/key_position.ts";

const TYPES = ["string", "number", "integer", "boolean", "array", "object", "null"] as const;

/** More than any model can keep in mind. */
export const MOST_PROPERTIES = 100;
const MOST_MEMBERS = 1_000;

/** A property's name, as a schema of any object has it. */
const NAME = { pattern: "^[^\\u0000-\\u001f]{1,100}$", wrong: wrongName };

function wrongName(name: string): string | null {
  return name !== "" && name.length <= 100 && !/\p{Cc}/u.test(name)
    ? null
    : "is no name of a property: 1 to 100 characters, on one line";
}

const scalar: Field<string | number | boolean> = {
  schema: { type: ["string", "number", "boolean"] },
  read: (value, place) =>
    typeof value === "string" || typeof value === "boolean" ||
      (typeof value === "number" && Number.isFinite(value))
      ? value
      : place.report(`found ${found(value)}; write a text, a number, true or false`),
};

/** Any value that JSON has; whether it fits is judged with the schema that it stands in. */
const anything: Field<NonNullable<unknown>> = {
  schema: {},
  read: (value, place) =>
    value === undefined || value === null ? place.report("found nothing; write a value") : value,
};

const whole = number({ min: 0, max: 1_000_000_000 });
const bound = number({
  min: -Number.MAX_SAFE_INTEGER,
  max: Number.MAX_SAFE_INTEGER,
  fraction: true,
});

/** Which keywords speak of which types; what is not named speaks of all. */
const SPEAKS_OF: Readonly<Record<string, readonly string[]>> = {
  minLength: ["string"],
  maxLength: ["string"],
  minimum: ["number", "integer"],
  maximum: ["number", "integer"],
  items: ["array"],
  minItems: ["array"],
  maxItems: ["array"],
  properties: ["object"],
  required: ["object"],
  additionalProperties: ["object"],
};

/** A schema inside a schema is read by the field that is being made. */
const inner: Field<JsonSchema> = {
  schema: { type: "object" },
  read: (value, place) => schemaField.read(value, place),
};

const open: Field<boolean | JsonSchema> = {
  schema: { type: ["boolean", "object"] },
  read: (value, place) => typeof value === "boolean" ? value : inner.read(value, place),
};

/** Properties by name, few enough to be read one by one. */
export function propertiesField(
  name: Parameters<typeof mapping>[1],
): Field<Readonly<Record<string, JsonSchema>>> {
  const named = mapping(inner, name);
  return {
    schema: { ...named.schema, maxProperties: MOST_PROPERTIES },
    read(value, place) {
      const count = typeof value === "object" && value !== null ? Object.keys(value).length : 0;
      return count > MOST_PROPERTIES
        ? place.report(`has ${count} names; at most ${MOST_PROPERTIES} are read`)
        : named.read(value, place);
    },
  };
}

const keywords: Field<JsonSchema> = object({
  type: optional(oneOf(TYPES), `the type: ${either(TYPES)}`),
  description: optional(text({ what: "a sentence" }), "what it is, in words for a model"),
  enum: optional(short(list(scalar, { min: 1 })), "the values that it may have"),
  default: optional(anything, "its value where a call leaves it out"),
  minLength: optional(whole, "characters of a text, at least"),
  maxLength: optional(whole, "characters of a text, at most"),
  minimum: optional(bound, "the least number"),
  maximum: optional(bound, "the greatest number"),
  items: optional(inner, "the schema of each item of a list"),
  minItems: optional(whole, "items of a list, at least"),
  maxItems: optional(whole, "items of a list, at most"),
  properties: optional(propertiesField(NAME), "the schemas of the members of an object, by name"),
  required: optional(
    short(list(text({ what: "the name of a property" }))),
    "the members that must be there",
  ),
  additionalProperties: optional(
    open,
    "whether an object may have other members (not, unless this says so), or their schema",
  ),
  oneOf: optional(short(list(inner, { min: 1 })), "schemas of which exactly one must fit"),
});

/** A list that is short enough to be shown to a model. */
function short<T>(field: Field<readonly T[]>): Field<readonly T[]> {
  return {
    schema: { ...field.schema, maxItems: MOST_MEMBERS },
    read: (value, place) =>
      Array.isArray(value) && value.length > MOST_MEMBERS
        ? place.report(`has ${value.length} entries; at most ${MOST_MEMBERS} are read`)
        : field.read(value, place),
  };
}

/** A schema of any value. */
export const schemaField: Field<JsonSchema> = converted(keywords, (schema, place) => {
  const wrong = incoherences(schema);
  for (const [key, message] of wrong) place.in(key).report(message);
  return wrong.length === 0 && membersFit(schema, place) ? schema : undefined;
});

/** Keywords that contradict each other, or that speak of another type. */
function incoherences(schema: JsonSchema): readonly (readonly [string, string])[] {
  const { type, required = [], properties = {} } = schema;
  const wrong: (readonly [string, string])[] = [];
  for (const key of Object.keys(schema)) {
    const types = SPEAKS_OF[key];
    if (types === undefined || (type !== undefined && types.includes(type))) continue;
    wrong.push([key, `speaks of ${either(types)}; write type: ${types[0]}, or leave it out`]);
  }
  for (const [low, high] of BOUNDS) {
    const least = schema[low];
    const most = schema[high];
    if (least !== undefined && most !== undefined && least > most) {
      wrong.push([high, `${most} is below ${low}, ${least}; nothing can fit`]);
    }
  }
  const unknown = missingProperty(required, properties);
  return unknown === null ? wrong : [...wrong, ["required", unknown]];
}

/** What is wrong with a list of required members; null where each is a property. */
export function missingProperty(
  required: readonly string[],
  properties: Readonly<Record<string, JsonSchema>>,
): string | null {
  const name = required.find((name) => !Object.hasOwn(properties, name));
  return name === undefined ? null : `${quoted(name)} is none of the properties`;
}

const BOUNDS = [["minLength", "maxLength"], ["minimum", "maximum"], [
  "minItems",
  "maxItems",
]] as const;

/** Whether the members of `enum` and the default pass the schema themselves. */
function membersFit(schema: JsonSchema, place: KeyPosition): boolean {
  const { enum: members, default: standard, ...rest } = schema;
  const misfits = (members ?? []).map((member, index) => {
    const problem = problemOf(rest, member);
    if (problem !== null) place.in("enum").at(index).report(problem);
    return problem;
  });
  const problem = standard === undefined
    ? null
    : problemOf(members === undefined ? rest : { ...rest, enum: members }, standard);
  if (problem !== null) place.in("default").report(problem);
  return problem === null && misfits.every((misfit) => misfit === null);
}

/** What is wrong with a value by its own schema; null where nothing is. */
function problemOf(schema: JsonSchema, value: unknown): string | null {
  const parsed = parseArguments({ type: "object", properties: { value: schema } }, { value });
  if ("value" in parsed) return null;
  const [first] = parsed.problems;
  return `does not fit its own schema: ${first?.message ?? "?"}`;
}
