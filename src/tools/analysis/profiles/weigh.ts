/** Self and total time of functions: a function that calls itself is counted once a path. */

import { totalsOf, walkTree } from "./call_tree.ts";
import type { Profile, StackProfile } from "./model.ts";

/** By index of the frame, in the profile's unit. */
export interface Weights {
  readonly own: Float64Array;
  readonly total: Float64Array;
  /** Of the whole profile. */
  readonly sum: number;
}

/** Adds up a profile; of one without call paths, its own figures are taken. */
export function weigh(profile: Profile): Weights {
  if (profile.kind === "stacks") return weighStacks(profile);
  const sum = profile.own.reduce((a, b) => a + b, 0);
  return { own: profile.own, total: profile.total, sum };
}

function weighStacks({ tree, frames }: StackProfile): Weights {
  const totals = totalsOf(tree);
  const own = new Float64Array(frames.length);
  const total = new Float64Array(frames.length);
  /** How often each frame is on the path. */
  const open = new Int32Array(frames.length);
  walkTree(tree, {
    enter(node) {
      const frame = tree.frame(node);
      own[frame] = (own[frame] ?? 0) + tree.own(node);
      if (open[frame] === 0) total[frame] = (total[frame] ?? 0) + (totals[node] ?? 0);
      open[frame] = (open[frame] ?? 0) + 1;
    },
    leave(node) {
      const frame = tree.frame(node);
      open[frame] = (open[frame] ?? 0) - 1;
    },
  });
  return { own, total, sum: totals[0] ?? 0 };
}

/** Indexes of the numbers that are not 0, the largest first; of equal ones the first first. */
export function largest(numbers: Float64Array, count: number): readonly number[] {
  const indexes: number[] = [];
  numbers.forEach((value, index) => {
    if (value !== 0) indexes.push(index);
  });
  return indexes.sort((a, b) => (numbers[b] ?? 0) - (numbers[a] ?? 0) || a - b).slice(0, count);
}
