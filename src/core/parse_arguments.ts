/** The schema interpreter: what a caller sent, checked against a tool's schema, with defaults filled in. */

import { isObject } from "./json_value.ts";
import { ToolError } from "./errors.ts";
import { didYouMean, nearestOf } from "./nearest.ts";
import { describeType, describeValue, joinPath, typeHint } from "./_wording.ts";
import { type Infer, isClosed, type JsonSchema, type Schema } from "./schema.ts";

/** One thing wrong with the arguments. `path` as in `edits[2].old`, empty for the arguments as a whole. */
export interface ArgumentProblem {
  readonly path: string;
  readonly message: string;
}

/** Arguments that fit, defaults in, or all that is wrong with them. */
export type ParsedArguments<T> =
  | { readonly value: T }
  | { readonly problems: readonly ArgumentProblem[] };

/** Levels of arrays and objects that an argument may have: far beyond any tool's need, far below a stack's end. */
export const MAX_DEPTH = 64;

/** Problems reported at most: more help nobody. */
const MAX_PROBLEMS = 20;

/**
 * Checks `value` and returns a new value with all `default`s of `properties` filled in, at every level
 * (none inside `oneOf`, as ajv does). The input is never changed; only own properties count, so
 * `__proto__` and `constructor` are arguments like any other. Objects take no other properties than the schema names
 * unless it says `additionalProperties`. An optional property that is `null`, where its schema takes no `null`, counts as
 * absent, wherever defaults are filled in: models in OpenAI's strict mode must send all properties.
 */
export function parseArguments<S extends Schema>(
  schema: S,
  value: unknown,
): ParsedArguments<Infer<S>> {
  const problems: ArgumentProblem[] = [];
  const message = tooMuchIn(value);
  if (message !== null) return { problems: [{ path: "", message }] };
  const parsed = parse(schema, value, { path: "", problems, fill: true });
  return problems.length === 0 ? { value: parsed as Infer<S> } : { problems };
}

/** The refusal of arguments, with every problem in the message and in `details.problems`. */
export function invalidArguments(tool: string, problems: readonly ArgumentProblem[]): ToolError {
  const text = problems
    .map(({ path, message }) => path === "" ? message : `${path}: ${message}`)
    .join("; ");
  return new ToolError("INVALID_ARGUMENTS", `${tool}: ${text}`, { details: { problems } });
}

interface ArgumentPosition {
  readonly path: string;
  readonly problems: ArgumentProblem[];
  /** Whether defaults are filled in here. */
  readonly fill: boolean;
}

function parse(schema: JsonSchema, value: unknown, place: ArgumentPosition): unknown {
  if (schema.type !== undefined && !hasType(schema.type, value)) {
    report(
      place,
      `expected ${describeType(schema)}, got ${describeValue(value)}${typeHint(schema, value)}`,
    );
    return value;
  }
  if (schema.enum !== undefined) checkEnum(schema.enum, value, place);
  if (schema.oneOf !== undefined) checkOneOf(schema.oneOf, value, place);
  if (typeof value === "string") checkLength(schema, value, place);
  else if (typeof value === "number") checkRange(schema, value, place);
  else if (Array.isArray(value)) return parseItems(schema, value, place);
  else if (isObject(value)) return parseProperties(schema, value, place);
  return value;
}

function report(place: ArgumentPosition, message: string): void {
  if (place.problems.length < MAX_PROBLEMS) place.problems.push({ path: place.path, message });
}

function hasType(type: NonNullable<JsonSchema["type"]>, value: unknown): boolean {
  switch (type) {
    case "null":
      return value === null;
    case "array":
      return Array.isArray(value);
    case "object":
      return isObject(value);
    case "integer":
      return Number.isInteger(value);
    case "number":
      return Number.isFinite(value);
    case "string":
      return typeof value === "string";
    case "boolean":
      return typeof value === "boolean";
  }
}

function checkEnum(
  allowed: NonNullable<JsonSchema["enum"]>,
  value: unknown,
  place: ArgumentPosition,
): void {
  if (allowed.some((member) => member === value)) return;
  const names = allowed.filter((member) => typeof member === "string");
  const hint = typeof value === "string" ? didYouMean(nearestOf(value, names, 1)) : "";
  const expected = allowed.map((member) => JSON.stringify(member)).join(", ");
  report(
    place,
    `expected ${expected}; got ${describeValue(value)}${hint === "" ? "" : `.${hint}`}`,
  );
}

/** Exactly one branch must fit. Where none does, the problems of the branch that came nearest are told. */
function checkOneOf(
  branches: readonly JsonSchema[],
  value: unknown,
  place: ArgumentPosition,
): void {
  const verdicts = branches.map((branch) => {
    const problems: ArgumentProblem[] = [];
    parse(branch, value, { path: place.path, problems, fill: false });
    return problems;
  });
  const fitting = verdicts.filter((problems) => problems.length === 0).length;
  if (fitting === 1) return;
  if (fitting > 1) {
    report(
      place,
      `fits ${fitting} of the ${branches.length} forms allowed here; exactly one is needed`,
    );
    return;
  }
  const near = branches.findIndex((branch) =>
    branch.type === undefined || hasType(branch.type, value)
  );
  const told = verdicts[near];
  if (near >= 0 && told !== undefined) {
    for (const problem of told) report({ ...place, path: problem.path }, problem.message);
  } else {
    report(
      place,
      `expected ${branches.map(describeType).join(" or ")}, got ${describeValue(value)}`,
    );
  }
}

function checkLength(schema: JsonSchema, value: string, place: ArgumentPosition): void {
  const { minLength, maxLength } = schema;
  // A string has at least half as many characters as code units: most need no counting.
  if (maxLength !== undefined && value.length > maxLength) {
    // Far beyond it nobody counts: that takes 30 ms for 8 MB.
    const far = value.length > 2 * maxLength && value.length > MOST_COUNTED;
    const length = far ? value.length : countCharacters(value);
    if (length > maxLength) {
      report(place, `expected at most ${maxLength} characters, got ${far ? "some " : ""}${length}`);
    }
  }
  if (minLength !== undefined && value.length < 2 * minLength) {
    const length = countCharacters(value);
    if (length < minLength) {
      report(
        place,
        value === ""
          ? "must not be empty"
          : `expected at least ${minLength} characters, got ${length}`,
      );
    }
  }
}

/** Code units of a text whose characters are counted whatever they may be. */
const MOST_COUNTED = 1_000_000;

/** Unicode code points, as JSON Schema counts. */
function countCharacters(text: string): number {
  let count = 0;
  for (const _ of text) count++;
  return count;
}

function checkRange(schema: JsonSchema, value: number, place: ArgumentPosition): void {
  const { minimum, maximum } = schema;
  const low = minimum !== undefined && value < minimum;
  if (low || (maximum !== undefined && value > maximum)) {
    report(place, `expected ${describeType(schema)}, got ${value}`);
  }
}

function parseItems(
  schema: JsonSchema,
  value: readonly unknown[],
  place: ArgumentPosition,
): unknown {
  const { items, minItems, maxItems } = schema;
  if (minItems !== undefined && value.length < minItems) {
    report(
      place,
      `expected at least ${minItems} ${minItems === 1 ? "item" : "items"}, got ${value.length}`,
    );
  }
  if (maxItems !== undefined && value.length > maxItems) {
    report(
      place,
      `expected at most ${maxItems} ${maxItems === 1 ? "item" : "items"}, got ${value.length}`,
    );
    return value;
  }
  if (items === undefined) return value;
  return value.map((item, index) =>
    parse(items, item, { ...place, path: `${place.path}[${index}]` })
  );
}

function parseProperties(
  schema: JsonSchema,
  value: Readonly<Record<string, unknown>>,
  place: ArgumentPosition,
): unknown {
  const properties = schema.properties ?? {};
  const parsed: [string, unknown][] = [];
  for (const key of Object.keys(value)) {
    const at = { ...place, path: joinPath(place.path, key) };
    if (Object.hasOwn(properties, key)) {
      if (value[key] === null && standsForAbsent(schema, key, place)) continue;
      parsed.push([key, parse(properties[key] ?? {}, value[key], at)]);
    } else if (typeof schema.additionalProperties === "object") {
      parsed.push([key, parse(schema.additionalProperties, value[key], at)]);
    } else if (isClosed(schema)) {
      // What is not told is not looked for: of 77,000 names that took a second.
      if (place.problems.length < MAX_PROBLEMS) {
        report(at, unknownKey(key, Object.keys(properties)));
      }
    } else {
      parsed.push([key, value[key]]);
    }
  }
  if (place.fill) addDefaults(parsed, schema, value, place);
  const filled = Object.fromEntries(parsed);
  for (const name of schema.required ?? []) {
    if (Object.hasOwn(filled, name)) continue;
    if (Object.hasOwn(value, name)) continue; // present, and told of where it is wrong
    const description = Object.hasOwn(properties, name) ? properties[name] : undefined;
    report(
      { ...place, path: joinPath(place.path, name) },
      description === undefined ? "missing" : `missing; expected ${describeType(description)}`,
    );
  }
  return filled;
}

/** Whether `null` says no more of this property than leaving it out. */
function standsForAbsent(schema: JsonSchema, key: string, place: ArgumentPosition): boolean {
  if (!place.fill || schema.required?.includes(key) === true) return false;
  const problems: ArgumentProblem[] = [];
  parse(schema.properties?.[key] ?? {}, null, { path: "", problems, fill: false });
  return problems.length > 0;
}

/** Fresh copies of the defaults of absent properties, with the defaults inside them. */
function addDefaults(
  parsed: [string, unknown][],
  schema: JsonSchema,
  value: Readonly<Record<string, unknown>>,
  place: ArgumentPosition,
): void {
  const { properties = {} } = schema;
  for (const key of Object.keys(properties)) {
    const property = properties[key];
    if (property?.default === undefined) continue;
    const isAbsent = !Object.hasOwn(value, key) ||
      (value[key] === null && standsForAbsent(schema, key, place));
    if (!isAbsent) continue;
    const at = { ...place, path: joinPath(place.path, key) };
    parsed.push([key, parse(property, ownCopy(property.default), at)]);
  }
}

/** Defaults are mostly words and numbers, which need no copy. */
function ownCopy(value: unknown): unknown {
  return typeof value === "object" && value !== null ? structuredClone(value) : value;
}

function unknownKey(key: string, known: readonly string[]): string {
  const hint = didYouMean(nearestOf(key, known, 1));
  return `unknown argument.${hint} ` +
    (known.length === 0 ? "None is taken here" : `Known: ${known.join(", ")}`);
}

/** Members of one object: 60,000 variables kept everybody waiting for 100 ms before they were refused. */
const MOST_MEMBERS = 10_000;

/** Why it is not looked at closer. Walks without recursion, so that no input can end the stack. */
function tooMuchIn(value: unknown): string | null {
  const open: { readonly value: unknown; readonly depth: number }[] = [{ value, depth: 0 }];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (typeof next.value !== "object" || next.value === null) continue;
    if (next.depth >= MAX_DEPTH) return `nested deeper than ${MAX_DEPTH} levels`;
    const depth = next.depth + 1;
    const names = Array.isArray(next.value) ? [] : Object.keys(next.value);
    if (names.length > MOST_MEMBERS) {
      return `an object has ${names.length} members; at most ${MOST_MEMBERS} are read`;
    }
    for (const member of Array.isArray(next.value) ? next.value : Object.values(next.value)) {
      if (typeof member === "object" && member !== null) open.push({ value: member, depth });
    }
  }
  return null;
}
