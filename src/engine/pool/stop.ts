/** Asking a running call to end. */

import { Ender, type Ending } from "../../core/ending.ts";
import { ToolError } from "../../core/errors.ts";
import type { ProgramLimit } from "../../core/tool.ts";

/** Why a call is asked to end before it is done; its programs may have gone over a limit. */
export type StopReason = "TIMEOUT" | "CANCELLED" | OverLimit;

/** A limit that programs went over, and the number of their share of the run where it is not the first. */
export type OverLimit =
  | `RESOURCE_LIMIT:${ProgramLimit}`
  | `RESOURCE_LIMIT:${ProgramLimit}:${number}`;

/** Why a call is to end whose programs went over a limit. */
export function overLimit(limit: ProgramLimit, share: number): OverLimit {
  return share === 0 ? `RESOURCE_LIMIT:${limit}` : `RESOURCE_LIMIT:${limit}:${share}`;
}

/** One call's stop. */
export class Stop {
  readonly #tool: string;
  readonly #timeoutMs: number;
  #end: number;
  #reason: StopReason | null = null;
  #controller: AbortController | null = null;
  #ender: Ender | null = null;

  /** The call's time starts here. */
  constructor(tool: string, timeoutMs: number) {
    this.#tool = tool;
    this.#timeoutMs = timeoutMs;
    this.#end = performance.now() + timeoutMs;
  }

  /** For who listens; made only then, since making one costs as much as reading a small file. */
  get signal(): AbortSignal {
    this.#controller ??= new AbortController();
    if (this.#reason !== null) this.#controller.abort(this.#reason);
    return this.#controller.signal;
  }

  /** The same, for less. */
  get ending(): Ending {
    this.#ender ??= new Ender();
    if (this.#reason !== null) this.#ender.end(this.#reason);
    return this.#ender;
  }

  /** So many milliseconds were somebody else's. */
  extend(ms: number): void {
    this.#end += ms;
  }

  /** Milliseconds; less than none once it is over. */
  left(): number {
    return this.#end - performance.now();
  }

  ask(reason: StopReason): void {
    this.#reason ??= reason;
    this.#controller?.abort(this.#reason);
    this.#ender?.end(this.#reason);
  }

  /**
   * What a call's checkpoints do: throws CANCELLED once it was cancelled, RESOURCE_LIMIT once its programs went over
   * one, TIMEOUT once its time is over.
   */
  check(): void {
    if (this.#reason === null && performance.now() < this.#end) return;
    throw stopError(this.#tool, this.#reason ?? "TIMEOUT", this.#timeoutMs);
  }
}

/** The error of a call that was ended before it was done. */
export function stopError(tool: string, reason: StopReason, timeoutMs: number): ToolError {
  switch (reason) {
    case "CANCELLED":
      return new ToolError("CANCELLED", `${tool}: cancelled; it was ended`);
    case "TIMEOUT":
      return new ToolError("TIMEOUT", `${tool}: no answer in ${timeoutMs} ms; it was ended`);
    default: {
      const [, limit] = reason.split(":");
      return new ToolError("RESOURCE_LIMIT", `${tool}: its programs went over limits.${limit}`);
    }
  }
}
