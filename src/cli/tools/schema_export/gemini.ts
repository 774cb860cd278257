/**
 * Tools as the Gemini API takes them: schemas are its own selection of OpenAPI 3.0 (ai.google.dev, Schema), without
 * maps, with `nullable` for null, and with `enum` of texts alone.
 */

import { isClosed, type JsonSchema } from "../../../core/schema.ts";
import type { ToolDescription } from "../../../core/tool.ts";
import { exportEach, leftOut, type SchemaExport, type ToolExport } from "./_schema_export.ts";
import { saidInWords, slimInput } from "./_slim_schema.ts";

/** "Must start with a letter or an underscore … with a maximum length of 64" (FunctionDeclaration, and its parameters). */
const NAMES = {
  tools: /^[a-zA-Z_][a-zA-Z0-9_.-]{0,63}$/,
  arguments: /^[a-zA-Z_][a-zA-Z0-9_]{0,63}$/,
};

interface GeminiSchema {
  readonly type?: string;
  readonly nullable?: true;
  readonly description?: string;
  readonly enum?: readonly string[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly items?: GeminiSchema;
  readonly minItems?: number;
  readonly anyOf?: readonly GeminiSchema[];
  readonly properties?: Readonly<Record<string, GeminiSchema>>;
  readonly required?: readonly string[];
}

/** `[{functionDeclarations: […]}]`, as `tools` of `generateContent`. */
export function toGemini(tools: readonly ToolDescription[]): SchemaExport {
  const { definitions, notes } = exportEach(tools, NAMES, declarationOf);
  return { value: [{ functionDeclarations: definitions }], notes };
}

function declarationOf({ name, description, input }: ToolDescription): ToolExport {
  const dropped: string[] = [];
  const { oneOf: _, description: _said, ...root } = input;
  const parameters = isClosed(root) ? objectOf(root, "", dropped) : null;
  if (parameters === null) {
    // The other member of a declaration, for what the selection cannot say. Older models do not know it.
    const definition = { name, description, parametersJsonSchema: slimInput(input) };
    return { definition, notes: [`${name}: its arguments are given as parametersJsonSchema`] };
  }
  return {
    // An object without properties is refused: no parameters are said by saying none.
    definition: {
      name,
      description,
      ...(Object.keys(parameters.properties ?? {}).length === 0 ? {} : { parameters }),
    },
    notes: dropped.map((argument) => leftOut(name, argument)),
  };
}

/** Null where the selection cannot say it. */
function geminiOf(schema: JsonSchema, path: string, dropped: string[]): GeminiSchema | null {
  if (schema.oneOf !== undefined) {
    return schema.type === undefined ? alternatives(schema, schema.oneOf, path, dropped) : null;
  }
  if (schema.enum !== undefined) return membersOf(schema);
  const { type, minimum, maximum, minItems } = schema;
  const said = saidInWords(schema, { range: false, members: false });
  switch (type) {
    case undefined:
    case "null":
      return null;
    case "array": {
      const items = geminiOf(schema.items ?? {}, `${path}[]`, dropped);
      if (items === null) return null;
      return { type, ...said, items, ...(minItems === undefined ? {} : { minItems }) };
    }
    case "object": {
      const object = isClosed(schema) ? objectOf(schema, path, dropped) : null;
      // An object without properties is refused, too.
      if (object === null || Object.keys(object.properties ?? {}).length === 0) return null;
      return { ...object, ...said };
    }
    default:
      return {
        type,
        ...said,
        ...(minimum === undefined ? {} : { minimum }),
        ...(maximum === undefined ? {} : { maximum }),
      };
  }
}

function objectOf(
  { properties = {}, required = [] }: JsonSchema,
  path: string,
  dropped: string[],
): GeminiSchema | null {
  const kept: [string, GeminiSchema][] = [];
  for (const [name, property] of Object.entries(properties)) {
    const place = path === "" ? name : `${path}.${name}`;
    const found = geminiOf(property, place, dropped);
    if (found !== null) kept.push([name, found]);
    else if (required.includes(name)) return null;
    else dropped.push(place);
  }
  return {
    type: "object",
    properties: Object.fromEntries(kept),
    ...(required.length === 0 ? {} : { required }),
  };
}

/** Members that are texts; the rest is said in words, since `enum` is for texts alone and none may be empty. */
function membersOf(schema: JsonSchema): GeminiSchema | null {
  const members = schema.enum ?? [];
  const given = members.filter((member) => member !== null);
  const nullable = given.length < members.length ? { nullable: true as const } : {};
  const types = [...new Set(given.map((member) => typeof member))];
  const [type] = types;
  if (type === undefined || types.length > 1) return null;
  const texts = given.filter((member) => typeof member === "string" && member !== "");
  if (type === "string" && texts.length === given.length) {
    const said = saidInWords(schema, { range: false, members: false });
    return { type, ...nullable, ...said, enum: texts.map(String) };
  }
  const whole = given.every((member) => Number.isInteger(member));
  const said = saidInWords(schema, { range: false, members: true });
  return { type: whole ? "integer" : type, ...nullable, ...said };
}

function alternatives(
  schema: JsonSchema,
  forms: readonly JsonSchema[],
  path: string,
  dropped: string[],
): GeminiSchema | null {
  const given = forms.filter((form) => form.type !== "null");
  const found = given.map((form) => geminiOf(form, path, dropped));
  if (!found.every((form) => form !== null)) return null;
  const nullable = given.length < forms.length ? { nullable: true as const } : {};
  const said = saidInWords(schema, { range: false, members: false });
  const [only] = found;
  if (only === undefined) return null;
  if (found.length === 1) return { ...only, ...nullable, ...said };
  return { ...nullable, ...said, anyOf: found };
}
