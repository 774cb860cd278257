/**
 * What `perf script` prints: a line for each sample (command, process, time, period, event), below it its stack,
 * the innermost frame first, and an empty line. Linux's tools/perf/Documentation/perf-script.txt.
 */

import { baseName } from "../../../core/path_text.ts";
import { CallTree, ROOT } from "./call_tree.ts";
import { damaged } from "./failures.ts";
import {
  FrameTable,
  isWeight,
  type Reading,
  SkipList,
  type StackProfile,
  unitOf,
} from "./model.ts";
import { eachLine } from "./text_lines.ts";

const WHAT = "the output of perf script";
/** Events that count nanoseconds; all others count themselves. */
const TIMES: ReadonlySet<string> = new Set(["cpu-clock", "task-clock"]);
/** Lines and events that are remembered. */
const MOST_KNOWN = 100_000;
/** Longer lines are no headers. */
const LONGEST_HEADER = 1_000;

/**
 * `python3 17085/17086 [001] 644.243056:     250000 cpu-clock:u: `, what is behind it being the place where no stack
 * was recorded. Processor, thread and period may be missing.
 */
const HEADER =
  /^(\S.{0,100}?)\s{1,20}\d+(?:\/\d+)?\s{1,20}(?:\[\d+\]\s{1,20})?(?:\S{1,10}\s{1,20})?\d+\.\d+:\s{1,20}(?:(\d{1,18})\s{1,20})?(\S{1,200}):(?:\s+(.*))?$/;

interface Header {
  readonly command: string;
  readonly period: number;
  readonly event: string;
  /** The one frame that stands on the line. */
  readonly place: string;
}

function headerOf(line: string): Header | null {
  if (line === "" || line[0] === " " || line[0] === "\t" || line[0] === "#") return null;
  const [found, command = "", period, event = "", place = ""] =
    HEADER.exec(line.slice(0, LONGEST_HEADER)) ?? [];
  if (found === undefined) return null;
  return { command, period: period === undefined ? 1 : Number(period), event, place };
}

/** Whether the first lines of a text are such: a sample's, and below it an address. */
export function isPerfScript(lines: readonly string[]): boolean {
  const said = lines.filter((line) => line.trim() !== "" && line[0] !== "#");
  return said.slice(0, 50).some((line, index) => {
    const header = headerOf(line);
    if (header === null) return false;
    return header.place !== "" || frameOf(said[index + 1] ?? "") !== null;
  });
}

/** Name and file of a line `ffffffff821ce5ec mas_find+0x2c ([kernel.kallsyms])`. */
function frameOf(line: string): { readonly name: string; readonly file: string } | null {
  const text = line.trim();
  const blank = text.search(/\s/);
  const address = blank === -1 ? text : text.slice(0, blank);
  if (!/^[0-9a-f]{1,16}$/.test(address)) return null;
  const rest = blank === -1 ? "" : text.slice(blank).trim();
  const open = rest.endsWith(")") ? rest.lastIndexOf(" (") : -1;
  const file = open === -1
    ? rest.startsWith("(") ? rest.slice(1, -1) : ""
    : rest.slice(open + 2, -1);
  const symbol = open === -1 ? rest.startsWith("(") ? "" : rest : rest.slice(0, open);
  const plus = symbol.lastIndexOf("+0x");
  const name = plus > 0 && /^[0-9a-f]{1,16}$/.test(symbol.slice(plus + 3))
    ? symbol.slice(0, plus)
    : symbol;
  if (name !== "" && name !== "[unknown]") return { name, file };
  // The program or library at least is known.
  const base = baseName(file);
  return { name: base === "" || base === "[unknown]" ? "[unknown]" : `[${base}]`, file };
}

/** One sample, while its lines come. */
interface Sample {
  readonly header: Header;
  /** The innermost first. */
  readonly frames: number[];
}

/**
 * Reads it: the samples of the event that has most of them, weighed by their periods, below their command's name.
 * Throws UNKNOWN_PROFILE, RESOURCE_LIMIT.
 */
export function readPerfScript(text: string, { checkpoint }: Reading): StackProfile {
  const table = new FrameTable();
  const tree = new CallTree();
  const skips = new SkipList();
  const events = countEvents(text, checkpoint);
  const [event = "", samples = 0] = events[0] ?? [];
  if (samples === 0) throw damaged(WHAT, "it holds no sample");
  // `cpu-clock:u`: what stands behind a colon says where it was counted.
  const { unit, factor } = unitOf(TIMES.has(event.replace(/:.*$/, "")) ? "ns" : event);
  const known = new Map<string, number>();
  const indexOf = (line: string): number | null => {
    const index = known.get(line);
    if (index !== undefined) return index;
    const frame = frameOf(line);
    if (frame === null) return null;
    const made = table.index(frame.name, frame.file);
    if (known.size < MOST_KNOWN) known.set(line, made);
    return made;
  };
  let sample: Sample | null = null;
  const end = (): void => {
    if (sample === null || sample.header.event !== event) return;
    let node = tree.child(ROOT, table.index(sample.header.command));
    for (let at = sample.frames.length - 1; at >= 0; at--) {
      node = tree.child(node, sample.frames[at] ?? 0);
    }
    const { period } = sample.header;
    if (isWeight(period)) tree.add(node, period * factor);
  };
  let steps = 0;
  eachLine(text, (line) => {
    if ((steps++ & 0xff) === 0) checkpoint();
    const header = headerOf(line);
    if (header !== null) {
      end();
      sample = { header, frames: [] };
      const only = header.place === "" ? null : indexOf(header.place);
      if (only !== null) sample.frames.push(only);
    } else if (line.trim() === "") {
      end();
      sample = null;
    } else if (line[0] !== "#") {
      const frame = indexOf(line);
      if (frame === null || sample === null) skips.add("lines that are no frame of a sample");
      else sample.frames.push(frame);
    }
  });
  end();
  const others = events.slice(1).map(([name]) => name);
  return {
    kind: "stacks",
    format: "perf_script",
    unit,
    samples,
    frames: table.frames,
    tree,
    skipped: skips.list(),
    notes: others.length === 0
      ? []
      : [`of the event ${event}; it holds ${others.slice(0, 5).join(", ")}, too`],
  };
}

/** The events and their samples, those with most samples first. */
function countEvents(text: string, checkpoint: () => void): readonly (readonly [string, number])[] {
  const events = new Map<string, number>();
  let steps = 0;
  eachLine(text, (line) => {
    if ((steps++ & 0xff) === 0) checkpoint();
    const header = headerOf(line);
    if (header === null) return;
    if (events.size < MOST_KNOWN || events.has(header.event)) {
      events.set(header.event, (events.get(header.event) ?? 0) + 1);
    }
  });
  return [...events].sort((a, b) => b[1] - a[1]);
}
