/** Who calls a function, and whom it calls: an edge is counted once a path, however often the path goes over it. */

import { ROOT, totalsOf, walkTree } from "./call_tree.ts";
import type { Frame, GraphProfile, Profile, StackProfile } from "./model.ts";

/** Neighbours of the functions in focus; indexes of frames and what went that way, the most first. */
export interface Neighbours {
  readonly callers: readonly Neighbour[];
  readonly callees: readonly Neighbour[];
}

/** A caller or a callee: index of its frame, and what the calls took, in the profile's unit. */
export interface Neighbour {
  readonly frame: number;
  readonly total: number;
}

/**
 * The functions that are meant: those of that name, or whose name and place are written so (`work (src/a.ts:3)`); where
 * there are none, those whose name has it in it. Indexes.
 */
export function matching(frames: readonly Frame[], focus: string): ReadonlySet<number> {
  const indexesOf = (matches: (frame: Frame) => boolean): ReadonlySet<number> =>
    new Set(frames.flatMap((frame, index) => matches(frame) ? [index] : []));
  const exact = indexesOf((frame) => frame.name === focus || titleOf(frame) === focus);
  return exact.size > 0 ? exact : indexesOf(({ name }) => name.includes(focus));
}

/** A function with its place, as people write it. */
export function titleOf({ name, file, line }: Frame): string {
  return file === null ? name : `${name} (${file}${line === null ? "" : `:${line}`})`;
}

/** Those of the functions in focus (indexes of frames), taken together. */
export function neighboursOf(profile: Profile, focus: ReadonlySet<number>): Neighbours {
  return profile.kind === "stacks" ? amongStacks(profile, focus) : amongEdges(profile, focus);
}

function amongStacks({ tree }: StackProfile, focus: ReadonlySet<number>): Neighbours {
  const totals = totalsOf(tree);
  const callers = new Ledger();
  const callees = new Ledger();
  const each = (node: number, visit: (ledger: Ledger, other: number) => void): void => {
    const parent = tree.parent(node);
    if (parent === ROOT) return;
    const [caller, callee] = [tree.frame(parent), tree.frame(node)];
    if (focus.has(callee)) visit(callers, caller);
    if (focus.has(caller)) visit(callees, callee);
  };
  walkTree(tree, {
    enter: (node) => each(node, (ledger, other) => ledger.enter(other, totals[node] ?? 0)),
    leave: (node) => each(node, (ledger, other) => ledger.leave(other)),
  });
  return { callers: callers.list(), callees: callees.list() };
}

/** Totals by frame, those within others of the same frame left out. */
class Ledger {
  readonly #open = new Map<number, number>();
  readonly #totals = new Map<number, number>();

  enter(frame: number, total: number): void {
    const open = this.#open.get(frame) ?? 0;
    this.#open.set(frame, open + 1);
    if (open === 0) this.#totals.set(frame, (this.#totals.get(frame) ?? 0) + total);
  }

  leave(frame: number): void {
    this.#open.set(frame, (this.#open.get(frame) ?? 0) - 1);
  }

  list(): readonly Neighbour[] {
    return sorted(this.#totals);
  }
}

function amongEdges({ edges }: GraphProfile, focus: ReadonlySet<number>): Neighbours {
  const callers = new Map<number, number>();
  const callees = new Map<number, number>();
  for (const { caller, callee, total } of edges) {
    if (focus.has(callee)) callers.set(caller, (callers.get(caller) ?? 0) + total);
    if (focus.has(caller)) callees.set(callee, (callees.get(callee) ?? 0) + total);
  }
  return { callers: sorted(callers), callees: sorted(callees) };
}

function sorted(totals: ReadonlyMap<number, number>): readonly Neighbour[] {
  return [...totals].map(([frame, total]) => ({ frame, total }))
    .sort((a, b) => b.total - a.total || a.frame - b.frame);
}
