/** The interpreter against ajv, over schemas and values made from a fixed seed. */

import { assert, assertEquals } from "@std/assert";
import { Ajv } from "ajv";
import { parseArguments } from "../../../src/core/parse_arguments.ts";
import { type JsonSchema, type Schema, toStandardSchema } from "../../../src/core/schema.ts";
import { Random } from "../../random.ts";
import { randomObject, valueFor } from "./_random_schema.ts";

const SCHEMAS = 130;
const VALUES_EACH = 24;

/**
 * The value without the properties whose `null` says no more than their absence: optional ones that ajv would not let
 * be `null`, where defaults are filled in.
 */
function withoutNulls(ajv: Ajv, schema: JsonSchema, value: unknown): unknown {
  if (Array.isArray(value)) {
    return schema.items === undefined
      ? value
      : value.map((item) => withoutNulls(ajv, schema.items ?? {}, item));
  }
  if (typeof value !== "object" || value === null) return value;
  const additional = schema.additionalProperties;
  const kept = Object.entries(value).flatMap(([key, inner]): [string, unknown][] => {
    const property = Object.hasOwn(schema.properties ?? {}, key)
      ? schema.properties?.[key]
      : undefined;
    if (property === undefined) {
      return [[key, typeof additional === "object" ? withoutNulls(ajv, additional, inner) : inner]];
    }
    const isOptional = schema.required?.includes(key) !== true;
    const isAbsent = inner === null && isOptional &&
      !ajv.validate(toStandardSchema(property), null);
    return isAbsent ? [] : [[key, withoutNulls(ajv, property, inner)]];
  });
  return Object.fromEntries(kept);
}

Deno.test("parseArguments judges and fills in as ajv does, with null for what is left out", () => {
  const random = new Random(20_251_121);
  let valid = 0;
  let invalid = 0;
  for (let index = 0; index < SCHEMAS; index++) {
    const schema: Schema<unknown> = randomObject(random, 3);
    const ajv = new Ajv({ useDefaults: true, ownProperties: true, strict: false });
    const validate = ajv.compile(toStandardSchema(schema));
    for (let round = 0; round < VALUES_EACH; round++) {
      const value = valueFor(random, schema, 3);
      const before = JSON.stringify(value);
      const parsed = parseArguments(schema, value);
      assertEquals(JSON.stringify(value), before, "the input was changed");
      const filled = structuredClone(withoutNulls(ajv, schema, value));
      const verdict = validate(filled);
      const told = `${JSON.stringify(schema)}\n${before}\n${JSON.stringify(parsed)}\n${
        JSON.stringify(validate.errors)
      }`;
      assertEquals("value" in parsed, verdict, told);
      if ("value" in parsed) {
        assertEquals(parsed.value, filled, told);
        valid++;
      } else {
        assert(parsed.problems.every(({ message }) => message.length > 0), told);
        invalid++;
      }
    }
  }
  // Neither side may be the rule: else the comparison would prove little.
  assert(valid > 1000 && invalid > 1000, `${valid} valid, ${invalid} invalid`);
});
