/** Schemas with nothing in them that a model has no use for: each word is paid for with every request. */

import type { JsonSchema } from "../../../core/schema.ts";

/**
 * Left out: lengths, which models cannot count, and `additionalProperties: false`; arguments that break them are refused
 * with a message that says how to mend the call.
 */
export function slimSchema(schema: JsonSchema): JsonSchema {
  const { minLength: _, maxLength: _most, maxItems: _items, additionalProperties, ...kept } =
    schema;
  const { items, properties, oneOf } = kept;
  return {
    ...kept,
    ...(items === undefined ? {} : { items: slimSchema(items) }),
    ...(properties === undefined ? {} : {
      properties: Object.fromEntries(
        Object.entries(properties).map(([name, property]) => [name, slimSchema(property)]),
      ),
    }),
    ...(oneOf === undefined ? {} : { oneOf: oneOf.map(slimSchema) }),
    ...(typeof additionalProperties === "object"
      ? { additionalProperties: slimSchema(additionalProperties) }
      : additionalProperties === true
      ? { additionalProperties }
      : {}),
  };
}

/** A tool's input for APIs that take no alternatives at the root: these are judged when the call comes. */
export function slimInput(schema: JsonSchema): JsonSchema {
  const { oneOf: _, description: _said, ...input } = slimSchema(schema);
  return { properties: {}, ...input };
}

/** The description with what the API's keywords cannot say: `Default 5. From 1 to 50.` */
export function saidInWords(
  schema: JsonSchema,
  unsaid: { readonly range: boolean; readonly members: boolean },
): { readonly description?: string } {
  const { description, default: standard, minimum, maximum } = schema;
  const words = [
    ...(description === undefined ? [] : [description]),
    ...(unsaid.members && schema.enum !== undefined
      ? [`One of ${schema.enum.map((member) => JSON.stringify(member)).join(", ")}.`]
      : []),
    ...(unsaid.range && minimum !== undefined && maximum !== undefined
      ? [`From ${minimum} to ${maximum}.`]
      : unsaid.range && minimum !== undefined
      ? [`At least ${minimum}.`]
      : unsaid.range && maximum !== undefined
      ? [`At most ${maximum}.`]
      : []),
    ...(standard === undefined || isEmpty(standard)
      ? []
      : [`Default: ${JSON.stringify(standard)}.`]),
  ];
  return words.length === 0 ? {} : { description: words.join(" ") };
}

/** A default that says no more than leaving the argument out does. */
function isEmpty(standard: unknown): boolean {
  return standard === "" ||
    (typeof standard === "object" && standard !== null && Object.keys(standard).length === 0);
}
