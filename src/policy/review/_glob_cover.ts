/** Many globs as one tree, asked whether together they take all that another glob takes. */

import type { Budget } from "./_budget.ts";
import { spend } from "./_budget.ts";
import { ANY, RUN, type Sequence } from "./_sequence.ts";
import { type NameSegment, segmentAlphabet } from "./_segment_alphabet.ts";

interface Node<R> {
  readonly id: number;
  readonly literals: Map<string, Node<R>>;
  readonly patterns: Map<string, { readonly segment: NameSegment; readonly node: Node<R> }>;
  /** What follows a `**` here. */
  run: Node<R> | null;
  /** It is what follows a `**`: it stays reached whatever name comes. */
  readonly stays: boolean;
  /** The first rule whose glob ends here. */
  rule: R | null;
}

/** The rules that take a glob together, or null where that could not be shown. */
export type Covering<R> = ReadonlySet<R> | null;

/** Globs of rules, and the question which of them together take all that another glob takes. */
export class GlobCover<R> {
  readonly #budget: Budget;
  readonly #root: Node<R>;
  #nodes = 0;

  constructor(budget: Budget) {
    this.#budget = budget;
    this.#root = this.#node(false);
  }

  add(names: Sequence<NameSegment>, rule: R): void {
    let node = this.#root;
    for (const name of names) node = this.#child(node, name);
    node.rule ??= rule;
  }

  /**
   * Whether every path that `names` takes is taken, too. `above`: a glob that takes a directory above takes what
   * lies below it.
   */
  covering(names: Sequence<NameSegment>, above: boolean): Covering<R> {
    const alphabet = segmentAlphabet(this.#budget);
    const seen = new Set<string>();
    const used = new Set<R>();
    const accepted = (reached: readonly Node<R>[]): boolean => {
      const rules = reached.flatMap(({ rule }) => rule === null ? [] : [rule]);
      const [first] = rules;
      if (first === undefined) return false;
      if (!rules.some((rule) => used.has(rule))) used.add(first);
      return true;
    };
    const after = (reached: readonly Node<R>[], name: NameSegment | typeof ANY) =>
      closed(reached.flatMap((node) => {
        const next: Node<R>[] = node.stays ? [node] : [];
        const literal = typeof name === "string" ? node.literals.get(name) : undefined;
        if (literal !== undefined) next.push(literal);
        for (const { segment, node: child } of node.patterns.values()) {
          if (!spend(this.#budget)) break;
          if (alphabet.covers(segment, name)) next.push(child);
        }
        return next;
      }));
    const holds = (at: number, reached: readonly Node<R>[]): boolean => {
      if (reached.length === 0 || !spend(this.#budget, reached.length)) return false;
      if (above && accepted(reached)) return true;
      const key = `${at}:${reached.map(({ id }) => id)}`;
      if (seen.has(key)) return true;
      seen.add(key);
      const name = names[at];
      if (name === undefined) return accepted(reached);
      if (name !== RUN) return holds(at + 1, after(reached, name));
      return holds(at + 1, reached) && holds(at, after(reached, ANY));
    };
    return holds(0, closed([this.#root])) ? used : null;
  }

  #child(node: Node<R>, name: NameSegment | typeof RUN): Node<R> {
    if (name === RUN) return node.run ??= this.#node(true);
    if (typeof name === "string") {
      let child = node.literals.get(name);
      if (child === undefined) node.literals.set(name, child = this.#node(false));
      return child;
    }
    let edge = node.patterns.get(name.source);
    if (edge === undefined) {
      edge = { segment: name, node: this.#node(false) };
      node.patterns.set(name.source, edge);
    }
    return edge.node;
  }

  #node(stays: boolean): Node<R> {
    const id = this.#nodes++;
    return { id, literals: new Map(), patterns: new Map(), run: null, stays, rule: null };
  }
}

/** With what follows a `**`, which may stand for no name at all. */
function closed<R>(nodes: readonly Node<R>[]): readonly Node<R>[] {
  const all = new Set(nodes);
  for (const { run } of all) if (run !== null) all.add(run);
  return [...all].sort((a, b) => a.id - b.id);
}
