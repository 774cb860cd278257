/** The command of a manifest: its words and groups, each placeholder held against the parameters. */

import { isObject } from "../core/json_value.ts";
import type { JsonSchema } from "../core/schema.ts";
import { converted, list, object, optional, required } from "../config/collection.ts";
import { type Field, text } from "../config/field.ts";
import { found } from "../config/value_kind.ts";
import type { KeyPosition } from "../config/key_position.ts";
import { nearest } from "../core/nearest.ts";
import { parseArguments } from "../core/parse_arguments.ts";
import { isGroup, type Placeholder, type Word, type WordGroup } from "./manifest.ts";
import { literalText, parseWord, placeholdersOf, WordError } from "./_word.ts";

/** More than anybody writes by hand; lists in placeholders come on top. */
const MOST_WORDS = 256;

/** A word with placeholders. */
export const wordField: Field<Word> = converted(
  text({ what: "a word of the command; {name} stands for a parameter", empty: true }),
  (source, place) => {
    try {
      return parseWord(source);
    } catch (error) {
      if (error instanceof WordError) return place.report(`${found(source)} ${error.message}`);
      throw error;
    }
  },
);

const scalar: Field<string | number | boolean> = {
  schema: { type: ["string", "number", "boolean"] },
  read: (value, place) =>
    typeof value === "string" || typeof value === "number" || typeof value === "boolean"
      ? value
      : place.report(`found ${found(value)}; write the value that the parameter must have`),
};

const groupField: Field<WordGroup> = object({
  when: required(
    text({ what: "the name of a parameter" }),
    "the parameter that must be given (and neither false nor an empty list) for these words",
  ),
  is: optional(scalar, "the value that it must have"),
  words: required(list(wordField, { min: 1 }), "the words"),
});

const partField: Field<Word | WordGroup> = {
  schema: { anyOf: [wordField.schema, groupField.schema] },
  read: (value, place) =>
    isObject(value) ? groupField.read(value, place) : wordField.read(value, place),
};

const programField: Field<Word> = converted(wordField, (word, place) => {
  const name = literalText(word);
  if (name === null) {
    return place.report(
      "must be the program, as it stands: what runs is not for a caller to choose",
    );
  }
  return name === "" ? place.report("is empty; write the program") : word;
});

/** `command`. */
export const commandField: Field<readonly (Word | WordGroup)[]> = {
  schema: {
    type: "array",
    items: partField.schema,
    minItems: 1,
    maxItems: MOST_WORDS,
  },
  read(value, place) {
    if (Array.isArray(value) && value.length > MOST_WORDS) {
      return place.report(`has ${value.length} words; at most ${MOST_WORDS} are read`);
    }
    if (!Array.isArray(value) || value.length === 0) {
      list(partField, { min: 1 }).read(value, place);
      return undefined;
    }
    const [program, ...rest]: readonly unknown[] = value;
    const parts = [
      programField.read(program, place.at(0)),
      ...rest.map((part, index) => partField.read(part, place.at(index + 1))),
    ];
    return parts.every((part) => part !== undefined) ? parts : undefined;
  },
};

/** Reports every placeholder of the command that names no parameter, or one that may have no text. */
export function checkCommand(
  command: readonly (Word | WordGroup)[],
  parameters: JsonSchema,
  place: KeyPosition,
): void {
  command.forEach((part, index) => {
    const at = place.at(index);
    if (!isGroup(part)) {
      checkWord(part, parameters, at, null);
      return;
    }
    checkCondition(part, parameters, at);
    part.words.forEach((word, inner) => {
      checkWord(word, parameters, at.in("words").at(inner), part.when);
    });
  });
}

/** `given`: a parameter that is known to be given where the word is. */
export function checkWord(
  word: Word,
  parameters: JsonSchema,
  place: KeyPosition,
  given: string | null,
): void {
  for (const placeholder of placeholdersOf(word)) {
    const schema = propertyOf(parameters, placeholder.parameter, place);
    if (schema === undefined) continue;
    const wrong = misfit(placeholder, schema) ??
      absence(placeholder, schema, parameters, given);
    if (wrong !== null) place.report(wrong);
  }
}

/** The schema of a parameter; undefined where there is none, which is reported. */
export function propertyOf(
  parameters: JsonSchema,
  name: string,
  place: KeyPosition,
): JsonSchema | undefined {
  const { properties = {} } = parameters;
  if (Object.hasOwn(properties, name)) return properties[name];
  const near = nearest(name, Object.keys(properties));
  return place.report(
    `there is no parameter ${JSON.stringify(name.slice(0, 60))}${
      near === null ? "" : `; did you mean ${near}?`
    }`,
  );
}

function checkCondition({ when, is }: WordGroup, parameters: JsonSchema, place: KeyPosition): void {
  const schema = propertyOf(parameters, when, place.in("when"));
  if (schema === undefined || is === undefined) return;
  const properties = { [when]: schema };
  if ("problems" in parseArguments({ type: "object", properties }, { [when]: is })) {
    place.in("is").report(`${found(is)} is no value that ${when} can have`);
  }
}

function misfit({ parameter, each }: Placeholder, schema: JsonSchema): string | null {
  if (each) {
    if (schema.type !== "array") return `${parameter} is no list; write {${parameter}}`;
    return schema.items !== undefined && isScalar(schema.items)
      ? null
      : `the items of ${parameter} must be texts, numbers or booleans: say so with items`;
  }
  if (schema.type === "array") {
    return `${parameter} is a list; write {${parameter}...} for a word each`;
  }
  return isScalar(schema)
    ? null
    : `${parameter} is no text, number or boolean; a command can read it from stdin, as JSON`;
}

function absence(
  { parameter, each }: Placeholder,
  schema: JsonSchema,
  parameters: JsonSchema,
  given: string | null,
): string | null {
  const present = each || given === parameter || schema.default !== undefined ||
    parameters.required?.includes(parameter) === true;
  return present ? null : `${parameter} may be left out; require it, give it a default, or write ` +
    `{ when: ${parameter}, words: [...] }`;
}

/** Whether every value that fits has one plain text. */
function isScalar(schema: JsonSchema): boolean {
  switch (schema.type) {
    case "string":
    case "number":
    case "integer":
    case "boolean":
      return true;
    case undefined:
      return schema.enum !== undefined || (schema.oneOf?.every(isScalar) ?? false);
    default:
      return false;
  }
}
