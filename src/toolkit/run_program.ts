/** Running one program for a tool, to its end. */

import { ToolError } from "../core/errors.ts";
import type { ProcessOutcome, ToolContext } from "../core/tool.ts";
import { commandError, commandOutput } from "./command_output.ts";

/** How a program is run. `stdin` null: none; `env` is set on top of the policy's. */
export interface RunOptions {
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly stdin?: Uint8Array | null;
  /** Milliseconds; never more than the call has left. */
  readonly timeoutMs?: number;
}

/** What became of it, and how long it was given. */
export interface Ran {
  readonly outcome: ProcessOutcome;
  readonly timeoutMs: number;
}

/** Runs a program that the call's capabilities named. */
export async function runProgram(
  context: ToolContext,
  argv: readonly string[],
  { cwd = ".", env = {}, stdin = null, timeoutMs: asked = Infinity }: RunOptions = {},
): Promise<Ran> {
  const timeoutMs = Math.min(asked, context.timeoutMs);
  const outcome = await context.processes.run(argv, { cwd, env, stdin, timeoutMs });
  const ended = outcome.cancelled && isOutOfTime(context)
    ? { ...outcome, cancelled: false, timedOut: true }
    : outcome;
  return { outcome: ended, timeoutMs };
}

/** The error of a program that was ended before its time; null where it ended by itself, however. */
export function endedEarly(tool: string, argv: readonly string[], ran: Ran): ToolError | null {
  const { timedOut, cancelled, exceeded, exitCode } = ran.outcome;
  if (!timedOut && !cancelled && exceeded === null && exitCode !== null) return null;
  return commandError(tool, argv[0] ?? "", ran.outcome, ran.timeoutMs);
}

/** The error of a program that ended with another status than those, or by a signal; null where it did not. */
export function endedBadly(
  tool: string,
  argv: readonly string[],
  ran: Ran,
  good: readonly number[] = [0],
): ToolError | null {
  const { exitCode, stderr } = ran.outcome;
  if (exitCode !== null && good.includes(exitCode)) return null;
  // What `python3 -m NAME` says where there is no such module.
  const missing = /: No module named (\S+)\s*$/.exec(new TextDecoder().decode(stderr))?.[1];
  if (missing === undefined || argv[1] !== "-m" || argv[2] !== missing) {
    return commandError(tool, argv[0] ?? "", ran.outcome, ran.timeoutMs);
  }
  return new ToolError(
    "COMMAND_NOT_FOUND",
    `${tool}: ${argv[0]} has no module ${missing}; install_package can install it`,
    { output: commandOutput(ran.outcome) },
  );
}

/** The same error with what the tool itself made of the output. */
export function withOutput(error: ToolError, output: unknown): ToolError {
  const { code, message, details } = error;
  return new ToolError(code, message, { ...(details === null ? {} : { details }), output });
}

/** Whether the call, not its caller, cancelled the program: the engine's clock and the program's run side by side. */
export function isOutOfTime(context: ToolContext): boolean {
  try {
    context.checkpoint();
    return false;
  } catch (error) {
    return error instanceof ToolError && error.code === "TIMEOUT";
  }
}

/** `timeout` of a request, in seconds, as milliseconds. */
export function milliseconds(seconds: number | undefined): number {
  return seconds === undefined ? Infinity : Math.ceil(seconds * 1000);
}

/** The `timeout` argument. */
export const TIMEOUT_SCHEMA = {
  type: "number",
  minimum: 0.001,
  description: "Seconds until it is ended; can only shorten what the policy gives.",
} as const;
