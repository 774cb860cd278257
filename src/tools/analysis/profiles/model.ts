/** What every format of profile becomes: frames, and either whole call paths or who called whom. */

import { printable } from "../../../core/printable.ts";
import type { CallTree } from "./call_tree.ts";
import { tooMany } from "./failures.ts";

/** The formats, as results name them. */
export const FORMATS = [
  "cpuprofile",
  "pprof",
  "collapsed",
  "speedscope",
  "pstats",
  "perf_script",
] as const;
/** One of {@linkcode FORMATS}. */
export type FormatName = (typeof FORMATS)[number];

/** A function, as the profile names it; `file` may be a program or library where no source is known. */
export interface Frame {
  readonly name: string;
  readonly file: string | null;
  /** From 1; where the function begins, or the line that ran where the format knows no better. */
  readonly line: number | null;
  /** From 1. Tells apart functions of one line (of minified code, say). */
  readonly column: number | null;
}

/** What of a profile was passed over, and how often. */
export interface Skipped {
  readonly reason: string;
  readonly count: number;
}

interface Common {
  readonly format: FormatName;
  /** What the numbers are: `ms` for all times, else `samples`, `bytes`, `count`, or the name of an event. */
  readonly unit: string;
  /** Samples taken; of a profile without samples, the calls it counted. */
  readonly samples: number;
  readonly frames: readonly Frame[];
  readonly skipped: readonly Skipped[];
  /** What somebody who reads the numbers should know of them. */
  readonly notes: readonly string[];
}

/** A profile of call paths: frames are indexes of `frames`, weights in `unit`. */
export interface StackProfile extends Common {
  readonly kind: "stacks";
  readonly tree: CallTree;
}

/** What one function spent for one caller, or in all (`caller` null). Indexes of `frames`. */
export interface CallEdge {
  readonly caller: number;
  readonly callee: number;
  readonly total: number;
}

/** A profile that kept no paths, only functions and who called them. */
export interface GraphProfile extends Common {
  readonly kind: "graph";
  /** By index of the frame. */
  readonly own: Float64Array;
  /** By index of the frame, recursion counted once. */
  readonly total: Float64Array;
  readonly edges: readonly CallEdge[];
}

/** A profile as all analyses take it. */
export type Profile = StackProfile | GraphProfile;

/** What readers of formats are given beside the bytes. */
export interface Reading {
  /** Throws when the call is to end; to be called every few thousand steps. */
  readonly checkpoint: () => void;
}

/** Milliseconds in each unit of time that a format may name; anything else stays what it is. */
const MILLISECONDS: Readonly<Record<string, number>> = {
  nanoseconds: 1e-6,
  nanosecond: 1e-6,
  ns: 1e-6,
  microseconds: 1e-3,
  microsecond: 1e-3,
  us: 1e-3,
  "µs": 1e-3,
  milliseconds: 1,
  millisecond: 1,
  ms: 1,
  seconds: 1e3,
  second: 1e3,
  s: 1e3,
};

/** The unit that results have for one of a format, and what its numbers are multiplied by. */
export function unitOf(name: string): { readonly unit: string; readonly factor: number } {
  const factor = Object.hasOwn(MILLISECONDS, name) ? MILLISECONDS[name] : undefined;
  return factor === undefined ? { unit: printable(name, 40), factor: 1 } : { unit: "ms", factor };
}

/** Larger numbers are no measurements: signed integers of 64 bits end there, and sums of doubles stay finite. */
const LARGEST = 2 ** 63;

/** Whether a number can be a weight. Negative ones are for the formats that subtract profiles. */
export function isWeight(value: unknown): value is number {
  return typeof value === "number" && Math.abs(value) <= LARGEST;
}

/** A place from 1; null for anything else. */
export function positionOf(value: unknown): number | null {
  return typeof value === "number" && Number.isSafeInteger(value) && value > 0 ? value : null;
}

/** Programs have fewer functions; a file with more was made to fill memory. */
const MOST_FRAMES = 250_000;

/** Frames by what they are, each once, in the order they came. */
export class FrameTable {
  readonly frames: Frame[] = [];
  readonly #indexes = new Map<string, number>();
  readonly #most: number;

  constructor(most = MOST_FRAMES) {
    this.#most = most;
  }

  /** The index of a function; an empty name stands for one that has none. Throws RESOURCE_LIMIT. */
  index(
    name: string,
    file: string | null = null,
    line: number | null = null,
    column: number | null = null,
  ): number {
    const key = `${name}\0${file ?? ""}\0${line ?? ""}\0${column ?? ""}`;
    const known = this.#indexes.get(key);
    if (known !== undefined) return known;
    if (this.frames.length === this.#most) throw tooMany("different functions", this.#most);
    const frame = {
      name: name === "" ? "(anonymous)" : name,
      file: file === "" ? null : file,
      line,
      column,
    };
    this.#indexes.set(key, this.frames.length);
    return this.frames.push(frame) - 1;
  }
}

/** Counts what is passed over, by reason. */
export class SkipList {
  readonly #counts = new Map<string, number>();

  add(reason: string): void {
    this.#counts.set(reason, (this.#counts.get(reason) ?? 0) + 1);
  }

  list(): readonly Skipped[] {
    return [...this.#counts].map(([reason, count]) => ({ reason, count }));
  }
}
