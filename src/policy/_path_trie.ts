/**
 * Many globs as one tree of segments, walked once a path: the work grows with the depth of the path and the
 * wildcards that stand at one place, not with the number of rules.
 */

import { foldSegment, type SegmentPattern, type Steps } from "./_glob_segment.ts";
import { addSegment, createSegmentIndex, eachMatch, type SegmentIndex } from "./_segment_index.ts";
import { DEEP, type GlobSegment } from "./match_path.ts";
import type { Effect } from "./model.ts";

/** A rule that a walk may come upon; the lowest `order` speaks. */
export interface Ordered {
  readonly order: number;
}

/** For each effect the first rule that was come upon. */
export type Hits<R> = { [effect in Effect]: R | null };

/** The nodes behind wildcards, by the source of the segment; and its pattern as written and folded. */
interface Wildcards<R> {
  readonly nodes: Map<string, TrieNode<R>>;
  readonly written: SegmentIndex<TrieNode<R>>;
  /** Null where names are not compared folded. */
  readonly folded: SegmentIndex<TrieNode<R>> | null;
}

/** One place in the tree. */
export interface TrieNode<R> {
  readonly literals: Map<string, TrieNode<R>>;
  /** Made for the first wildcard: few nodes have one. */
  wildcards: Wildcards<R> | null;
  /** What follows a `**` here: active here and everywhere below. */
  deep: TrieNode<R> | null;
  readonly hits: Hits<R>;
}

/** What a walk found. `any`: at the path or above it; `here`: at the path itself. */
export interface Walk<R> {
  readonly any: Hits<R>;
  readonly here: Hits<R>;
  /** Some rule could match below the path that does not match here. */
  readonly live: boolean;
  /** Whether a rule that allows covers everything below. */
  readonly coversBelow: boolean;
}

export function createTrie<R>(): TrieNode<R> {
  return {
    literals: new Map(),
    wildcards: null,
    deep: null,
    hits: { allow: null, ask: null, deny: null },
  };
}

/** Adds one glob, from the root of the file system. With `fold`, names compare folded (and as written). */
export function addGlob<R extends Ordered>(
  root: TrieNode<R>,
  segments: readonly GlobSegment[],
  effect: Effect,
  rule: R,
  fold: ((name: string) => string) | null,
): void {
  let node = root;
  for (const segment of segments) {
    node = childOf(node, segment, fold);
  }
  node.hits[effect] = first(node.hits[effect], rule);
}

function childOf<R>(
  node: TrieNode<R>,
  segment: GlobSegment,
  fold: ((name: string) => string) | null,
): TrieNode<R> {
  if (segment === DEEP) return node.deep ??= createTrie();
  if (typeof segment === "string") {
    const key = fold === null ? segment : fold(segment);
    let child = node.literals.get(key);
    if (child === undefined) node.literals.set(key, child = createTrie());
    return child;
  }
  return patternChild(node, segment, fold);
}

function patternChild<R>(
  node: TrieNode<R>,
  segment: SegmentPattern,
  fold: ((name: string) => string) | null,
): TrieNode<R> {
  const wildcards = node.wildcards ??= {
    nodes: new Map(),
    written: createSegmentIndex(),
    folded: fold === null ? null : createSegmentIndex(),
  };
  const known = wildcards.nodes.get(segment.source);
  if (known !== undefined) return known;
  const child = createTrie<R>();
  wildcards.nodes.set(segment.source, child);
  addSegment(wildcards.written, segment, child);
  if (fold !== null && wildcards.folded !== null) {
    addSegment(wildcards.folded, foldSegment(segment, fold), child);
  }
  return child;
}

function first<R extends Ordered>(a: R | null, b: R | null): R | null {
  if (a === null || b === null) return a ?? b;
  return b.order < a.order ? b : a;
}

/** Walks the names of a path, from the root. `fold` as in {@linkcode addGlob}. */
export function walkTrie<R extends Ordered>(
  root: TrieNode<R>,
  names: readonly string[],
  fold: ((name: string) => string) | null,
  steps?: Steps,
): Walk<R> {
  const any: Hits<R> = { allow: null, ask: null, deny: null };
  // Every node has one parent, so it is come upon once a step; a deep one stays for the rest of the walk.
  const deeps = new Set<TrieNode<R>>();
  let active: TrieNode<R>[] = [];
  let next: TrieNode<R>[] = [];
  const enter = (node: TrieNode<R>) => {
    // A name may match a pattern both as written and folded.
    if (fold !== null && next.includes(node)) return;
    next.push(node);
    collect(any, node.hits);
  };
  const deepen = () => {
    for (const { deep } of active) {
      if (deep === null || deeps.has(deep)) continue;
      deeps.add(deep);
      collect(any, deep.hits);
    }
  };
  enter(root);
  active = next;
  deepen();
  for (const name of names) {
    next = [];
    const folded = fold === null ? name : fold(name);
    const follow = (node: TrieNode<R>) => {
      if (steps !== undefined) steps.count++;
      const literal = node.literals.get(folded);
      if (literal !== undefined) enter(literal);
      const { wildcards } = node;
      if (wildcards === null) return;
      eachMatch(wildcards.written, name, enter, steps);
      if (wildcards.folded !== null) eachMatch(wildcards.folded, folded, enter, steps);
    };
    for (const node of active) follow(node);
    for (const node of deeps) follow(node);
    active = next;
    deepen();
  }
  return summarize(active, deeps, any);
}

function summarize<R extends Ordered>(
  active: readonly TrieNode<R>[],
  deeps: ReadonlySet<TrieNode<R>>,
  any: Hits<R>,
): Walk<R> {
  const here: Hits<R> = { allow: null, ask: null, deny: null };
  let live = false;
  let coversBelow = false;
  for (const node of active) {
    collect(here, node.hits);
    live ||= hasChildren(node);
  }
  for (const node of deeps) {
    collect(here, node.hits);
    live ||= hasChildren(node);
    coversBelow ||= node.hits.allow !== null;
  }
  return { any, here, live, coversBelow };
}

function hasChildren<R>(node: TrieNode<R>): boolean {
  return node.literals.size > 0 || node.wildcards !== null;
}

function collect<R extends Ordered>(into: Hits<R>, hits: Hits<R>): void {
  if (hits.deny !== null) into.deny = first(into.deny, hits.deny);
  if (hits.ask !== null) into.ask = first(into.ask, hits.ask);
  if (hits.allow !== null) into.allow = first(into.allow, hits.allow);
}
