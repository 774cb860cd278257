/** Progress notifications of one call: each is more than the one before (MCP, "Progress"), whatever is counted. */

import { isObject } from "../../core/json_value.ts";
import type { JobEvent } from "../../engine/runner.ts";
import type { Params } from "./messages.ts";

/** Progress of one call, as notifications whose figures only rise. */
export class Progress {
  readonly #token: string | number;
  #last = 0;

  constructor(token: string | number) {
    this.#token = token;
  }

  /** By the `_meta` of a request; null where it wants none. */
  static wanted(meta: unknown): Progress | null {
    const token = isObject(meta) ? meta["progressToken"] : undefined;
    return typeof token === "string" || Number.isSafeInteger(token)
      ? new Progress(token as string | number)
      : null;
  }

  /** Params of the next notification. Output counts as a step, as does progress that is none. */
  next(event: JobEvent): Params {
    const counted = event.event === "progress" ? event : null;
    const progress = Math.max(this.#last + 1, counted?.done ?? 0);
    this.#last = progress;
    const total = counted?.total ?? null;
    return {
      progressToken: this.#token,
      progress,
      ...(total === null || total < progress ? {} : { total }),
      message: event.event === "progress" ? event.message : event.data,
    };
  }
}
