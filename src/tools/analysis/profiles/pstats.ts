/**
 * Statistics of Python's cProfile and profile, as `dump_stats` writes them (Lib/cProfile.py, Lib/pstats.py): a
 * dictionary `(file, line, name) → (primitive calls, calls, own time, cumulative time, callers)`. Read as data.
 */

import { isDictionary, MarshalError, type MarshalValue, readMarshal } from "./marshal.ts";
import { damaged } from "./failures.ts";
import {
  type CallEdge,
  FrameTable,
  type GraphProfile,
  isWeight,
  positionOf,
  type Reading,
  SkipList,
} from "./model.ts";

const WHAT = "statistics of Python's cProfile";
/** Seconds to milliseconds. */
const FACTOR = 1e3;

/** Whether bytes begin as one: a dictionary whose first key is a tuple, or that is empty. */
export function isPstats(start: Uint8Array): boolean {
  const kind = (index: number): string => String.fromCharCode((start[index] ?? 0) & 0x7f);
  return kind(0) === "{" && (kind(1) === ")" || kind(1) === "(" || kind(1) === "0");
}

/** Reads them. Throws UNKNOWN_PROFILE. */
export function readPstats(bytes: Uint8Array, { checkpoint }: Reading): GraphProfile {
  const value = unmarshal(bytes, checkpoint);
  if (!isDictionary(value)) {
    throw damaged(WHAT, "it is no table of functions");
  }
  const table = new FrameTable();
  const skips = new SkipList();
  const edges: CallEdge[] = [];
  const own = new Map<number, number>();
  const total = new Map<number, number>();
  let calls = 0;
  value.entries.forEach(([key, row], index) => {
    if ((index & 0xfff) === 0) checkpoint();
    const callee = frameOf(key, table);
    const figures = Array.isArray(row) ? row : [];
    const [, count, inner, cumulative, callers] = figures;
    if (callee === null || !isTime(inner) || !isTime(cumulative) || !isWeight(count)) {
      skips.add("entries that are none");
      return;
    }
    calls += count;
    own.set(callee, (own.get(callee) ?? 0) + inner * FACTOR);
    total.set(callee, (total.get(callee) ?? 0) + cumulative * FACTOR);
    if (!isDictionary(callers)) return;
    for (const [key, spent] of callers.entries) {
      const caller = frameOf(key, table);
      // cProfile writes (calls, primitive calls, own time, cumulative time), profile the number of calls alone.
      const time = Array.isArray(spent) ? spent[3] : 0;
      if (caller === null || !isTime(time)) skips.add("callers that are none");
      else edges.push({ caller, callee, total: time * FACTOR });
    }
  });
  const { frames } = table;
  if (frames.length === 0) throw damaged(WHAT, "it holds no function");
  return {
    kind: "graph",
    format: "pstats",
    unit: "ms",
    samples: calls,
    frames,
    own: Float64Array.from(frames, (_, index) => own.get(index) ?? 0),
    total: Float64Array.from(frames, (_, index) => total.get(index) ?? 0),
    edges,
    skipped: skips.list(),
    notes: [
      "cProfile keeps no call paths: paths and flame graph share each function's time among its callers",
    ],
  };
}

function unmarshal(bytes: Uint8Array, checkpoint: () => void): MarshalValue {
  try {
    return readMarshal(bytes, checkpoint);
  } catch (error) {
    if (!(error instanceof MarshalError)) throw error;
    throw damaged(WHAT, error.message);
  }
}

function isTime(value: unknown): value is number {
  return isWeight(value) && value >= 0;
}

/** `("~", 0, name)` stands for what is built in. */
function frameOf(key: MarshalValue, table: FrameTable): number | null {
  const [file, line, name] = Array.isArray(key) ? key : [];
  if (typeof file !== "string" || typeof line !== "number" || typeof name !== "string") return null;
  return table.index(name, file === "~" ? null : file, positionOf(line));
}
