/** The one envelope of every answer, and how it is written as a line of JSON. */

import type { ErrorCode, ResultError } from "./errors.ts";
import type { RequestId } from "./request.ts";
import type { Risk } from "./tool.ts";

declare const json: unique symbol;

/** Text that is one JSON value: outputs cross threads as text and are never parsed on the way. */
export type JsonText = string & { readonly [json]: true };

/** Serialises a value; `undefined` becomes `null`. */
export function toJsonText(value: unknown): JsonText {
  return (JSON.stringify(value) ?? "null") as JsonText;
}

/** The output of a call that has none. */
export const JSON_NULL: JsonText = toJsonText(null);

/** What a call used: `bytes_read`, `bytes_written`, `layers` that held, … */
export type Usage = Readonly<Record<string, number | readonly string[]>>;

/**
 * The answer to a call, whichever tool and whichever way it went. `latencyMs`: milliseconds from request to
 * answer.
 */
export interface Result {
  /** Canonical name where the tool is known, else as asked. */
  readonly tool: string | null;
  readonly success: boolean;
  readonly output: JsonText;
  readonly error: ResultError | null;
  readonly risk: Risk | null;
  readonly latencyMs: number;
  readonly usage: Usage;
  /** What was done about failures on the way, in order; absent where nothing was. */
  readonly recovery?: readonly unknown[];
}

/** `op` says which operation answers where it was no call. */
export function encodeResult(id: RequestId, result: Result, op: string | null = null): string {
  return `{"id":${id ?? "null"},` + (op === null ? "" : `"op":${JSON.stringify(op)},`) +
    `"tool":${JSON.stringify(result.tool)},"success":${result.success},"output":${result.output},` +
    `"error":${result.error === null ? "null" : JSON.stringify(result.error)},` +
    `"risk":${JSON.stringify(result.risk)},"latency_ms":${result.latencyMs.toFixed(2)},` +
    `"usage":${JSON.stringify(result.usage)}` +
    (result.recovery === undefined ? "}" : `,"recovery":${JSON.stringify(result.recovery)}}`);
}

/** A result that only says why nothing ran. */
export function refusal(
  tool: string | null,
  error: ResultError,
  latencyMs = 0,
  risk: Risk | null = null,
): Result {
  return { tool, success: false, output: JSON_NULL, error, risk, latencyMs, usage: {} };
}

/** The plain error of a code and a message. */
export function resultError(code: ErrorCode, message: string): ResultError {
  return { code, message, details: null, rule: null };
}
