/** What became of a program, as results show it and as errors. */

import { ToolError } from "../../core/errors.ts";
import { printable } from "../../core/printable.ts";
import type { ProcessOutcome } from "../../core/tool.ts";

export interface CommandOutput {
  readonly stdout: string;
  readonly stderr: string;
  readonly exit_code: number | null;
  readonly signal: string | null;
  readonly timed_out: boolean;
  readonly truncated: boolean;
  readonly invalid_utf8?: true;
  readonly duration_ms: number;
  readonly sandbox: readonly string[];
}

export function commandOutput(outcome: ProcessOutcome): CommandOutput {
  const stdout = decode(outcome.stdout);
  const stderr = decode(outcome.stderr);
  return {
    stdout: stdout.text,
    stderr: stderr.text,
    exit_code: outcome.exitCode,
    signal: outcome.signal,
    timed_out: outcome.timedOut,
    truncated: outcome.dropped.stdout + outcome.dropped.stderr > 0,
    ...(stdout.valid && stderr.valid ? {} : { invalid_utf8: true }),
    duration_ms: Math.round(outcome.durationMs * 100) / 100,
    sandbox: outcome.sandbox,
  };
}

/** The error of a program that did not end with status 0, its whole output with it; null where it did. */
export function commandError(
  tool: string,
  program: string,
  outcome: ProcessOutcome,
  timeoutMs: number,
): ToolError | null {
  const output = commandOutput(outcome);
  const name = printable(program, 60);
  if (outcome.cancelled) {
    return new ToolError("CANCELLED", `${tool}: cancelled; ${sent(outcome)}`, { output });
  }
  if (outcome.timedOut) {
    return new ToolError("TIMEOUT", `${tool}: no exit in ${span(timeoutMs)}; ${sent(outcome)}`, {
      details: { timeout_ms: timeoutMs },
      output,
    });
  }
  if (outcome.exitCode === 0) return null;
  const how = outcome.exitCode === null
    ? `${name} was ended by ${outcome.signal ?? "a signal"}`
    : `${name} ended with status ${outcome.exitCode}`;
  const said = lastLine(output.stderr);
  return new ToolError("COMMAND_FAILED", said === "" ? how : `${how}: ${said}`, {
    details: { exit_code: outcome.exitCode, signal: outcome.signal },
    output,
  });
}

/** `30 s`, `1.5 s`, `20 ms`. */
function span(milliseconds: number): string {
  return milliseconds < 1000 ? `${milliseconds} ms` : `${Math.round(milliseconds / 100) / 10} s`;
}

/** What it took to end it. */
function sent({ signal }: ProcessOutcome): string {
  return signal === "SIGKILL" ? "sent SIGTERM, then SIGKILL" : "sent SIGTERM";
}

function lastLine(text: string): string {
  return printable(text.trimEnd().split("\n").pop()?.trim() ?? "", 200);
}

/** The BOM is kept: it is output like any other. `valid` is false where bytes became U+FFFD. */
function decode(bytes: Uint8Array): { readonly text: string; readonly valid: boolean } {
  try {
    return {
      text: new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes),
      valid: true,
    };
  } catch {
    return { text: new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes), valid: false };
  }
}
