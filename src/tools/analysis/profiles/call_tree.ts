/** Call paths merged from their roots, in flat arrays: millions of them, however deep, without recursion. */

import { tooMany } from "./failures.ts";

/** More call paths than that are no profile that anybody reads; they would take some 150 MB. */
export const MOST_NODES = 2_000_000;

/** The node that all paths begin at; it has no frame. */
export const ROOT = 0;

/** A node is a path; its parent, the path without its last frame, always has the smaller number. */
export class CallTree {
  #length = 1;
  #parents = new Int32Array(64).fill(-1, 0, 1);
  #frames = new Int32Array(64).fill(-1, 0, 1);
  #own = new Float64Array(64);
  /** Open addressing over (parent, frame): node numbers, 0 for a free slot. A power of two in size. */
  #slots = new Int32Array(256);
  readonly #most: number;

  constructor(most = MOST_NODES) {
    this.#most = most;
  }

  /** Nodes, the root included. */
  get length(): number {
    return this.#length;
  }

  /** The node of the last caller; -1 for the root. */
  parent(node: number): number {
    return this.#parents[node] ?? -1;
  }

  /** Index of the last frame; -1 for the root. */
  frame(node: number): number {
    return this.#frames[node] ?? -1;
  }

  /** What was spent in the last frame itself. */
  own(node: number): number {
    return this.#own[node] ?? 0;
  }

  /** The path that goes on with a frame; made where there is none. Throws RESOURCE_LIMIT. */
  child(parent: number, frame: number): number {
    const mask = this.#slots.length - 1;
    let slot = hash(parent, frame) & mask;
    for (;;) {
      const node = this.#slots[slot] ?? 0;
      if (node === 0) break;
      if (this.#parents[node] === parent && this.#frames[node] === frame) return node;
      slot = (slot + 1) & mask;
    }
    return this.#append(parent, frame, slot);
  }

  /** Adds to what was spent at the end of a path. */
  add(node: number, weight: number): void {
    this.#own[node] = this.own(node) + weight;
  }

  #append(parent: number, frame: number, slot: number): number {
    if (this.#length > this.#most) throw tooMany("different call paths", this.#most);
    const node = this.#length++;
    if (node === this.#parents.length) this.#grow();
    this.#parents[node] = parent;
    this.#frames[node] = frame;
    this.#slots[slot] = node;
    if (this.#length * 2 > this.#slots.length) this.#rehash();
    return node;
  }

  #grow(): void {
    const size = this.#parents.length * 2;
    const [parents, frames, own] = [this.#parents, this.#frames, this.#own];
    (this.#parents = new Int32Array(size)).set(parents);
    (this.#frames = new Int32Array(size)).set(frames);
    (this.#own = new Float64Array(size)).set(own);
  }

  #rehash(): void {
    const slots = new Int32Array(this.#slots.length * 2);
    const mask = slots.length - 1;
    for (let node = 1; node < this.#length; node++) {
      let slot = hash(this.parent(node), this.frame(node)) & mask;
      while (slots[slot] !== 0) slot = (slot + 1) & mask;
      slots[slot] = node;
    }
    this.#slots = slots;
  }
}

/** Mixes two numbers: odd constants from MurmurHash3's finalizer (Appleby, public domain). */
function hash(a: number, b: number): number {
  let x = Math.imul(a, 0x85ebca6b) ^ Math.imul(b, 0xc2b2ae35);
  x ^= x >>> 15;
  x = Math.imul(x, 0x85ebca6b);
  return (x ^ (x >>> 13)) >>> 0;
}

/** Adds up every subtree: parents come first, so going backwards is enough. */
export function totalsOf(tree: CallTree): Float64Array {
  const total = new Float64Array(tree.length);
  for (let node = tree.length - 1; node >= 0; node--) {
    total[node] = (total[node] ?? 0) + tree.own(node);
    const parent = tree.parent(node);
    if (parent >= 0) total[parent] = (total[parent] ?? 0) + (total[node] ?? 0);
  }
  return total;
}

/** The children of every node, as lists through two arrays; 0 ends a list. */
export interface Children {
  readonly first: Int32Array;
  readonly next: Int32Array;
}

/** Lists in the order in which the paths came. */
export function childrenOf(tree: CallTree): Children {
  const first = new Int32Array(tree.length);
  const next = new Int32Array(tree.length);
  for (let node = tree.length - 1; node > 0; node--) {
    const parent = tree.parent(node);
    next[node] = first[parent] ?? 0;
    first[parent] = node;
  }
  return { first, next };
}

/** Goes through all nodes but the root, each between its parent's `enter` and `leave`. */
export function walkTree(
  tree: CallTree,
  visit: { readonly enter: (node: number) => void; readonly leave: (node: number) => void },
): void {
  const { first, next } = childrenOf(tree);
  let node = first[ROOT] ?? 0;
  while (node !== 0) {
    visit.enter(node);
    const child = first[node] ?? 0;
    if (child !== 0) {
      node = child;
      continue;
    }
    // Up until there is a sibling: the root has none, and is nobody's.
    while (node !== ROOT) {
      visit.leave(node);
      const sibling = next[node] ?? 0;
      if (sibling !== 0) {
        node = sibling;
        break;
      }
      node = tree.parent(node);
    }
  }
}

/** The frames of a path, from the root on. */
export function pathTo(tree: CallTree, node: number): readonly number[] {
  const frames: number[] = [];
  for (let at = node; at > ROOT; at = tree.parent(at)) frames.push(tree.frame(at));
  return frames.reverse();
}
