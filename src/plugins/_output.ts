/** What a command wrote, in the form that its manifest promises. */

import { ToolError } from "../core/errors.ts";
import { parseArguments } from "../core/parse_arguments.ts";
import type { JsonSchema, Schema } from "../core/schema.ts";
import type { CommandManifest } from "./manifest.ts";

/** What is used of the output of `run_command`. */
export interface CommandResult {
  readonly stdout: string;
  readonly stderr: string;
  readonly exit_code: number | null;
  readonly truncated: boolean;
  readonly invalid_utf8?: true;
}

/** One of `text`, `lines` and `value`, by the manifest's format. */
export interface PluginOutput {
  readonly text?: string;
  readonly lines?: readonly string[];
  readonly value?: unknown;
  readonly stderr: string;
  readonly exit_code: number | null;
  readonly truncated: boolean;
  readonly invalid_utf8?: true;
}

const COMMON: Readonly<Record<string, JsonSchema>> = {
  stderr: { type: "string", description: "What it wrote to standard error." },
  exit_code: {
    oneOf: [{ type: "integer" }, { type: "null" }],
    description: "The status that it ended with.",
  },
  truncated: { type: "boolean", description: "Whether output was dropped at the limit." },
  invalid_utf8: {
    type: "boolean",
    description: "True where the output was no UTF-8: bad bytes came out as U+FFFD.",
  },
};

/** The schema of what a command's tool answers, by the format of the manifest. */
export function outputSchema({ format, schema }: CommandManifest["output"]): Schema<PluginOutput> {
  const [name, own] = formOf(format, schema);
  return {
    type: "object",
    properties: { [name]: own, ...COMMON },
    required: [name, "stderr", "exit_code", "truncated"],
  };
}

function formOf(
  format: CommandManifest["output"]["format"],
  schema: JsonSchema | null,
): readonly [string, JsonSchema] {
  switch (format) {
    case "text":
      return ["text", { type: "string", description: "Its standard output." }];
    case "lines":
      return ["lines", {
        type: "array",
        items: { type: "string" },
        description: "Its standard output, line by line.",
      }];
    case "json":
      return ["value", {
        description: "The JSON value that it wrote to standard output.",
        ...schema,
      }];
  }
}

/** Throws EXECUTION_ERROR (no JSON, or another than the schema wants) and RESOURCE_LIMIT (JSON that was cut). */
export function outputOf(
  { name, output: { format, schema } }: CommandManifest,
  result: CommandResult,
): PluginOutput {
  const { stdout, stderr, exit_code, truncated, invalid_utf8 } = result;
  const common = {
    stderr,
    exit_code,
    truncated,
    ...(invalid_utf8 === undefined ? {} : { invalid_utf8 }),
  };
  switch (format) {
    case "text":
      return { text: stdout, ...common };
    case "lines":
      return { lines: linesOf(stdout), ...common };
    case "json":
      return { value: valueOf(name, schema, result), ...common };
  }
}

function linesOf(text: string): readonly string[] {
  const lines = text.split(/\r?\n/);
  return lines.at(-1) === "" ? lines.slice(0, -1) : lines;
}

function valueOf(name: string, schema: JsonSchema | null, result: CommandResult): unknown {
  const { stdout, truncated } = result;
  if (truncated) {
    throw new ToolError(
      "RESOURCE_LIMIT",
      `${name}: the command wrote more than limits.output of the policy keeps, so its JSON is not whole`,
      { output: result },
    );
  }
  const value = parseJson(name, stdout, result);
  // Through the interpreter even where any value will do: nothing deeper than it allows goes on.
  const parsed = parseArguments(
    { type: "object", properties: { value: schema ?? {} }, required: ["value"] },
    { value },
  );
  if ("value" in parsed) return (parsed.value as { readonly value: unknown }).value;
  const text = parsed.problems.map(({ path, message }) => `${path}: ${message}`).join("; ");
  throw new ToolError(
    "EXECUTION_ERROR",
    `${name}: the command wrote JSON that the manifest's schema does not fit: ${text}`,
    { output: result },
  );
}

function parseJson(name: string, text: string, result: CommandResult): unknown {
  try {
    return JSON.parse(text);
  } catch {
    const found = text.trim() === "" ? "nothing" : "something else";
    throw new ToolError(
      "EXECUTION_ERROR",
      `${name}: the command was to write one JSON value, and wrote ${found}`,
      { output: result },
    );
  }
}
