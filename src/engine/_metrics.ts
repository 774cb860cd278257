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

/** What one tool came to, as it crosses between threads. Latencies in milliseconds. */
export interface Counted extends Readonly<Omit<Tally, "errors">> {
  readonly errors: readonly (readonly [ErrorCode, number])[];
}

/** By tool name. */
export type Counts = Readonly<Record<string, Counted>>;

/** Counts calls. Names of tools are few: what no tool has is counted as it was asked for. */
export class Metrics {
  readonly #tallies = new Map<string, Tally>();

  /** @param code Null where the call succeeded. */
  record(tool: string, code: ErrorCode | null, latencyMs: number): void {
    const tally = this.#of(tool);
    tally.calls++;
    tally.total += latencyMs;
    tally.last = latencyMs;
    if (latencyMs > tally.max) tally.max = latencyMs;
    if (code === null) tally.succeeded++;
    else tally.errors.set(code, (tally.errors.get(code) ?? 0) + 1);
  }

  #of(tool: string): Tally {
    let tally = this.#tallies.get(tool);
    if (tally === undefined) {
      tally = { calls: 0, succeeded: 0, total: 0, max: 0, last: 0, errors: new Map() };
      this.#tallies.set(tool, tally);
    }
    return tally;
  }

  /** What was counted, which is not counted any more: it is somebody else's now. */
  take(): Counts {
    const counts = Object.fromEntries(
      [...this.#tallies].map(([name, tally]) => [name, { ...tally, errors: [...tally.errors] }]),
    );
    this.#tallies.clear();
    return counts;
  }

  /** Counts what another has. How many calls those were. */
  add(counts: Counts): number {
    let calls = 0;
    for (const [name, counted] of Object.entries(counts)) {
      const tally = this.#of(name);
      calls += counted.calls;
      tally.calls += counted.calls;
      tally.succeeded += counted.succeeded;
      tally.total += counted.total;
      tally.max = Math.max(tally.max, counted.max);
      tally.last = counted.last;
      for (const [code, count] of counted.errors) {
        tally.errors.set(code, (tally.errors.get(code) ?? 0) + count);
      }
    }
    return calls;
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
