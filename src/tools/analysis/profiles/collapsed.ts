/**
 * Collapsed stacks, as the stackcollapse scripts of FlameGraph, `py-spy record -f raw` and many others write them:
 * `main;parse;read 42`, a stack and its count a line.
 */

import { CallTree, ROOT } from "./call_tree.ts";
import { damaged } from "./failures.ts";
import {
  FrameTable,
  isWeight,
  positionOf,
  type Reading,
  SkipList,
  type StackProfile,
} from "./model.ts";
import { eachLine } from "./text_lines.ts";

/** How many of the first lines are looked at. */
const LOOKED_AT = 20;

/** The stack and the count of a line; null where it has none. No expression: lines may be megabytes long. */
function split(line: string): { readonly stack: string; readonly count: number } | null {
  const text = line.trimEnd();
  const blank = Math.max(text.lastIndexOf(" "), text.lastIndexOf("\t"));
  const digits = text.slice(blank + 1);
  if (blank < 1 || digits.length > 40 || !/^\d+(?:\.\d+)?$/.test(digits)) return null;
  const count = Number(digits);
  const stack = text.slice(0, blank).trimEnd();
  return stack === "" || !isWeight(count) ? null : { stack, count };
}

const isComment = (line: string): boolean => line.trim() === "" || line.startsWith("#");

/** Whether the first lines of a text are a stack and a count each; the last may be cut off. */
export function isCollapsed(lines: readonly string[]): boolean {
  const looked = lines.filter((line) => !isComment(line)).slice(0, LOOKED_AT);
  return looked.length > 0 && looked.every((line) => split(line) !== null);
}

/** `name (file.py:12)`, as py-spy and others write a frame. */
const PLACED = /^(.{1,500}) \(([^()]{1,500}):(\d{1,9})\)$/;

/** Reads them. Lines that are none are passed over and counted. Throws UNKNOWN_PROFILE, RESOURCE_LIMIT. */
export function readCollapsed(text: string, { checkpoint }: Reading): StackProfile {
  const table = new FrameTable();
  const tree = new CallTree();
  const skips = new SkipList();
  const frames = new Map<string, number>();
  let samples = 0;
  let steps = 0;
  const frameOf = (name: string): number => {
    const known = frames.get(name);
    if (known !== undefined) return known;
    const [, plain, file, line] = PLACED.exec(name) ?? [];
    const index = plain === undefined
      ? table.index(name)
      : table.index(plain, file, positionOf(Number(line)));
    frames.set(name, index);
    return index;
  };
  eachLine(text, (line) => {
    if ((steps++ & 0xfff) === 0) checkpoint();
    if (isComment(line)) return;
    const found = split(line);
    if (found === null) {
      skips.add("lines without a count");
      return;
    }
    let node = ROOT;
    for (let from = 0; from <= found.stack.length;) {
      if ((steps++ & 0xfff) === 0) checkpoint();
      const semicolon = found.stack.indexOf(";", from);
      const to = semicolon === -1 ? found.stack.length : semicolon;
      // Two semicolons have nothing between them.
      if (to > from) node = tree.child(node, frameOf(found.stack.slice(from, to)));
      from = to + 1;
    }
    if (node === ROOT) return;
    tree.add(node, found.count);
    samples += found.count;
  });
  if (tree.length === 1) throw damaged("collapsed stacks", "no line has a stack and a count");
  return {
    kind: "stacks",
    format: "collapsed",
    unit: "samples",
    samples,
    frames: table.frames,
    tree,
    skipped: skips.list(),
    notes: [],
  };
}
