/** YAML text → the manifest of a custom tool, or all that is wrong with it. Pure: who reads files is `cli`. */

import { parseArguments } from "../core/parse_arguments.ts";
import type { JsonSchema, Schema } from "../core/schema.ts";
import { CATEGORIES, PERMISSION_GROUPS, RISKS, type ToolExample } from "../core/tool.ts";
import { parseDocument, type PolicyProblem } from "../policy/parse.ts";
import {
  converted,
  list,
  object,
  optional,
  otherwise,
  required,
} from "../policy/parse/collection.ts";
import { exactly, type Field, number, oneOf, text } from "../policy/parse/field.ts";
import { found } from "../policy/parse/found.ts";
import { type Place, topOf } from "../policy/parse/place.ts";
import { timeout, variable } from "../policy/parse/section.ts";
import { checkCommand, checkWord, commandField, propertyOf, wordField } from "./_command_field.ts";
import { expandCommand } from "./_expand.ts";
import { argumentsField, isMapping } from "./_fields.ts";
import { missingProperty, propertiesField, schemaField } from "./_schema_field.ts";
import { PARAMETER_NAME, placeholdersOf } from "./_word.ts";
import {
  type InputSource,
  OUTPUT_FORMATS,
  type PluginArguments,
  type PluginManifest,
  type Word,
} from "./manifest.ts";

/** A whole manifest, or at least one problem. */
export type ParsedManifest =
  | { readonly manifest: PluginManifest }
  | { readonly problems: readonly PolicyProblem[] };

/** Reads a manifest. `source` is what its problems call it. All problems at once. Never throws for any text. */
export function parseManifest(content: string, source: string): ParsedManifest {
  const parsed = parseDocument(content, source, { field: manifestField, what: "plugin manifest" });
  return "value" in parsed ? { manifest: parsed.value } : parsed;
}

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
/** More than a model reads; each is held against the schema. */
const MOST_EXAMPLES = 20;

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

const parameters: Field<Schema<PluginArguments>> = converted(
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

const NO_PARAMETERS: Schema<PluginArguments> = { type: "object", properties: {}, required: [] };

const stdin: Field<InputSource> = converted(
  text({ what: "{name} for a parameter, or {*} for all arguments as JSON" }),
  (source, place) => {
    if (source === "{*}") return { all: true };
    const name = /^\{([^{}]*)\}$/.exec(source)?.[1] ?? "";
    return PARAMETER_NAME.test(name) ? { parameter: name } : place.report(
      `${
        found(source)
      } is no input; write {name} for a parameter, or {*} for all arguments as JSON`,
    );
  },
);

const format = oneOf(OUTPUT_FORMATS);

const outputForm: Field<PluginManifest["output"]> = converted(
  object({
    format: required(format, "text, lines or json"),
    schema: otherwise(schemaField, null, "the JSON Schema of a JSON output"),
  }),
  ({ format, schema }, place) =>
    schema !== null && format !== "json"
      ? place.in("schema").report("speaks of JSON; write format: json, or leave it out")
      : { format, schema },
);

const output: Field<PluginManifest["output"]> = {
  schema: { anyOf: [format.schema, outputForm.schema] },
  read(value, place) {
    if (isMapping(value)) return outputForm.read(value, place);
    const word = format.read(value, place);
    return word === undefined ? undefined : { format: word, schema: null };
  },
};

const example: Field<ToolExample> = object({
  note: required(text({ what: "what the call is good for" }), "what the call is good for"),
  args: otherwise(argumentsField, {}, "its arguments"),
});

const sections = object({
  version: required(exactly(1), "the version of this language; write version: 1"),
  name: required(name, "the name that the tool is called by; custom.NAME is its alias"),
  description: required(description, "what it does, in words for a model"),
  category: otherwise(oneOf(CATEGORIES), "custom", "where it is listed; custom unless given"),
  risk: required(
    oneOf(RISKS),
    "the least that a call counts as; what the command would do can only raise it",
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
  command: required(
    commandField,
    "the program and its arguments, a word each; {name} stands for a parameter",
  ),
  cwd: otherwise(wordField, null, "the folder that it starts in, relative to the workspace"),
  stdin: otherwise(stdin, null, "what it reads: {name} for a parameter, {*} for all arguments"),
  env: otherwise(list(variable), [], "variables that it needs and the policy must pass or set"),
  timeout: otherwise(timeout, null, "the longest it may take; can only shorten the policy's"),
  output: otherwise(
    output,
    { format: "text", schema: null },
    "what its standard output is: text, lines, json, or { format: json, schema: ... }",
  ),
  success: otherwise(
    list(number({ min: 0, max: 255 }), { min: 1 }),
    [0],
    "the exit statuses that are no failure; 0 unless given",
  ),
  examples: otherwise(list(example), [], "calls worth imitating"),
});

const manifestField: Field<PluginManifest> = {
  schema: sections.schema,
  read(value, place) {
    const read = sections.read(value, place);
    if (read === undefined) {
      // The words of the command are held against the parameters all the same, where both can be read.
      if (isMapping(value)) checkParts(readParts(value), place);
      return undefined;
    }
    const { timeout: timeoutMs, ...rest } = read;
    const manifest: PluginManifest = { ...rest, timeoutMs };
    return checkParts(manifest, place) && checkExamples(manifest, place.in("examples"))
      ? manifest
      : undefined;
  },
};

type Parts = Partial<Pick<PluginManifest, "parameters" | "command" | "cwd" | "stdin">>;

function readParts(value: Readonly<Record<string, unknown>>): Parts {
  const mute = topOf(() => {});
  const part = <T>(name: string, field: Field<T>): T | undefined =>
    Object.hasOwn(value, name) ? field.read(value[name], mute) : undefined;
  const read = {
    parameters: Object.hasOwn(value, "parameters") ? part("parameters", parameters) : NO_PARAMETERS,
    command: part("command", commandField),
    cwd: part("cwd", wordField),
    stdin: part("stdin", stdin),
  };
  return Object.fromEntries(Object.entries(read).filter(([, part]) => part !== undefined));
}

/** Whether the parts of a manifest fit each other; reports where they do not. */
function checkParts({ parameters, command = [], cwd, stdin }: Parts, top: Place): boolean {
  if (parameters === undefined) return false;
  let whole = true;
  const watched = watching(top, () => whole = false);
  checkCommand(command, parameters, watched.in("command"));
  if (cwd !== undefined && cwd !== null) checkDirectory(cwd, parameters, watched.in("cwd"));
  if (stdin !== undefined && stdin !== null && "parameter" in stdin) {
    propertyOf(parameters, stdin.parameter, watched.in("stdin"));
  }
  return whole;
}

function checkExamples(manifest: PluginManifest, place: Place): boolean {
  const { examples } = manifest;
  if (examples.length > MOST_EXAMPLES) {
    place.report(`has ${examples.length} entries; at most ${MOST_EXAMPLES} are read`);
    return false;
  }
  const fitting = examples.map(({ args }, index) =>
    checkExample(manifest, args, place.at(index).in("args"))
  );
  return fitting.every((fits) => fits);
}

function checkDirectory(word: Word, parameters: JsonSchema, place: Place): void {
  if (placeholdersOf(word).some(({ each }) => each)) {
    place.report("is one folder; {name...} stands for many words");
  } else if (word.length === 0) {
    place.report("is empty; write a folder, or leave it out for the workspace");
  } else {
    checkWord(word, parameters, place, null);
  }
}

function checkExample(manifest: PluginManifest, args: PluginArguments, place: Place): boolean {
  const parsed = parseArguments(manifest.parameters, args);
  const expanded = "problems" in parsed ? parsed : expandCommand(manifest, parsed.value);
  if (!("problems" in expanded)) return true;
  for (const { path, message } of expanded.problems) {
    place.report(path === "" ? message : `${path}: ${message}`);
  }
  return false;
}

/** The same place, which tells of every problem that is reported there or below. */
function watching(place: Place, told: () => void): Place {
  return {
    get key() {
      return place.key;
    },
    in: (name) => watching(place.in(name), told),
    at: (index) => watching(place.at(index), told),
    report(message) {
      told();
      return place.report(message);
    },
    take: (patterns) => place.take(patterns),
  };
}
