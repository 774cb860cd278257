/** YAML text → the manifest of a custom tool, or all that is wrong with it. Pure: who reads files is `cli`. */

import { isObject } from "../core/json_value.ts";
import { parseArguments } from "../core/parse_arguments.ts";
import { parseDocument, type PolicyProblem } from "../policy/parse/parse.ts";
import type { Field } from "../config/field.ts";
import type { KeyPosition } from "../config/key_position.ts";
import { commandSections } from "./_command_sections.ts";
import { expandCommand } from "./_expand.ts";
import { moduleSections } from "./_module_sections.ts";
import { expandNeeds } from "./_needs.ts";
import { isModule, type PluginArguments, type PluginManifest } from "./manifest.ts";

export { languageOf } from "./_module_sections.ts";
export { wrongToolName } from "./_sections.ts";

/** A whole manifest, or at least one problem. The source of a module is not read. */
export type ParsedManifest =
  | { readonly manifest: PluginManifest }
  | { readonly problems: readonly PolicyProblem[] };

/**
 * Characters of a manifest: many times what a model reads of a tool. A pipe may register one, and nobody is answered
 * while it is read.
 */
const LONGEST_MANIFEST = 64 * 1024;

/** Reads a manifest. `source` is what its problems call it. All problems at once. Never throws for any text. */
export function parseManifest(content: string, source: string): ParsedManifest {
  const parsed = parseDocument(content, source, {
    field: manifestField,
    what: "plugin manifest",
    longest: LONGEST_MANIFEST,
  });
  return "value" in parsed ? { manifest: parsed.value } : parsed;
}

/** More than a model reads; each is held against the schema. */
const MOST_EXAMPLES = 20;

const manifestField: Field<PluginManifest> = {
  schema: { anyOf: [commandSections.schema, moduleSections.schema] },
  read(value, place) {
    const named = isObject(value) && Object.hasOwn(value, "module");
    if (named && Object.hasOwn(value, "command")) {
      return place.in("module").report("stands beside a command; a tool is one or the other");
    }
    const manifest = named ? moduleSections.read(value, place) : commandSections.read(value, place);
    if (manifest === undefined) return undefined;
    return checkExamples(manifest, place.in("examples")) ? manifest : undefined;
  },
};

function checkExamples(manifest: PluginManifest, place: KeyPosition): boolean {
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

function checkExample(
  manifest: PluginManifest,
  args: PluginArguments,
  place: KeyPosition,
): boolean {
  const parsed = parseArguments(manifest.parameters, args);
  const expanded = "problems" in parsed
    ? parsed
    : isModule(manifest)
    ? expandNeeds(manifest, parsed.value)
    : expandCommand(manifest, parsed.value);
  if (!("problems" in expanded)) return true;
  for (const { path, message } of expanded.problems) {
    place.report(path === "" ? message : `${path}: ${message}`);
  }
  return false;
}
