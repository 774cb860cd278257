/** Tools as OpenAI's two APIs take them: Chat Completions, and Responses, which names the same things one level up. */

import type { ToolDescription } from "../../../core/tool.ts";
import {
  exportEach,
  type ExportOptions,
  leftOut,
  type SchemaExport,
  type ToolExport,
} from "./_schema_export.ts";
import { slimInput } from "./_slim_schema.ts";
import { strictInput } from "./_strict_schema.ts";

/** "a-z, A-Z, 0-9, or contain underscores and dashes, with a maximum length of 64" (API reference, functions). */
const NAMES = { tools: /^[a-zA-Z0-9_-]{1,64}$/, arguments: /^[a-zA-Z0-9_.-]{1,64}$/ };

/** `{type, function: {name, description, parameters}}`, as `tools` of `POST /v1/chat/completions`. */
export function toOpenAi(tools: readonly ToolDescription[], options: ExportOptions): SchemaExport {
  const { definitions, notes } = exportEach(tools, NAMES, (tool) => {
    const { strict, notes, ...named } = functionOf(tool, options);
    const definition = {
      type: "function",
      function: { ...named, ...(strict ? { strict } : {}) },
    };
    return { definition, notes };
  });
  return { value: definitions, notes };
}

/** `{type, name, description, parameters, strict}`, as `tools` of `POST /v1/responses`, where strict is the default. */
export function toOpenAiResponses(
  tools: readonly ToolDescription[],
  options: ExportOptions,
): SchemaExport {
  const { definitions, notes } = exportEach(tools, NAMES, (tool): ToolExport => {
    const { notes, ...definition } = functionOf(tool, options);
    return { definition: { type: "function", ...definition }, notes };
  });
  return { value: definitions, notes };
}

function functionOf({ name, description, input }: ToolDescription, options: ExportOptions) {
  const loose = { name, description, parameters: slimInput(input), strict: false };
  if (!options.strict) return { ...loose, notes: [] };
  const { schema, dropped } = strictInput(input);
  if (schema === null) {
    return { ...loose, notes: [`${name}: not strict; strict mode cannot describe its arguments`] };
  }
  const notes = dropped.map((argument) => leftOut(name, argument));
  return { name, description, parameters: schema, strict: true, notes };
}
