/** The manifest of a wrapped command. */

import { isObject } from "../core/json_value.ts";
import type { JsonSchema } from "../core/schema.ts";
import { converted, list, object, otherwise, required } from "../config/collection.ts";
import { type Field, number, oneOf, text } from "../config/field.ts";
import { found } from "../config/value_kind.ts";
import { type KeyPosition, topOf } from "../config/key_position.ts";
import { checkCommand, checkWord, commandField, propertyOf, wordField } from "./_command_field.ts";
import { schemaField } from "./_schema_field.ts";
import { HEAD, NO_PARAMETERS, parameters, TAIL } from "./_sections.ts";
import { watching } from "./_watching.ts";
import { PARAMETER_NAME, placeholdersOf } from "./_word.ts";
import { type CommandManifest, type InputSource, OUTPUT_FORMATS, type Word } from "./manifest.ts";

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

const outputForm: Field<CommandManifest["output"]> = converted(
  object({
    format: required(format, "text, lines or json"),
    schema: otherwise(schemaField, null, "the JSON Schema of a JSON output"),
  }),
  ({ format, schema }, place) =>
    schema !== null && format !== "json"
      ? place.in("schema").report("speaks of JSON; write format: json, or leave it out")
      : { format, schema },
);

const output: Field<CommandManifest["output"]> = {
  schema: { anyOf: [format.schema, outputForm.schema] },
  read(value, place) {
    if (isObject(value)) return outputForm.read(value, place);
    const word = format.read(value, place);
    return word === undefined ? undefined : { format: word, schema: null };
  },
};

const sections = object({
  ...HEAD,
  command: required(
    commandField,
    "the program and its arguments, a word each, where {name} stands for a parameter; or module: a file of your own",
  ),
  cwd: otherwise(wordField, null, "the folder that it starts in, relative to the workspace"),
  stdin: otherwise(stdin, null, "what it reads: {name} for a parameter, {*} for all arguments"),
  ...TAIL,
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
});

/** A whole manifest; its examples are still to be held against it. */
export const commandSections: Field<CommandManifest> = {
  schema: sections.schema,
  read(value, place) {
    const read = sections.read(value, place);
    if (read === undefined) {
      // The words of the command are held against the parameters all the same, where both can be read.
      if (isObject(value)) checkParts(readParts(value), place);
      return undefined;
    }
    const { timeout: timeoutMs, ...rest } = read;
    const manifest: CommandManifest = { ...rest, timeoutMs };
    return checkParts(manifest, place) ? manifest : undefined;
  },
};

type Parts = Partial<Pick<CommandManifest, "parameters" | "command" | "cwd" | "stdin">>;

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
function checkParts({ parameters, command = [], cwd, stdin }: Parts, top: KeyPosition): boolean {
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

function checkDirectory(word: Word, parameters: JsonSchema, place: KeyPosition): void {
  if (placeholdersOf(word).some(({ each }) => each)) {
    place.report("is one folder; {name...} stands for many words");
  } else if (word.length === 0) {
    place.report("is empty; write a folder, or leave it out for the workspace");
  } else {
    checkWord(word, parameters, place, null);
  }
}
