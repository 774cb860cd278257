/** speedscope's own files: https://www.speedscope.app/file-format-schema.json */

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
  unitOf,
} from "./model.ts";

const WHAT = "a speedscope file";

/** Whether parsed JSON is one. */
export function isSpeedscope(value: unknown): boolean {
  return isObject(value) && Array.isArray(value["profiles"]) && isObject(value["shared"]) &&
    Array.isArray(value["shared"]["frames"]);
}

/** What reading a profile of the file adds to. */
interface Into {
  readonly tree: CallTree;
  /** By index of the file's frames. */
  readonly frames: readonly number[];
  readonly factor: number;
  readonly skips: SkipList;
  readonly checkpoint: () => void;
}

/**
 * Reads it: all of its profiles (one a thread, as a rule) that have the unit of the active one, added up.
 * Throws UNKNOWN_PROFILE, RESOURCE_LIMIT.
 */
export function readSpeedscope(value: unknown, { checkpoint }: Reading): StackProfile {
  const file = isObject(value) ? value : {};
  const shared = isObject(file["shared"]) ? file["shared"] : {};
  const table = new FrameTable();
  const frames = listOf(shared["frames"]).map((frame) => {
    const { name, file, line, col } = isObject(frame) ? frame : {};
    return table.index(textOf(name), textOf(file), positionOf(line), positionOf(col));
  });
  const profiles = listOf(file["profiles"]).filter(isObject);
  const active = profiles[Number(file["activeProfileIndex"] ?? 0)] ?? profiles[0];
  if (active === undefined) throw damaged(WHAT, "it holds no profile");
  const chosen = profiles.filter((profile) => profile["unit"] === active["unit"]);

  const named = textOf(active["unit"]);
  const { unit, factor } = unitOf(named === "none" || named === "" ? "samples" : named);
  const tree = new CallTree();
  const skips = new SkipList();
  const into = { tree, frames, factor, skips, checkpoint };
  let samples = 0;
  for (const profile of chosen) {
    samples += profile["type"] === "evented" ? addEvents(profile, into) : addSamples(profile, into);
  }
  const left = profiles.length - chosen.length;
  return {
    kind: "stacks",
    format: "speedscope",
    unit,
    samples,
    frames: table.frames,
    tree,
    skipped: skips.list(),
    notes: [
      ...(chosen.length > 1 ? [`the sum of ${chosen.length} profiles in the file`] : []),
      ...(left > 0 ? [`${left} profiles with another unit are left out`] : []),
    ],
  };
}

function addSamples(profile: JsonObject, into: Into): number {
  const { tree, frames, factor, skips, checkpoint } = into;
  const stacks = listOf(profile["samples"]);
  const weights = listOf(profile["weights"]);
  let steps = 0;
  stacks.forEach((stack, at) => {
    let node = ROOT;
    for (const index of listOf(stack)) {
      if ((steps++ & 0xfff) === 0) checkpoint();
      const frame = typeof index === "number" ? frames[index] : undefined;
      if (frame === undefined) skips.add("frames that are not there");
      else node = tree.child(node, frame);
    }
    const weight = weights[at] ?? (weights.length === 0 ? 1 : null);
    if (!isWeight(weight) || weight < 0) skips.add("samples without a weight");
    else if (node !== ROOT) tree.add(node, weight * factor);
  });
  return stacks.length;
}

/** Time between events goes to what is open then. A frame that is closed out of turn closes those above it. */
function addEvents(profile: JsonObject, into: Into): number {
  const { tree, frames, factor, skips, checkpoint } = into;
  const events = listOf(profile["events"]);
  let node = ROOT;
  let last: number | null = isWeight(profile["startValue"]) ? profile["startValue"] : null;
  const pass = (to: number): void => {
    if (node !== ROOT && last !== null && to > last) tree.add(node, (to - last) * factor);
    last = last === null ? to : Math.max(last, to);
  };
  events.forEach((event, index) => {
    if ((index & 0xfff) === 0) checkpoint();
    const { type, frame, at } = isObject(event) ? event : {};
    const known = typeof frame === "number" ? frames[frame] : undefined;
    if (known === undefined || !isWeight(at) || (type !== "O" && type !== "C")) {
      skips.add("events that are none");
      return;
    }
    pass(at);
    if (type === "O") {
      node = tree.child(node, known);
      return;
    }
    let opened = node;
    if (tree.frame(opened) !== known) {
      skips.add("frames closed out of turn");
      // Looking far down for each of many such events would take forever.
      for (let steps = 0; steps < 64 && opened !== ROOT && tree.frame(opened) !== known; steps++) {
        opened = tree.parent(opened);
      }
    }
    if (opened !== ROOT && tree.frame(opened) === known) node = tree.parent(opened);
  });
  if (isWeight(profile["endValue"])) pass(profile["endValue"]);
  return events.length;
}
