/** The time of a request. */

import { Ender, type Ending } from "../../core/ending.ts";
import { ToolError } from "../../core/errors.ts";
import { placeOf } from "../../core/web_address.ts";

/** The work, or the reason of the signal where that comes first. */
export async function raced<T>(work: Promise<T>, signal: Ending): Promise<T> {
  if (signal.aborted) throw signal.reason;
  const { promise, reject } = Promise.withResolvers<never>();
  const abort = () => reject(signal.reason);
  signal.addEventListener("abort", abort);
  try {
    return await Promise.race([work, promise]);
  } finally {
    signal.removeEventListener("abort", abort);
  }
}

/** The time of one request: its own, and that of its call. */
export class Deadline {
  readonly #ender = new Ender();
  readonly #call: Ending;
  readonly #timer: number | null;
  readonly #ms: number | null;
  readonly #onCall = () => this.#ender.end(this.#call.reason);

  constructor(call: Ending, ms: number | null) {
    this.#call = call;
    this.#ms = ms;
    this.#timer = ms === null ? null : setTimeout(() => this.#ender.end("TIMEOUT"), ms);
    call.addEventListener("abort", this.#onCall);
    if (call.aborted) this.#onCall();
  }

  /** Aborted with "TIMEOUT", or with the reason of the call's. */
  get signal(): Ending {
    return this.#ender;
  }

  /** What a request ends with whose signal was aborted. */
  error(url: URL): ToolError {
    const { reason } = this.signal;
    if (reason !== "TIMEOUT") return new ToolError("CANCELLED", `${placeOf(url)}: cancelled`);
    const within = this.#ms === null || this.#call.aborted ? "in time" : `in ${this.#ms} ms`;
    return new ToolError("TIMEOUT", `${placeOf(url)}: no whole answer ${within}`);
  }

  /** To be called when the request has ended. */
  close(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#call.removeEventListener("abort", this.#onCall);
  }
}
