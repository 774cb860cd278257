/** Schemas and values made from a seed, for tests that hold what reads schemas against somebody else's reading. */

import type { JsonValue } from "../../../src/core/json_value.ts";
import type { JsonSchema } from "../../../src/core/schema.ts";
import type { Random } from "../../random.ts";

const chance = (random: Random, share: number): boolean => random.below(1000) < share * 1000;
/** None that objects inherit: ajv reads those from the prototype when it looks for defaults. */
const NAMES = ["path", "a", "b", "old", "new"] as const;
const WORDS = ["", "a", "ab", "🦕", "🦕🦕", "abc", "\ud800", "x".repeat(9)] as const;
const NUMBERS = [0, 1, -1, 2, 1.5, 3, 1e20, -0, 0.1] as const;

function randomSchema(random: Random, depth: number): JsonSchema {
  const kinds = ["string", "integer", "number", "boolean", "null", "free"] as const;
  const kind = depth > 0 && chance(random, 0.5)
    ? random.pick(["array", "object", "object", "oneOf"] as const)
    : random.pick(kinds);
  switch (kind) {
    case "string":
      return chance(random, 0.3)
        ? { type: "string", enum: ["a", "ab", "🦕"] }
        : withDefault(random, {
          type: "string",
          ...(chance(random, 0.4) ? { minLength: random.pick([0, 1, 2]) } : {}),
          ...(chance(random, 0.4) ? { maxLength: random.pick([1, 2, 3]) } : {}),
        }, depth);
    case "integer":
    case "number":
      return withDefault(random, {
        type: kind,
        ...(chance(random, 0.4) ? { minimum: random.pick([0, 1]) } : {}),
        ...(chance(random, 0.4) ? { maximum: random.pick([1, 2]) } : {}),
      }, depth);
    case "boolean":
    case "null":
      return withDefault(random, { type: kind }, depth);
    case "free":
      return chance(random, 0.5) ? {} : { enum: [1, "a", null, true] };
    case "array":
      return withDefault(random, {
        type: "array",
        ...(chance(random, 0.8) ? { items: randomSchema(random, depth - 1) } : {}),
        ...(chance(random, 0.3) ? { minItems: 1 } : {}),
        ...(chance(random, 0.3) ? { maxItems: 2 } : {}),
      }, depth);
    case "oneOf":
      return { oneOf: [randomSchema(random, depth - 1), randomSchema(random, depth - 1)] };
    case "object":
      return randomObject(random, depth);
  }
}

/** A schema of objects, nested at most `depth` levels. */
export function randomObject(
  random: Random,
  depth: number,
): JsonSchema & { readonly type: "object" } {
  const names = NAMES.filter(() => chance(random, 0.6));
  const extra = random.pick(["closed", "closed", "false", "true", "typed"] as const);
  return {
    type: "object",
    properties: Object.fromEntries(names.map((name) => [name, randomSchema(random, depth - 1)])),
    ...(chance(random, 0.5) ? { required: names.filter(() => chance(random, 0.4)) } : {}),
    ...(extra === "false" ? { additionalProperties: false } : {}),
    ...(extra === "true" ? { additionalProperties: true } : {}),
    ...(extra === "typed" ? { additionalProperties: randomSchema(random, 0) } : {}),
    ...(chance(random, 0.2) ? { default: {} } : {}),
  };
}

function withDefault(random: Random, schema: JsonSchema, depth: number): JsonSchema {
  return chance(random, 0.3)
    ? { ...schema, default: valueFor(random, schema, depth) as JsonValue }
    : schema;
}

/** A value that mostly fits, and often enough does not. */
export function valueFor(random: Random, schema: JsonSchema, depth: number): unknown {
  if (chance(random, 0.08)) return randomValue(random, depth);
  if (schema.oneOf !== undefined) return valueFor(random, random.pick(schema.oneOf), depth);
  if (schema.enum !== undefined) return chance(random, 0.8) ? random.pick(schema.enum) : "zz";
  switch (schema.type) {
    case "string":
      return random.pick(WORDS);
    case "integer":
    case "number":
      return random.pick(NUMBERS);
    case "boolean":
      return chance(random, 0.5);
    case "null":
      return null;
    case "array":
      return Array.from(
        { length: random.below(4) },
        () => valueFor(random, schema.items ?? {}, depth - 1),
      );
    case "object": {
      const required = schema.required ?? [];
      const entries = Object.entries(schema.properties ?? {})
        .filter(([name]) => chance(random, required.includes(name) ? 0.9 : 0.6))
        .map((
          [name, property],
        ): [string, unknown] => [name, valueFor(random, property, depth - 1)]);
      if (chance(random, 0.15)) {
        entries.push([random.pick(["extra", "__proto__", "valueOf", "pth"]), random.pick(WORDS)]);
      }
      return Object.fromEntries(entries);
    }
    default:
      return randomValue(random, depth);
  }
}

function randomValue(random: Random, depth: number): unknown {
  switch (random.below(depth > 0 ? 6 : 4)) {
    case 0:
      return random.pick(WORDS);
    case 1:
      return random.pick(NUMBERS);
    case 2:
      return chance(random, 0.5);
    case 3:
      return null;
    case 4:
      return [randomValue(random, depth - 1)];
    default:
      return { a: randomValue(random, depth - 1) };
  }
}
