/** What tool definitions can be exported for: one line each, loaded when it is asked for. */

import type { SchemaExporter } from "./_schema_export.ts";

/** An API, and what writes for it. */
export interface SchemaTarget {
  readonly name: string;
  /** Whether `--strict` means something to it. */
  readonly strict: boolean;
  readonly load: () => Promise<SchemaExporter>;
}

/** All APIs that are written for. */
export const SCHEMA_TARGETS: readonly SchemaTarget[] = [
  {
    name: "openai",
    strict: true,
    load: async () => (await import("./openai.ts")).toOpenAi,
  },
  {
    name: "openai-responses",
    strict: true,
    load: async () => (await import("./openai.ts")).toOpenAiResponses,
  },
  {
    name: "anthropic",
    strict: false,
    load: async () => (await import("./anthropic.ts")).toAnthropic,
  },
  { name: "gemini", strict: false, load: async () => (await import("./gemini.ts")).toGemini },
  { name: "mcp", strict: false, load: async () => (await import("./mcp.ts")).toMcp },
  {
    name: "jsonschema",
    strict: false,
    load: async () => (await import("./json_schema.ts")).toJsonSchema,
  },
];
