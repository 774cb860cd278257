/** Asking a running call to end. */

import { ToolError } from "../core/errors.ts";

/** Why a call is asked to end before it is done. */
export type StopReason = "TIMEOUT" | "CANCELLED";

/** One call's stop. */
export class Stop {
  readonly #tool: string;
  readonly #timeoutMs: number;
  readonly #end: number;
  #reason: StopReason | null = null;
  #controller: AbortController | null = null;

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

  ask(reason: StopReason): void {
    this.#reason ??= reason;
    this.#controller?.abort(this.#reason);
  }

  /** What a call's checkpoints do: throws CANCELLED once it was cancelled, TIMEOUT once its time is over. */
  check(): void {
    if (this.#reason === "CANCELLED") {
      throw new ToolError("CANCELLED", `${this.#tool}: cancelled; it was ended`);
    }
    if (this.#reason === null && performance.now() < this.#end) return;
    throw new ToolError(
      "TIMEOUT",
      `${this.#tool}: no answer in ${this.#timeoutMs} ms; it was ended`,
    );
  }
}
