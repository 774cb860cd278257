/** Call paths for a profile that kept none: each function's time is shared among its callers by what they spent on it. */

import { CallTree, ROOT } from "./call_tree.ts";
import type { GraphProfile } from "./model.ts";

/** Paths with a smaller part of the whole are not followed. */
const LEAST_SHARE = 1 / 5_000;
/** Nor more of them, or deeper ones. */
const MOST_PATHS = 20_000;
const DEEPEST = 250;

interface Open {
  readonly node: number;
  readonly frame: number;
  /** What the path has of the function's time: from 0 to 1. */
  readonly share: number;
  readonly depth: number;
}

/** What is spent in a function by nobody's call is a path from the root. A path does not go through a function twice. */
export function apportion({ frames, own, total, edges }: GraphProfile): CallTree {
  const tree = new CallTree();
  const sum = own.reduce((a, b) => a + b, 0);
  const callees = new Map<number, { readonly callee: number; readonly total: number }[]>();
  const outside = Float64Array.from(total);
  for (const { caller, callee, total } of edges) {
    if (caller === callee) continue;
    outside[callee] = (outside[callee] ?? 0) - total;
    const list = callees.get(caller);
    if (list === undefined) callees.set(caller, [{ callee, total }]);
    else list.push({ callee, total });
  }
  const open: Open[] = [];
  const follow = (parent: Open | null, frame: number, weight: number): void => {
    const whole = total[frame] ?? 0;
    if (weight < sum * LEAST_SHARE || weight <= 0 || whole <= 0) return;
    const node = tree.child(parent?.node ?? ROOT, frame);
    open.push({ node, frame, share: Math.min(1, weight / whole), depth: (parent?.depth ?? 0) + 1 });
  };
  outside.forEach((weight, frame) => follow(null, frame, weight));
  // Where all is a circle, it is entered where most is spent.
  if (open.length === 0 && frames.length > 0) {
    const most = total.reduce((best, value, at) => value > (total[best] ?? 0) ? at : best, 0);
    follow(null, most, total[most] ?? 0);
  }
  for (let path = open.pop(); path !== undefined; path = open.pop()) {
    tree.add(path.node, (own[path.frame] ?? 0) * path.share);
    if (path.depth >= DEEPEST || tree.length > MOST_PATHS) continue;
    for (const { callee, total } of callees.get(path.frame) ?? []) {
      if (!isOn(tree, path.node, callee)) follow(path, callee, total * path.share);
    }
  }
  return tree;
}

function isOn(tree: CallTree, node: number, frame: number): boolean {
  for (let at = node; at > ROOT; at = tree.parent(at)) if (tree.frame(at) === frame) return true;
  return false;
}
