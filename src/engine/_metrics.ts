/** Counts and latencies of each tool, for `stats`. */

import type { ErrorCode } from "../core/errors.ts";

/** Latencies in milliseconds. */
export interface ToolMetrics {
  readonly calls: number;
  readonly succeeded: number;
  readonly success_rate: number;
  readonly latency_ms: { readonly mean: number; readonly max: number; readonly last: number };
  readonly errors: Readonly<Record<string, number>>;
}

interface Tally {
  calls: number;
  succeeded: number;
  total: number;
  max: number;
  last: number;
  errors: Map<ErrorCode, number>;
}

/** Counts calls. Names of tools are few: what no tool has is counted as it was asked for. */
export class Metrics {
  readonly #tallies = new Map<string, Tally>();

  /** @param code Null where the call succeeded. */
  record(tool: string, code: ErrorCode | null, latencyMs: number): void {
    let tally = this.#tallies.get(tool);
    if (tally === undefined) {
      tally = { calls: 0, succeeded: 0, total: 0, max: 0, last: 0, errors: new Map() };
      this.#tallies.set(tool, tally);
    }
    tally.calls++;
    tally.total += latencyMs;
    tally.last = latencyMs;
    if (latencyMs > tally.max) tally.max = latencyMs;
    if (code === null) tally.succeeded++;
    else tally.errors.set(code, (tally.errors.get(code) ?? 0) + 1);
  }

  /** By tool name, sorted. */
  report(): Readonly<Record<string, ToolMetrics>> {
    const names = [...this.#tallies.keys()].sort();
    return Object.fromEntries(names.map((name) => {
      const tally = this.#tallies.get(name) as Tally;
      return [name, {
        calls: tally.calls,
        succeeded: tally.succeeded,
        success_rate: tally.succeeded / tally.calls,
        latency_ms: {
          mean: round(tally.total / tally.calls),
          max: round(tally.max),
          last: round(tally.last),
        },
        errors: Object.fromEntries(tally.errors),
      }];
    }));
  }
}

function round(ms: number): number {
  return Math.round(ms * 1000) / 1000;
}
