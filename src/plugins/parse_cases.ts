/** Cases that a custom tool is tried with: YAML text → calls and what is expected of each, or all that is wrong with it. */

import { isObject } from "../core/json_value.ts";
import { ERROR_CODES, type ErrorCode } from "../core/errors.ts";
import { type LaidOut, laidOutFiles, wrongLaidOutPath } from "../config/laid_out.ts";
import { type Effect, EFFECTS } from "../policy/model.ts";
import { parseDocument, type PolicyProblem } from "../policy/parse/parse.ts";
import { list, mapping, object, optional, otherwise, required } from "../config/collection.ts";
import { exactly, type Field, oneOf, text } from "../config/field.ts";
import { found } from "../config/value_kind.ts";
import { argumentsField } from "./_fields.ts";

/** One call, and what is expected of it. What is left out is not looked at, save that a call is to succeed. */
export interface PluginCase {
  readonly name?: string;
  readonly args: Readonly<Record<string, unknown>>;
  readonly agent?: string;
  /** The error that it is to end with; absent: none. */
  readonly code?: ErrorCode;
  /** What the policy is to say. */
  readonly effect?: Effect;
  /** The words that are to be started. */
  readonly argv?: readonly string[];
  /** Members of the output, and members of those; lists and plain values whole. */
  readonly output?: Readonly<Record<string, unknown>>;
  /** Texts that must stand somewhere in the output. */
  readonly contains?: readonly string[];
  /** Files as they are to be afterwards, by path; null for none. */
  readonly after?: Readonly<Record<string, string | null>>;
}

/** A file of cases that was read. */
export interface PluginCases {
  readonly version: 1;
  /** What lies in the workspace before each case, which has one of its own. */
  readonly files: Readonly<Record<string, LaidOut>>;
  readonly cases: readonly PluginCase[];
}

const mappingOf = (what: string): Field<Readonly<Record<string, unknown>>> => ({
  schema: { type: "object" },
  read: (value, place) =>
    isObject(value) ? value : place.report(`found ${found(value)}; write ${what}`),
});

/** A missing file is written as false: a key with nothing behind it is a slip of the pen everywhere else. */
const contents: Field<{ readonly text: string | null }> = {
  schema: { anyOf: [{ type: "string" }, { const: false }] },
  read: (value, place) =>
    typeof value === "string"
      ? { text: value }
      : value === false
      ? { text: null }
      : place.report(`found ${found(value)}; write the text of the file, or false for no file`),
};

const after = mapping(contents, { pattern: "^[^/]", wrong: wrongLaidOutPath });

const afterField: Field<Readonly<Record<string, string | null>>> = {
  schema: after.schema,
  read(value, place) {
    const read = after.read(value, place);
    return read === undefined
      ? undefined
      : Object.fromEntries(Object.entries(read).map(([path, { text }]) => [path, text]));
  },
};

const pluginCase: Field<PluginCase> = object({
  name: optional(text({ what: "a short name" }), "what the case is called where it fails"),
  args: otherwise(argumentsField, {}, "the arguments of the call"),
  agent: optional(text({ what: "the name of an agent" }), "who asks; root where left out"),
  code: optional(
    oneOf(Object.keys(ERROR_CODES) as ErrorCode[]),
    "the code that the call is to fail with; it is to succeed where left out",
  ),
  effect: optional(oneOf(EFFECTS), "what the policy is to say"),
  argv: optional(list(text({ what: "a word", empty: true })), "the words that are to be started"),
  output: optional(
    mappingOf("a mapping of members of the output"),
    "members that the output is to have, such as text, lines, value, exit_code",
  ),
  contains: optional(
    list(text({ what: "a text" }), { min: 1 }),
    "texts that must stand in the output",
  ),
  after: optional(afterField, "the text of files afterwards, by path; false for no file"),
});

const caseFile: Field<PluginCases> = object({
  version: required(exactly(1), "the version of this language; write version: 1"),
  files: otherwise(
    laidOutFiles,
    {},
    "what lies in the workspace before each case: a text, { link: target }, or name/ for a folder",
  ),
  cases: required(list(pluginCase, { min: 1 }), "the calls, each with what is expected of it"),
});

/** Reads a file of cases. Never throws for any text. */
export function parsePluginCases(
  content: string,
  source: string,
): { readonly cases: PluginCases } | { readonly problems: readonly PolicyProblem[] } {
  const parsed = parseDocument(content, source, { field: caseFile, what: "file of cases" });
  return "value" in parsed ? { cases: parsed.value } : parsed;
}
