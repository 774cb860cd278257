/** What became of a module's process: the output of a call, or its error. */

import { ToolError } from "../core/errors.ts";
import { parseArguments } from "../core/parse_arguments.ts";
import { printable } from "../core/printable.ts";
import type { Schema } from "../core/schema.ts";
import type { ModuleAnswer, ModuleOutcome, ProgramLimit } from "../core/tool.ts";
import type { ModuleManifest } from "./manifest.ts";

/** What a module's tool answers. */
export interface ModuleOutput {
  readonly value: unknown;
  /** What it printed. */
  readonly log: string;
  readonly truncated: boolean;
}

/** The schema of what it answers; `value` by the manifest's own. */
export function moduleOutputSchema({ schema }: ModuleManifest["output"]): Schema<ModuleOutput> {
  return {
    type: "object",
    properties: {
      value: { description: "What the module answered.", ...schema },
      log: { type: "string", description: "What it printed, up to the output limit." },
      truncated: { type: "boolean", description: "Whether some of the log was dropped." },
    },
    required: ["value", "log", "truncated"],
  };
}

/** What a process that went over a limit of the policy is told. */
const EXCEEDED: Readonly<Record<ProgramLimit, string>> = {
  memory: "took more memory than limits.memory of the policy gives",
  processes: "had more threads or processes than limits.processes of the policy gives",
  cpu: "took more processor time than limits.cpu of the policy gives",
};

/** What the process printed, which also goes with each error. */
export function logOf({ stderr, dropped }: ModuleOutcome): Pick<ModuleOutput, "log" | "truncated"> {
  return { log: new TextDecoder().decode(stderr), truncated: dropped.stderr > 0 };
}

/**
 * The answer of a process that has ended, as JSON text; null where it does not export what was asked for. Throws
 * TIMEOUT, CANCELLED, RESOURCE_LIMIT, COMMAND_FAILED (it threw, or ended without an answer), EXECUTION_ERROR (it could
 * not be loaded), NATIVE_DENIED.
 */
export function answerOf(
  name: string,
  outcome: ModuleOutcome,
  timeoutMs: number,
): string | null {
  const output = { value: null, ...logOf(outcome) };
  const failed = (code: ConstructorParameters<typeof ToolError>[0], message: string) =>
    new ToolError(code, `${name}: ${message}`, { output });
  const { answer, exceeded, refusal } = outcome;
  if (refusal !== null) throw refusal;
  if (exceeded !== null) {
    throw new ToolError(
      "RESOURCE_LIMIT",
      `${name}: the module ${EXCEEDED[exceeded]}; it was ended`,
      {
        details: { limit: exceeded },
        output,
      },
    );
  }
  if (outcome.cancelled) throw failed("CANCELLED", "cancelled; the module was ended");
  if (outcome.timedOut) {
    throw new ToolError("TIMEOUT", `${name}: no answer in ${timeoutMs} ms; the module was ended`, {
      details: { timeout_ms: timeoutMs },
      output,
    });
  }
  if (answer === null) {
    const how = outcome.signal === null
      ? `with status ${outcome.exitCode}`
      : `by ${outcome.signal}`;
    throw new ToolError(
      "COMMAND_FAILED",
      `${name}: the module's process ended ${how} without an answer`,
      {
        details: { exit_code: outcome.exitCode, signal: outcome.signal },
        output,
      },
    );
  }
  if (answer.kind === "value") return answer.json;
  if (answer.kind === "no entry") return null;
  throw failed(CODES[answer.kind], `${WORDS[answer.kind]}${printable(answer.message, 1_000)}`);
}

type Failure = Exclude<ModuleAnswer["kind"], "value" | "no entry">;

const CODES = {
  "no value": "EXECUTION_ERROR",
  "too long": "RESOURCE_LIMIT",
  "not loaded": "EXECUTION_ERROR",
  thrown: "COMMAND_FAILED",
  "not held": "NATIVE_DENIED",
} as const satisfies Record<Failure, ConstructorParameters<typeof ToolError>[0]>;

const WORDS: Readonly<Record<Failure, string>> = {
  "no value": "the module's answer is no JSON: ",
  "too long": "",
  "not loaded": "the module cannot be loaded: ",
  thrown: "",
  "not held": "",
};

/** The value of an answer, where it is what the manifest promises. Throws EXECUTION_ERROR. */
export function valueOf({ name, output }: ModuleManifest, json: string): unknown {
  // Through the interpreter even where any value will do: nothing deeper than it allows goes on.
  const parsed = parseArguments(
    { type: "object", properties: { value: output.schema ?? {} }, required: ["value"] },
    { value: JSON.parse(json) },
  );
  if ("value" in parsed) return (parsed.value as { readonly value: unknown }).value;
  const text = parsed.problems.map(({ path, message }) => `${path}: ${message}`).join("; ");
  throw new ToolError(
    "EXECUTION_ERROR",
    `${name}: the module answered what the manifest's schema does not fit: ${
      printable(text, 1_000)
    }`,
  );
}
