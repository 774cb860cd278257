/**
 * What each API takes as tool definitions, written down from its own documentation and error messages, and knowing
 * nothing of how Toolgate makes them. Each function gives all that the API would refuse.
 */

import { Ajv2020 } from "ajv/dist/2020.js";

type Json = unknown;
type Fields = Readonly<Record<string, Json>>;

const isFields = (value: Json): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const fieldsOf = (value: Json): Fields => isFields(value) ? value : {};
const listOf = (value: Json): readonly Json[] => Array.isArray(value) ? value : [];
const textsOf = (value: Json): readonly string[] => listOf(value).map(String);

function unknownFields(value: Fields, known: string, at: string): string[] {
  return Object.keys(value).filter((field) => !known.split(" ").includes(field))
    .map((field) => `${at}: unknown field ${field}`);
}

const ajv = new Ajv2020({ strict: true, allowUnionTypes: true });

/** Valid JSON Schema 2020-12 without keywords that nobody knows. */
export function isJsonSchema(schema: Json, at: string): string[] {
  try {
    ajv.compile(fieldsOf(schema));
    return [];
  } catch (error) {
    return [`${at}: ${error instanceof Error ? error.message : "no schema"}`];
  }
}

/** The root of a function's parameters, for OpenAI and Anthropic alike. */
function rootProblems(schema: Fields, at: string): string[] {
  return [
    ...(schema["type"] === "object" ? [] : [`${at}: type must be "object"`]),
    ...(isFields(schema["properties"]) ? [] : [`${at}: properties are missing`]),
    ...["oneOf", "anyOf", "allOf", "enum", "not"].filter((keyword) => keyword in schema)
      .map((keyword) => `${at}: ${keyword} at the top level`),
    ...isJsonSchema(schema, at),
  ];
}

/** `tools` of OpenAI's Chat Completions: at most 128 functions. */
export function openAiProblems(tools: Json): string[] {
  const found = Array.isArray(tools) ? [] : ["tools must be a list"];
  if (listOf(tools).length > 128) found.push("at most 128 tools");
  for (const [index, tool] of listOf(tools).entries()) {
    const at = `tools[${index}]`;
    const fields = fieldsOf(tool);
    if (fields["type"] !== "function") found.push(`${at}: type must be "function"`);
    found.push(...unknownFields(fields, "type function", at));
    found.push(...functionProblems(fieldsOf(fields["function"]), "name", at));
  }
  return [
    ...found,
    ...namesTwice(listOf(tools).map((tool) => fieldsOf(fieldsOf(tool)["function"]))),
  ];
}

/** `tools` of OpenAI's Responses, where strict is on unless it is switched off. */
export function openAiResponsesProblems(tools: Json): string[] {
  const found = Array.isArray(tools) ? [] : ["tools must be a list"];
  if (listOf(tools).length > 128) found.push("at most 128 tools");
  for (const [index, tool] of listOf(tools).entries()) {
    const at = `tools[${index}]`;
    const fields = fieldsOf(tool);
    if (fields["type"] !== "function") found.push(`${at}: type must be "function"`);
    found.push(...functionProblems({ strict: true, ...fields }, "type name", at));
  }
  return [...found, ...namesTwice(listOf(tools).map(fieldsOf))];
}

function functionProblems(definition: Fields, named: string, at: string): string[] {
  const { name, description, parameters, strict } = definition;
  const schema = fieldsOf(parameters);
  return [
    ...unknownFields(definition, `${named} description parameters strict`, at),
    ...(/^[a-zA-Z0-9_-]{1,64}$/.test(String(name)) ? [] : [`${at}: name ${name}`]),
    ...(typeof description === "string" && description.length <= 1024
      ? []
      : [`${at}: description`]),
    ...rootProblems(schema, at),
    ...(strict === true ? strictProblems(schema, at) : []),
  ];
}

const STRICT_KEYWORDS =
  "type description enum const anyOf items properties required additionalProperties $ref $defs";

/** Structured Outputs, supported schemas; sizes as of the first models that had it. */
export function strictProblems(schema: Json, at: string): string[] {
  const found: string[] = [];
  let properties = 0;
  let members = 0;
  let letters = 0;
  const walk = (value: Json, place: string, level: number): void => {
    const node = fieldsOf(value);
    found.push(...unknownFields(node, STRICT_KEYWORDS, place));
    const types = Array.isArray(node["type"]) ? textsOf(node["type"]) : [String(node["type"])];
    const forms = listOf(node["anyOf"]);
    if (node["type"] === undefined && forms.length === 0) found.push(`${place}: no type`);
    for (const type of node["type"] === undefined ? [] : types) {
      if (!["string", "number", "integer", "boolean", "object", "array", "null"].includes(type)) {
        found.push(`${place}: type ${type}`);
      }
    }
    members += listOf(node["enum"]).length;
    letters += textsOf(node["enum"]).join("").length;
    const isObject = types.includes("object");
    const isList = types.includes("array");
    const inner = level + (isObject || isList ? 1 : 0);
    if (inner > 5) found.push(`${place}: ${inner} levels of nesting exceed 5`);
    if (isObject) {
      const names = Object.keys(fieldsOf(node["properties"]));
      properties += names.length;
      letters += names.join("").length;
      if (node["additionalProperties"] !== false) found.push(`${place}: additionalProperties`);
      if (names.toSorted().join() !== textsOf(node["required"]).toSorted().join()) {
        found.push(`${place}: required must name every property`);
      }
      for (const name of names) walk(fieldsOf(node["properties"])[name], `${place}.${name}`, inner);
    }
    if (isList) walk(node["items"], `${place}[]`, inner);
    forms.forEach((form, index) => walk(form, `${place}|${index}`, level));
    const keys = forms.map((form) => Object.keys(fieldsOf(fieldsOf(form)["properties"]))[0])
      .filter((key) => key !== undefined);
    if (new Set(keys).size < keys.length) found.push(`${place}: identical first keys`);
  };
  walk(schema, at, 0);
  if (properties > 100) found.push(`${at}: ${properties} properties exceed 100`);
  if (members > 500) found.push(`${at}: ${members} enum values exceed 500`);
  if (letters > 15_000) found.push(`${at}: ${letters} letters of names exceed 15,000`);
  return found;
}

/** `tools` of Anthropic's Messages. */
export function anthropicProblems(tools: Json): string[] {
  const found = Array.isArray(tools) ? [] : ["tools must be a list"];
  for (const [index, tool] of listOf(tools).entries()) {
    const at = `tools[${index}]`;
    const fields = fieldsOf(tool);
    const schema = fieldsOf(fields["input_schema"]);
    found.push(...unknownFields(fields, "name description input_schema", at));
    if (!/^[a-zA-Z0-9_-]{1,128}$/.test(String(fields["name"]))) found.push(`${at}: name`);
    if (typeof fields["description"] !== "string") found.push(`${at}: description`);
    found.push(...rootProblems(schema, at));
    const keys = allKeys(schema).filter((key) => !/^[a-zA-Z0-9_.-]{1,64}$/.test(key));
    found.push(...keys.map((key) => `${at}: property key ${key}`));
  }
  return [...found, ...namesTwice(listOf(tools).map(fieldsOf))];
}

function allKeys(schema: Json): string[] {
  const { properties, items, anyOf, oneOf } = fieldsOf(schema);
  const inner = [...Object.values(fieldsOf(properties)), items, ...listOf(anyOf), ...listOf(oneOf)];
  return [
    ...Object.keys(fieldsOf(properties)),
    ...inner.filter(isFields).flatMap(allKeys),
  ];
}

const GEMINI_FIELDS =
  "type format title description nullable enum items maxItems minItems properties " +
  "required minProperties maxProperties minimum maximum minLength maxLength pattern example anyOf propertyOrdering";

/** `tools` of Gemini's generateContent. `parametersJsonSchema` is taken as plain JSON Schema. */
export function geminiProblems(tools: Json): string[] {
  const found: string[] = [];
  if (!Array.isArray(tools) || tools.length !== 1) found.push("tools must be a list of one");
  const declarations = listOf(tools).flatMap((tool) =>
    listOf(fieldsOf(tool)["functionDeclarations"])
  );
  for (const [index, declaration] of declarations.entries()) {
    const at = `functionDeclarations[${index}]`;
    const fields = fieldsOf(declaration);
    found.push(...unknownFields(fields, "name description parameters parametersJsonSchema", at));
    if (!/^[a-zA-Z_][a-zA-Z0-9_.-]{0,63}$/.test(String(fields["name"]))) found.push(`${at}: name`);
    if (typeof fields["description"] !== "string") found.push(`${at}: description`);
    if ("parameters" in fields && "parametersJsonSchema" in fields) found.push(`${at}: both`);
    if ("parametersJsonSchema" in fields) {
      found.push(...isJsonSchema(fields["parametersJsonSchema"], at));
    }
    if (!("parameters" in fields)) continue;
    if (fieldsOf(fields["parameters"])["type"] !== "object") found.push(`${at}: no object`);
    found.push(...geminiSchemaProblems(fields["parameters"], at));
  }
  return [...found, ...namesTwice(declarations.map(fieldsOf))];
}

function geminiSchemaProblems(value: Json, at: string): string[] {
  const node = fieldsOf(value);
  const { type, properties, required, items, anyOf } = node;
  const found = unknownFields(node, GEMINI_FIELDS, at);
  const types = ["string", "number", "integer", "boolean", "array", "object"];
  if (anyOf === undefined && !types.includes(String(type))) {
    found.push(`${at}: type must be specified`);
  }
  if ("enum" in node) {
    if (type !== "string") found.push(`${at}: enum only allowed for STRING type`);
    for (const member of listOf(node["enum"])) {
      if (typeof member !== "string" || member === "") found.push(`${at}: enum cannot be empty`);
    }
  }
  if ("nullable" in node && node["nullable"] !== true) found.push(`${at}: nullable`);
  const names = Object.keys(fieldsOf(properties));
  if (type === "object") {
    if (names.length === 0) found.push(`${at}: properties should be non-empty for OBJECT type`);
    for (const name of names) {
      if (!/^[a-zA-Z_][a-zA-Z0-9_]{0,63}$/.test(name)) found.push(`${at}: name ${name}`);
      found.push(...geminiSchemaProblems(fieldsOf(properties)[name], `${at}.${name}`));
    }
    for (const name of textsOf(required)) {
      if (!names.includes(name)) found.push(`${at}: required ${name} is not defined`);
    }
    if (Array.isArray(required) && required.length === 0) found.push(`${at}: required is empty`);
  } else if (properties !== undefined || required !== undefined) {
    found.push(`${at}: properties only allowed for OBJECT type`);
  }
  if (type === "array") found.push(...geminiSchemaProblems(items, `${at}[]`));
  else if (items !== undefined) found.push(`${at}: items only allowed for ARRAY type`);
  const numeric = type === "number" || type === "integer";
  if (!numeric && ("minimum" in node || "maximum" in node)) found.push(`${at}: range of no number`);
  for (const [index, form] of listOf(anyOf).entries()) {
    found.push(...geminiSchemaProblems(form, `${at}|${index}`));
  }
  return found;
}

function namesTwice(named: readonly Fields[]): string[] {
  const names = named.map(({ name }) => name);
  return new Set(names).size === names.length ? [] : ["names must be unique"];
}
