/**
 * V8's CPU profiles (`node --cpu-prof`, DevTools): the type `Profile` of the Chrome DevTools Protocol, domain
 * Profiler. Times are microseconds.
 */

import { isObject } from "../../../core/json_value.ts";
import { CallTree, ROOT } from "./call_tree.ts";
import { type JsonObject, listOf, textOf } from "./json_values.ts";
import { damaged } from "./failures.ts";
import {
  FrameTable,
  isWeight,
  positionOf,
  type Reading,
  SkipList,
  type StackProfile,
} from "./model.ts";

const WHAT = "a V8 .cpuprofile";
/** Microseconds to milliseconds. */
const FACTOR = 1e-3;

/** Whether parsed JSON is one. */
export function isCpuProfile(value: unknown): boolean {
  return isObject(value) && Array.isArray(value["nodes"]) &&
    ("samples" in value || "startTime" in value || "endTime" in value);
}

interface Node {
  readonly frame: number;
  readonly hits: number;
  /** Indexes of nodes. */
  readonly children: readonly number[];
}

/**
 * Reads it. A sample lasts until the next one, the last until the profile ends; idle time is left out and noted.
 * Without samples the hit counts of the nodes are taken. Throws UNKNOWN_PROFILE, RESOURCE_LIMIT.
 */
export function readCpuProfile(value: unknown, { checkpoint }: Reading): StackProfile {
  const profile = isObject(value) ? value : {};
  const table = new FrameTable();
  const tree = new CallTree();
  const skips = new SkipList();
  const indexes = new Map<unknown, number>();
  const nodes = readNodes(profile, table, indexes, checkpoint);
  const paths = placeNodes(nodes, tree, table, checkpoint);
  const common = { kind: "stacks", format: "cpuprofile", frames: table.frames, tree } as const;

  const samples = listOf(profile["samples"]);
  if (samples.length === 0) {
    let hits = 0;
    nodes.forEach((node, index) => {
      hits += node.hits;
      tree.add(paths[index] ?? ROOT, node.hits);
    });
    if (hits === 0) throw damaged(WHAT, "it holds no samples");
    return { ...common, unit: "samples", samples: hits, skipped: [], notes: [] };
  }

  const idle = new Set(
    nodes.flatMap(({ frame }, index) => table.frames[frame]?.name === "(idle)" ? [index] : []),
  );
  const spans = lengthsOf(profile, samples.length, skips);
  let idleTime = 0;
  samples.forEach((id, at) => {
    if ((at & 0xfff) === 0) checkpoint();
    const index = indexes.get(id);
    const weight = (spans[at] ?? 0) * FACTOR;
    if (index === undefined) skips.add("samples of nodes that are not there");
    else if (idle.has(index)) idleTime += weight;
    else tree.add(paths[index] ?? ROOT, weight);
  });
  return {
    ...common,
    unit: "ms",
    samples: samples.length,
    skipped: skips.list(),
    notes: idleTime > 0 ? [`${idleTime.toFixed(1)} ms of idle time are left out`] : [],
  };
}

function readNodes(
  profile: JsonObject,
  table: FrameTable,
  indexes: Map<unknown, number>,
  checkpoint: () => void,
): readonly Node[] {
  const list = listOf(profile["nodes"]);
  list.forEach((node, index) => {
    const id = isObject(node) ? node["id"] : undefined;
    if (typeof id !== "number") throw damaged(WHAT, `its node ${index} has no number`);
    if (indexes.has(id)) throw damaged(WHAT, `it has two nodes with the number ${id}`);
    indexes.set(id, index);
  });
  const byChild = new Map<number, number[]>();
  const nodes = list.map((node, index): Node => {
    if ((index & 0xfff) === 0) checkpoint();
    const fields = isObject(node) ? node : {};
    const call = isObject(fields["callFrame"]) ? fields["callFrame"] : {};
    const hits = fields["hitCount"];
    const parent = indexes.get(fields["parent"]);
    if (parent !== undefined) {
      const siblings = byChild.get(parent);
      if (siblings === undefined) byChild.set(parent, [index]);
      else siblings.push(index);
    }
    const children = listOf(fields["children"]).map((id) => {
      const child = indexes.get(id);
      if (child === undefined) throw damaged(WHAT, `node ${index} has a child that is not there`);
      return child;
    });
    return { frame: frameOf(call, table), hits: isWeight(hits) && hits > 0 ? hits : 0, children };
  });
  // Profiles taken from a trace name parents in the place of children.
  return byChild.size === 0 ? nodes : nodes.map((node, index) => ({
    ...node,
    children: [...node.children, ...byChild.get(index) ?? []],
  }));
}

function frameOf(call: JsonObject, table: FrameTable): number {
  return table.index(
    textOf(call["functionName"]),
    plainFile(textOf(call["url"])),
    positionOf(Number(call["lineNumber"]) + 1),
    positionOf(Number(call["columnNumber"]) + 1),
  );
}

/** A path for `file:` addresses of this machine; others as they are. */
function plainFile(url: string): string | null {
  if (!url.startsWith("file:///")) return url === "" ? null : url;
  try {
    return decodeURIComponent(url.slice("file://".length));
  } catch {
    return url;
  }
}

/** Puts the nodes into the tree, parents first: by node, its path. A node may have one parent, and not be below itself. */
function placeNodes(
  nodes: readonly Node[],
  tree: CallTree,
  table: FrameTable,
  checkpoint: () => void,
): Int32Array {
  const parents = new Int32Array(nodes.length).fill(-1);
  nodes.forEach(({ children }, index) => {
    for (const child of children) {
      if (parents[child] !== -1) throw damaged(WHAT, `its node ${child} has two parents`);
      parents[child] = index;
    }
  });
  const paths = new Int32Array(nodes.length);
  const open = nodes.flatMap((_, index) => parents[index] === -1 ? [index] : []);
  let placed = 0;
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    if ((placed++ & 0xfff) === 0) checkpoint();
    const { frame, children } = nodes[node] as Node;
    const parent = parents[node] ?? -1;
    const isRoot = parent === -1 && table.frames[frame]?.name === "(root)";
    paths[node] = isRoot ? ROOT : tree.child(parent === -1 ? ROOT : paths[parent] ?? ROOT, frame);
    for (const child of children) open.push(child);
  }
  if (placed < nodes.length) throw damaged(WHAT, "some of its nodes are below themselves");
  return paths;
}

/**
 * How long each sample lasts, in microseconds: until the next one. `timeDeltas[i]` lies before sample i; where it is
 * negative, samples were written out of order, and are put in order as DevTools does.
 */
function lengthsOf(profile: JsonObject, count: number, skips: SkipList): Float64Array {
  const deltas = listOf(profile["timeDeltas"]);
  const times = new Float64Array(count);
  let now = isWeight(profile["startTime"]) ? profile["startTime"] : 0;
  let isOrdered = true;
  for (let at = 0; at < count; at++) {
    const delta = deltas[at];
    if (!isWeight(delta)) skips.add("samples without a time");
    else {
      now += delta;
      isOrdered &&= delta >= 0;
    }
    times[at] = now;
  }
  const last = profile["endTime"];
  const end = isWeight(last) ? last : now;
  return isOrdered ? gapsOf(times, end) : sortedGapsOf(times, end);
}

/** How long it is from each time to the next, and from the last to the end. */
function gapsOf(times: Float64Array, end: number): Float64Array {
  return times.map((time, at) => Math.max(0, (times[at + 1] ?? end) - time));
}

function sortedGapsOf(times: Float64Array, end: number): Float64Array {
  const order = Uint32Array.from(times, (_, at) => at)
    .sort((a, b) => (times[a] ?? 0) - (times[b] ?? 0) || a - b);
  const gaps = gapsOf(Float64Array.from(order, (at) => times[at] ?? 0), end);
  const placed = new Float64Array(times.length);
  order.forEach((sample, at) => placed[sample] = gaps[at] ?? 0);
  return placed;
}
