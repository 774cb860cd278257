/** What an export of tool definitions is, whatever API it is for. */

import { printable, quoted } from "../../../core/printable.ts";
import type { JsonSchema } from "../../../core/schema.ts";
import type { ToolDescription } from "../../../core/tool.ts";

/** Definitions as one API takes them, and what of the tools they do not say. */
export interface SchemaExport {
  /** JSON: what the request's `tools` takes, in the order of the tools. */
  readonly value: unknown;
  /** One sentence for each thing that the API has no words for. */
  readonly notes: readonly string[];
}

/** How an export is wanted. */
export interface ExportOptions {
  /** Schemas that the API holds the model to, where it can (OpenAI's strict mode). */
  readonly strict: boolean;
}

/** Writes the tools as one API takes them. */
export type SchemaExporter = (
  tools: readonly ToolDescription[],
  options: ExportOptions,
) => SchemaExport;

/** The definition of one tool. */
export interface ToolExport {
  readonly definition: unknown;
  readonly notes: readonly string[];
}

/** What an API takes as names. */
export interface NameRules {
  readonly tools: RegExp;
  readonly arguments: RegExp;
}

/** Exports tool by tool; those whose names the API does not take are left out, with a note. */
export function exportEach(
  tools: readonly ToolDescription[],
  rules: NameRules,
  exportTool: (tool: ToolDescription) => ToolExport,
): { readonly definitions: readonly unknown[]; readonly notes: readonly string[] } {
  const exported = tools.map((tool): ToolExport | string => {
    if (!rules.tools.test(tool.name)) return refused(tool.name, tool.name, rules.tools);
    const wrong = argumentNames(tool.input).find((name) => !rules.arguments.test(name));
    return wrong === undefined ? exportTool(tool) : refused(tool.name, wrong, rules.arguments);
  });
  const taken = exported.filter((one) => typeof one !== "string");
  return {
    definitions: taken.map(({ definition }) => definition),
    notes: exported.flatMap((one) => typeof one === "string" ? [one] : one.notes),
  };
}

function refused(tool: string, name: string, rule: RegExp): string {
  return `${printable(tool)} is left out; the API takes no name ${
    quoted(name)
  }, only ${rule.source}`;
}

/** Of all objects in a schema, at any depth. */
function argumentNames({ properties = {}, items, oneOf = [] }: JsonSchema): readonly string[] {
  const inner = [...Object.values(properties), ...(items === undefined ? [] : [items]), ...oneOf];
  return [...Object.keys(properties), ...inner.flatMap(argumentNames)];
}

/** The note on an argument that the API's schemas cannot describe. */
export function leftOut(tool: string, argument: string): string {
  return `${tool}: ${argument} is left out; the API's schemas cannot describe it`;
}
