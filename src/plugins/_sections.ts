/** The keys that all manifests have, whatever the tool is made of. */

import type { Schema } from "../core/schema.ts";
import { CATEGORIES, PERMISSION_GROUPS, RISKS, type ToolExample } from "../core/tool.ts";
import { converted, list, object, optional, otherwise, required } from "../config/collection.ts";
import { exactly, type Field, oneOf, text } from "../config/field.ts";
import { timeout, variable } from "../policy/parse/section.ts";
import { argumentsField } from "./_fields.ts";
import { missingProperty, propertiesField } from "./_schema_field.ts";
import { PARAMETER_NAME } from "./_word.ts";
import type { PluginArguments } from "./manifest.ts";

/** What model APIs take for the name of a tool (OpenAI and Anthropic: 64 characters). */
const TOOL_NAME = /^(?=.{1,64}$)[a-z][a-z0-9]*(?:_[a-z0-9]+)*$/;

/** What is wrong with a text as the name of a custom tool, to follow on it; null where nothing is. */
export function wrongToolName(name: string): string | null {
  if (!TOOL_NAME.test(name)) {
    return "is no name of a tool: lower-case letters and digits in words joined by _, at most 64";
  }
  return name in Object.prototype ? "cannot be used as a name" : null;
}

const name = text({
  what: "a name in snake_case",
  pattern: TOOL_NAME.source,
  check: wrongToolName,
});

const LONGEST_DESCRIPTION = 1_000;

const description = text({
  what: "a sentence or two",
  check: (value) =>
    value.length > LONGEST_DESCRIPTION || /(?!\n)\p{Cc}/u.test(value)
      ? `is no description: at most ${LONGEST_DESCRIPTION} characters, and none that steer a terminal`
      : null,
});

const parameterName = {
  pattern: PARAMETER_NAME.source,
  wrong: (name: string) =>
    PARAMETER_NAME.test(name)
      ? null
      : "is no name of a parameter: letters, digits and _, no digit first, at most 64",
};

/** The section `parameters`: JSON Schema of an object. */
export const parameters: Field<Schema<PluginArguments>> = converted(
  object({
    type: optional(oneOf(["object"]), "object: arguments have names"),
    properties: otherwise(propertiesField(parameterName), {}, "the schema of each, by name"),
    required: otherwise(
      list(text({ what: "the name of a parameter" })),
      [],
      "those that a call must give",
    ),
  }),
  ({ properties, required }, place) => {
    const missing = missingProperty(required, properties);
    return missing === null
      ? { type: "object", properties, required }
      : place.in("required").report(missing);
  },
);

/** The parameters of a tool that takes none. */
export const NO_PARAMETERS: Schema<PluginArguments> = {
  type: "object",
  properties: {},
  required: [],
};

const example: Field<ToolExample> = object({
  note: required(text({ what: "what the call is good for" }), "what the call is good for"),
  args: otherwise(argumentsField, {}, "its arguments"),
});

/** Members of the mapping that a manifest is, before what the tool is made of. */
export const HEAD = {
  version: required(exactly(1), "the version of this language; write version: 1"),
  name: required(name, "the name that the tool is called by; custom.NAME is its alias"),
  description: required(description, "what it does, in words for a model"),
  category: otherwise(oneOf(CATEGORIES), "custom", "where it is listed; custom unless given"),
  risk: required(
    oneOf(RISKS),
    "the least that a call counts as; what it would do can only raise it",
  ),
  permission: otherwise(
    oneOf(PERMISSION_GROUPS),
    "code_execution",
    "the group that an agent needs; code_execution unless given",
  ),
  parameters: otherwise(
    parameters,
    NO_PARAMETERS,
    "the arguments, as JSON Schema",
  ),
} as const;

/** Those after it. */
export const TAIL = {
  env: otherwise(list(variable), [], "variables that it needs and the policy must pass or set"),
  timeout: otherwise(timeout, null, "the longest it may take; can only shorten the policy's"),
  examples: otherwise(list(example), [], "calls worth imitating"),
} as const;
