/** The manifest of a module: which file it is, and which files it needs. */

import { isObject } from "../core/json_value.ts";
import type { JsonSchema } from "../core/schema.ts";
import { list, object, otherwise, required } from "../config/collection.ts";
import { type Field, oneOf, text } from "../config/field.ts";
import { checkWord } from "./_command_field.ts";
import { needField } from "./_needs.ts";
import { schemaField } from "./_schema_field.ts";
import { HEAD, TAIL } from "./_sections.ts";
import { watching } from "./_watching.ts";
import { placeholdersOf } from "./_word.ts";
import type { ModuleManifest, PathNeed } from "./manifest.ts";

/** More than anybody names by hand; lists in placeholders come on top. */
const MOST_NEEDS = 64;

/** Endings of modules, and what they are written in. */
const ENDINGS = {
  ts: "typescript",
  mts: "typescript",
  js: "javascript",
  mjs: "javascript",
} as const;

/** The language of a module by its name; null where it is none that runs. */
export function languageOf(file: string): "typescript" | "javascript" | null {
  const ending = file.slice(file.lastIndexOf(".") + 1);
  return Object.hasOwn(ENDINGS, ending) ? ENDINGS[ending as keyof typeof ENDINGS] : null;
}

const LONGEST_PATH = 1_000;

function wrongModule(file: string): string | null {
  const parts = file.replace(/^\.\//, "").split("/");
  if (file.length > LONGEST_PATH || parts.some((part) => /^\.{0,2}$|[\p{Cc}\\]/u.test(part))) {
    return "is no file beside the manifest or below its folder; write ./name.ts";
  }
  return languageOf(file) === null ? "is no module; its name ends in .ts, .mts, .js or .mjs" : null;
}

const needs: Field<readonly PathNeed[]> = {
  schema: { ...list(needField).schema, maxItems: MOST_NEEDS },
  read: (value, place) =>
    Array.isArray(value) && value.length > MOST_NEEDS
      ? place.report(`has ${value.length} entries; at most ${MOST_NEEDS} are read`)
      : list(needField).read(value, place),
};

const outputForm = object({
  format: otherwise(oneOf(["json"]), "json", "json: what it answers is a value"),
  schema: otherwise(schemaField, null, "the JSON Schema of what it answers"),
});

const output: Field<ModuleManifest["output"]> = {
  schema: { anyOf: [{ const: "json" }, outputForm.schema] },
  read: (value, place) =>
    isObject(value)
      ? outputForm.read(value, place)
      : value === "json"
      ? { format: "json", schema: null }
      : place.report("is JSON for a module; write json, or { schema: ... }"),
};

const sections = object({
  ...HEAD,
  module: required(
    text({ what: "the file of the module, such as ./name.ts", check: wrongModule }),
    "the module beside the manifest; it exports the function that is called as default",
  ),
  needs: otherwise(
    object({
      read: otherwise(needs, [], "files that it may read; data/** is a folder with all below"),
      write: otherwise(needs, [], "files that it may make, change and read"),
    }),
    { read: [], write: [] },
    "the files that it is granted, where the policy allows them to the call; none unless given",
  ),
  ...TAIL,
  output: otherwise(
    output,
    { format: "json", schema: null },
    "what it answers: json, or { schema: ... }",
  ),
});

/** A whole manifest; its examples are still to be held against it. */
export const moduleSections: Field<ModuleManifest> = {
  schema: sections.schema,
  read(value, place) {
    const read = sections.read(value, place);
    if (read === undefined) return undefined;
    const { timeout: timeoutMs, ...rest } = read;
    let whole = true;
    const watched = watching(place.in("needs"), () => whole = false);
    for (const access of ["read", "write"] as const) {
      read.needs[access].forEach(({ path }, index) =>
        placeholdersOf(path).forEach((placeholder) =>
          // Where it is left out, so is what it names.
          checkWord(
            [placeholder],
            read.parameters as JsonSchema,
            watched.in(access).at(index),
            placeholder.parameter,
          )
        )
      );
    }
    return whole ? { ...rest, timeoutMs, source: null } : undefined;
  },
};
