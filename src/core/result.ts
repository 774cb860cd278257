/** The one envelope of every answer, and how it is written as a line of JSON. */

import type { ErrorCode, ResultError } from "./errors.ts";
import type { JsonBytes } from "./json_bytes.ts";
import type { RequestId } from "./request.ts";
import type { Risk } from "./tool.ts";

declare const json: unique symbol;

/** Text that is one JSON value. */
export type JsonText = string & { readonly [json]: true };

/** One JSON value: outputs of threads stay the bytes that came, and are neither decoded nor parsed on their way out. */
export type Json = JsonText | JsonBytes;

/** For who looks into it. */
export function jsonText(value: Json): JsonText {
  return typeof value === "string" ? value : value.text as JsonText;
}

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
  readonly output: Json;
  readonly error: ResultError | null;
  readonly risk: Risk | null;
  readonly latencyMs: number;
  readonly usage: Usage;
  /** What was done about failures on the way, in order; absent where nothing was. */
  readonly recovery?: readonly unknown[];
}

/** Where lines go: texts, and between them what is bytes already, which is released once it is in the line. */
export interface Lines {
  write(before: string, value?: JsonBytes, after?: string): void;
}

/** Writes it as a line. `op` says which operation answers where it was no call. */
export function writeResult(
  lines: Lines,
  id: RequestId,
  result: Result,
  op: string | null = null,
): void {
  const { output } = result;
  if (typeof output === "string") lines.write(encodeResult(id, result, op));
  else lines.write(beforeOutput(id, result, op), output, afterOutput(result));
}

/** As {@linkcode writeResult}, as one text. */
export function encodeResult(id: RequestId, result: Result, op: string | null = null): string {
  return beforeOutput(id, result, op) + jsonText(result.output) + afterOutput(result);
}

function beforeOutput(id: RequestId, { tool, success }: Result, op: string | null): string {
  return `{"id":${id ?? "null"},` + (op === null ? "" : `"op":${JSON.stringify(op)},`) +
    `"tool":${JSON.stringify(tool)},"success":${success},"output":`;
}

function afterOutput({ error, risk, latencyMs, usage, recovery }: Result): string {
  return `,"error":${error === null ? "null" : JSON.stringify(error)},` +
    `"risk":${JSON.stringify(risk)},"latency_ms":${latencyMs.toFixed(2)},` +
    `"usage":${JSON.stringify(usage)}` +
    (recovery === undefined ? "}" : `,"recovery":${JSON.stringify(recovery)}}`);
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
