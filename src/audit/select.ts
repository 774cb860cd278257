/** Which records somebody wants to see, and what all of them come to. */

import { isObject } from "../core/json_value.ts";

/** A record as it was read: members of `AuditEntry` and of the chain. */
export type ReadRecord = Readonly<Record<string, unknown>>;

/** All that is given must fit. Texts are compared whole, agents and tools by `*` too. */
export interface Selection {
  readonly agent?: string;
  readonly tool?: string;
  readonly effect?: string;
  readonly code?: string;
  /** Milliseconds since 1970: records from then on. */
  readonly since?: number;
  /** One call by its name. */
  readonly call?: string;
}

/** The record in a line; null for what is none. */
export function parseRecord(line: string): ReadRecord | null {
  try {
    const value: unknown = JSON.parse(line);
    return isObject(value) ? value : null;
  } catch {
    return null;
  }
}

/** Whether a record has all that is asked for; what is not asked for fits. */
export function isSelected(record: ReadRecord, selection: Selection): boolean {
  const { agent, tool, effect, code, since, call } = selection;
  return fits(agent, record.agent) && fits(tool, record.tool) && fits(call, record.call) &&
    (effect === undefined || record.effect === effect) &&
    (code === undefined || record.code === code) &&
    (since === undefined || Date.parse(String(record.time)) >= since);
}

function fits(wanted: string | undefined, value: unknown): boolean {
  if (wanted === undefined) return true;
  if (typeof value !== "string") return false;
  const parts = wanted.split("*");
  if (parts.length === 1) return value === wanted;
  const [first = "", ...rest] = parts;
  const last = rest.pop() ?? "";
  if (!value.startsWith(first) || value.length < first.length + last.length) return false;
  let at = first.length;
  for (const part of rest) {
    const found = value.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return value.endsWith(last) && value.length - last.length >= at;
}

/** What the calls of one tool by one agent came to. */
export interface CallStatistics {
  readonly agent: string;
  readonly tool: string;
  readonly calls: number;
  readonly succeeded: number;
  readonly denied: number;
  /** Share of the calls, 0 to 1. */
  readonly success_rate: number;
  /** Milliseconds: middle, 95th percentile, most. */
  readonly latency_ms: { readonly p50: number; readonly p95: number; readonly max: number };
  /** How often each error code came. */
  readonly codes: Readonly<Record<string, number>>;
}

/** Latencies that are kept of one tool and agent, evenly thinned out beyond. */
const MOST_KEPT = 8192;

/** Statistics of the outcomes among the records, most called first. */
export function statisticsOf(records: Iterable<ReadRecord>): readonly CallStatistics[] {
  const groups = new Map<string, Group>();
  const denied = new Set<unknown>();
  for (const record of records) {
    if (record.kind === "decision" && record.effect === "deny") denied.add(record.call);
    if (record.kind !== "outcome") continue;
    const key = JSON.stringify([record.agent, record.tool]);
    const group = groups.get(key) ?? new Group(String(record.agent), String(record.tool));
    groups.set(key, group);
    group.add(record, denied.delete(record.call));
  }
  return [...groups.values()].map((group) => group.report())
    .sort((a, b) => b.calls - a.calls || (a.tool < b.tool ? -1 : 1));
}

class Group {
  readonly #agent: string;
  readonly #tool: string;
  readonly #codes = new Map<string, number>();
  #latencies: number[] = [];
  #step = 1;
  #calls = 0;
  #succeeded = 0;
  #denied = 0;
  #max = 0;

  constructor(agent: string, tool: string) {
    this.#agent = agent;
    this.#tool = tool;
  }

  add(record: ReadRecord, denied: boolean): void {
    const latency = typeof record.latency_ms === "number" ? record.latency_ms : 0;
    if (this.#calls++ % this.#step === 0) this.#latencies.push(latency);
    if (this.#latencies.length > MOST_KEPT) {
      this.#latencies = this.#latencies.filter((_, index) => index % 2 === 0);
      this.#step *= 2;
    }
    this.#max = Math.max(this.#max, latency);
    if (record.success === true) this.#succeeded++;
    if (denied) this.#denied++;
    if (typeof record.code === "string") {
      this.#codes.set(record.code, (this.#codes.get(record.code) ?? 0) + 1);
    }
  }

  report(): CallStatistics {
    const sorted = this.#latencies.toSorted((a, b) => a - b);
    const at = (share: number) => sorted[Math.floor(share * (sorted.length - 1))] ?? 0;
    return {
      agent: this.#agent,
      tool: this.#tool,
      calls: this.#calls,
      succeeded: this.#succeeded,
      denied: this.#denied,
      success_rate: Number((this.#succeeded / this.#calls).toFixed(4)),
      latency_ms: { p50: at(0.5), p95: at(0.95), max: this.#max },
      codes: Object.fromEntries([...this.#codes].sort()),
    };
  }
}
