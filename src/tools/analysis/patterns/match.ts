/**
 * Comparing the nodes of a tree with a pattern.
 *
 * Of our own, and not `@ast-grep/wasm` 0.45.3: that is 1.7 MB more beside the grammars, wants `web-tree-sitter`'s one
 * instance for a whole program, and took 0.89 to 1.45 s of processor for a pattern in 383 files of eslint where this takes
 * 0.45 to 0.97 (twelve patterns, alternating). Of 15,337 matches both have 15,139. Here alone: strings are the same
 * whatever their quotes (105), and comments within do not matter (63). There alone: `const $N = require($M)` is found with
 * further declarators behind it, and `function` with an `async` before it (30): a pattern says what it leaves out.
 */

import type { SyntaxTree } from "../../../core/syntax_tree.ts";
import { isLeaf, type Numbered, textOf } from "../../../toolkit/code/kinds.ts";
import { isSeparator, type Pattern, type PatternRow } from "./pattern.ts";

/** A row of nodes that is as the pattern has it: numbers of its first and last node, and what the holes hold. */
export interface Match {
  readonly first: number;
  readonly last: number;
  readonly captures: ReadonlyMap<string, Held>;
}

/** A node, or nodes that follow one another: none of them too. */
export type Held = { readonly node: number } | { readonly nodes: readonly number[] };

type Captures = ReadonlyMap<string, Held>;

/** Steps between two looks at whether to end. */
const PAUSE = 1 << 14;

/**
 * Steps that a tree may take, and more of them for each of its nodes: a thousand times what honest code and patterns do.
 * Steps are counted, not milliseconds, so that what a file answers does not depend on who else is at work.
 */
const MOST_STEPS = 4_000_000;
const STEPS_PER_NODE = 100;

/** What following a node or a word costs of a step. */
const FOLLOWED = 1 / 16;

/** A pattern with several `$$$` has more ways to fit in a tree than are tried. */
export class TooManyWays extends Error {}

/** All matches, in the order in which they begin; one may lie in another. Throws {@linkcode TooManyWays}. */
export function matchesOf(
  tree: SyntaxTree,
  numbers: Numbered,
  row: PatternRow,
  pause: () => void,
): Iterable<Match> {
  return new Matcher(tree, numbers, pause).all(row);
}

class Matcher {
  readonly #tree: SyntaxTree;
  readonly #numbers: Numbered;
  readonly #pause: () => void;
  readonly #most: number;
  #steps = 0;
  #pauseAt = PAUSE;
  /** Of a parent that was come to: those of its children that count. */
  readonly #rows = new Map<number, readonly number[]>();

  constructor(tree: SyntaxTree, numbers: Numbered, pause: () => void) {
    this.#tree = tree;
    this.#numbers = numbers;
    this.#pause = pause;
    this.#most = MOST_STEPS + STEPS_PER_NODE * tree.count;
  }

  #spend(steps: number): void {
    this.#steps += steps;
    if (this.#steps < this.#pauseAt) return;
    this.#pauseAt = this.#steps + PAUSE;
    this.#pause();
    if (this.#steps > this.#most) throw new TooManyWays();
  }

  *all(row: PatternRow): Iterable<Match> {
    const [first] = row;
    const kind = first.is === "leaf" || first.is === "node" ? first.kind : null;
    for (let node = 1; node < this.#tree.count; node++) {
      if (kind !== null && this.#tree.kinds[node] !== kind) continue;
      if (row.length === 1) {
        const captures = this.#node(first, node, new Map());
        if (captures !== null) yield { first: node, last: node, captures };
        continue;
      }
      const siblings = this.#siblings(node);
      const from = placeIn(siblings, node);
      if (siblings[from] !== node) continue;
      const found = this.#row(row, 0, siblings, from, new Map(), false);
      if (found !== null && found.end > from) {
        yield { first: node, last: siblings[found.end - 1] as number, captures: found.captures };
      }
    }
  }

  /** The children of a node's parent. */
  #siblings(node: number): readonly number[] {
    const parent = this.#tree.parents[node] as number;
    let found = this.#rows.get(parent);
    if (found === undefined) {
      found = this.#children(parent);
      this.#rows.set(parent, found);
    }
    return found;
  }

  #children(node: number): readonly number[] {
    const found: number[] = [];
    const end = this.#tree.nexts[node] as number;
    for (let child = node + 1; child < end; child = this.#tree.nexts[child] as number) {
      this.#spend(FOLLOWED);
      const isComment = this.#numbers.comments[this.#tree.kinds[child] as number] === 1;
      if (!isComment && !isSeparator(this.#tree, child)) found.push(child);
    }
    return found;
  }

  /** Null where the node is not as the pattern has it. */
  #node(pattern: Pattern, node: number, captures: Captures): Captures | null {
    this.#spend(1);
    switch (pattern.is) {
      case "hole":
        return this.#hold(pattern.name, { node }, captures);
      case "rest":
        return this.#hold(pattern.name, { nodes: [node] }, captures);
      case "leaf": {
        if (!isLeaf(this.#tree, node)) return null;
        const text = textOf(this.#tree, node);
        const isSame = this.#tree.kinds[node] === pattern.kind && text === pattern.text;
        return isSame || (isQuote(text) && isQuote(pattern.text)) ? captures : null;
      }
      case "node": {
        if (this.#tree.kinds[node] !== pattern.kind) return null;
        const children = this.#children(node);
        return this.#row(pattern.children, 0, children, 0, captures, true)?.captures ?? null;
      }
    }
  }

  /** From one place in a row of patterns and one in a row of nodes; `whole`: all nodes are to be taken. */
  #row(
    patterns: readonly Pattern[],
    at: number,
    nodes: readonly number[],
    from: number,
    captures: Captures,
    whole: boolean,
  ): { readonly captures: Captures; readonly end: number } | null {
    let held = captures;
    let next = from;
    for (let index = at; index < patterns.length; index++) {
      const pattern = patterns[index] as Pattern;
      if (pattern.is === "rest") {
        return this.#rest(pattern.name, patterns, index + 1, nodes, next, held, whole);
      }
      const node = nodes[next++];
      const more = node === undefined ? null : this.#node(pattern, node, held);
      if (more === null) return null;
      held = more;
    }
    return whole && next < nodes.length ? null : { captures: held, end: next };
  }

  /** As few nodes as let what follows fit. */
  #rest(
    name: string | null,
    patterns: readonly Pattern[],
    at: number,
    nodes: readonly number[],
    from: number,
    captures: Captures,
    whole: boolean,
  ): { readonly captures: Captures; readonly end: number } | null {
    const isLast = at === patterns.length;
    for (let end = isLast ? nodes.length : from; end <= nodes.length; end++) {
      this.#spend(1 + (name === null ? 0 : FOLLOWED * (end - from)));
      const held = name === null
        ? captures
        : this.#hold(name, { nodes: nodes.slice(from, end) }, captures);
      const found = held === null ? null : this.#row(patterns, at, nodes, end, held, whole);
      if (found !== null) return found;
    }
    return null;
  }

  /** A name that is there already has to hold the same again. */
  #hold(name: string | null, held: Held, captures: Captures): Captures | null {
    if (name === null) return captures;
    const known = captures.get(name);
    if (known === undefined) return new Map([...captures, [name, held]]);
    const words = (each: Held) =>
      ("node" in each ? [each.node] : each.nodes).flatMap((node) => this.#words(node));
    const [one, other] = [words(known), words(held)];
    return one.length === other.length && one.every((word, index) => word === other[index])
      ? captures
      : null;
  }

  /** The texts of the leaves, comments left out. */
  #words(node: number): readonly string[] {
    const found: string[] = [];
    const { nexts, kinds } = this.#tree;
    for (let at = node; at < (nexts[node] as number); at++) {
      this.#spend(FOLLOWED);
      if (this.#numbers.comments[kinds[at] as number] === 1) at = (nexts[at] as number) - 1;
      else if (isLeaf(this.#tree, at)) found.push(textOf(this.#tree, at));
    }
    return found;
  }
}

/** Where a number stands in a row that rises, or would. */
function placeIn(row: readonly number[], number: number): number {
  let low = 0;
  let high = row.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((row[middle] as number) < number) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Which quotes stand around a string does not matter. */
function isQuote(text: string): boolean {
  return text === "'" || text === '"';
}
