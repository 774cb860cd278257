/**
 * Many globs as one tree of segments, walked once a path: the work grows with the depth of the path and the
 * wildcards that stand at one place, not with the number of rules.
 */

import { DEEP, type GlobSegment } from "../../core/glob.ts";
import {
  foldSegment,
  parseSegment,
  type SegmentPattern,
  type Steps,
} from "../../core/glob_segment.ts";
import {
  addSegment,
  collectMatches,
  createSegmentIndex,
  type SegmentIndex,
} from "./_segment_index.ts";
import type { Effect } from "../model.ts";

/** A rule that a walk may come upon; the lowest `order` speaks. */
export interface Ordered {
  readonly order: number;
}

/** For each effect the first rule that was come upon. */
export type Hits<R> = { [effect in Effect]: R | null };

/** A glob that ends at a node. */
export interface Ending<R> {
  readonly rule: R;
  readonly effect: Effect;
  /** The glob as written, braces and all. */
  readonly pattern: string;
}

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
  /** The first units of `literals`: most names begin with none of them, and need not be hashed. */
  readonly beginnings: Set<number>;
  /** Made for the first wildcard: few nodes have one. */
  wildcards: Wildcards<R> | null;
  /** What follows a `**` here: active here and everywhere below, but for what the key names. */
  readonly deep: Map<string, TrieNode<R>>;
  /** Of what follows a `**`: names of folders that it does not reach into. */
  readonly outside: ReadonlySet<string>;
  readonly hits: Hits<R>;
  /** All that `hits` is drawn from: what `endingsOfWalk` tells of. */
  readonly endings: Ending<R>[];
}

const NOWHERE: ReadonlySet<string> = new Set();

/** A tree without a glob. */
export function createTrie<R>(outside: ReadonlySet<string> = NOWHERE): TrieNode<R> {
  return {
    literals: new Map(),
    beginnings: new Set(),
    wildcards: null,
    deep: new Map(),
    outside,
    hits: { allow: null, ask: null, deny: null },
    endings: [],
  };
}

/**
 * Adds one glob, by its segments from the root of the file system. With `fold`, names compare folded (and as
 * written). `outside`: names of folders, as written, that no `**` of it reaches into.
 */
export function addGlob<R extends Ordered>(
  root: TrieNode<R>,
  segments: readonly GlobSegment[],
  ending: Ending<R>,
  fold: ((name: string) => string) | null,
  outside: readonly string[] = [],
): void {
  let node = root;
  for (const segment of segments) {
    node = segment === DEEP ? deepChild(node, outside) : childOf(node, segment, fold);
  }
  const { effect, rule } = ending;
  node.hits[effect] = first(node.hits[effect], rule);
  node.endings.push(ending);
}

/**
 * As `addGlob` with `**` behind literal names that are compared as written, on a tree that stays as it was: the nodes on
 * the way are other ones, and all else is shared.
 */
export function withAllBelow<R extends Ordered>(
  node: TrieNode<R>,
  names: readonly string[],
  ending: Ending<R>,
): TrieNode<R> {
  const [name, ...rest] = names;
  if (name === undefined) {
    const { hits, endings, ...below } = node.deep.get("") ?? createTrie<R>();
    const { effect, rule } = ending;
    const deep: TrieNode<R> = {
      ...below,
      hits: { ...hits, [effect]: first(hits[effect], rule) },
      endings: [...endings, ending],
    };
    return { ...node, deep: new Map(node.deep).set("", deep) };
  }
  const child = withAllBelow(node.literals.get(name) ?? createTrie<R>(), rest, ending);
  return {
    ...node,
    literals: new Map(node.literals).set(name, child),
    beginnings: new Set(node.beginnings).add(name.charCodeAt(0)),
  };
}

function deepChild<R>(node: TrieNode<R>, outside: readonly string[]): TrieNode<R> {
  const names = [...new Set(outside)].sort();
  // No name holds a slash.
  const key = names.join("/");
  const known = node.deep.get(key);
  if (known !== undefined) return known;
  const child = createTrie<R>(names.length === 0 ? NOWHERE : new Set(names));
  node.deep.set(key, child);
  return child;
}

function childOf<R>(
  node: TrieNode<R>,
  segment: Exclude<GlobSegment, typeof DEEP>,
  fold: ((name: string) => string) | null,
): TrieNode<R> {
  if (typeof segment === "string") {
    const key = fold === null ? segment : fold(segment);
    let child = node.literals.get(key);
    if (child === undefined) {
      node.literals.set(key, child = createTrie());
      node.beginnings.add(key.charCodeAt(0));
    }
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

/** Where a walk stands after some names: nothing in it changes. */
export interface TriePlace<R> {
  readonly active: readonly TrieNode<R>[];
  /** What followed a `**` on the way: active for the rest of the walk, or up to a folder that it stays outside of. */
  readonly deeps: ReadonlySet<TrieNode<R>>;
  /** Some of these stay outside of something. */
  readonly bounded: boolean;
  /** What speaks for the place or for all below one above it. */
  readonly any: Hits<R>;
}

/** Every glob that a walk comes upon, by the steps of `placeAt`: those that end on the way, and those at the path. */
export function endingsOfWalk<R extends Ordered>(
  root: TrieNode<R>,
  names: readonly string[],
  fold: ((name: string) => string) | null,
): { readonly any: ReadonlySet<Ending<R>>; readonly here: ReadonlySet<Ending<R>> } {
  const any = new Set<Ending<R>>();
  let place = placeAt(root, [], fold);
  let here = endingsAt(place);
  for (const ending of here) any.add(ending);
  for (const name of names) {
    place = stepInto(place, name, fold);
    here = endingsAt(place);
    for (const ending of here) any.add(ending);
  }
  return { any, here };
}

function endingsAt<R>({ active, deeps }: TriePlace<R>): ReadonlySet<Ending<R>> {
  return new Set([...active, ...deeps].flatMap(({ endings }) => endings));
}

/** Where a walk of these names ends, from the root. `fold` as in {@linkcode addGlob}. */
export function placeAt<R extends Ordered>(
  root: TrieNode<R>,
  names: readonly string[],
  fold: ((name: string) => string) | null,
  steps?: Steps,
): TriePlace<R> {
  const above = { allow: null, ask: null, deny: null };
  const start = settle([root], { active: [], deeps: new Set(), bounded: false, any: above });
  return placeBelow(start, names, fold, steps);
}

/** Where it ends when it goes on from a place, for walks of many paths that begin alike. */
export function placeBelow<R extends Ordered>(
  start: TriePlace<R>,
  names: readonly string[],
  fold: ((name: string) => string) | null,
  steps?: Steps,
): TriePlace<R> {
  let place = start;
  for (const name of names) place = stepInto(place, name, fold, steps);
  return place;
}

/** One name further; the same place where the name changes nothing. */
export function stepInto<R extends Ordered>(
  place: TriePlace<R>,
  name: string,
  fold: ((name: string) => string) | null,
  steps?: Steps,
): TriePlace<R> {
  const { active, deeps } = place;
  const next: TrieNode<R>[] = [];
  const folded = fold === null ? name : fold(name);
  for (const node of active) follow(node, name, folded, next, steps);
  for (const node of deeps) follow(node, name, folded, next, steps);
  const before = place.bounded ? reachingInto(place, name) : place;
  if (next.length === 0 && active.length === 0) return before;
  // A name may match a pattern both as written and folded. Every node has one parent, so that is all.
  return settle(fold === null ? next : [...new Set(next)], before);
}

/** The place without what does not reach into a folder of that name; the same one where all does. */
function reachingInto<R>(place: TriePlace<R>, name: string): TriePlace<R> {
  let all = true;
  for (const { outside } of place.deeps) all &&= !outside.has(name);
  if (all) return place;
  const deeps = [...place.deeps].filter(({ outside }) => !outside.has(name));
  return { ...place, deeps: new Set(deeps), bounded: deeps.some(isBounded) };
}

function isBounded<R>({ outside }: TrieNode<R>): boolean {
  return outside.size > 0;
}

function follow<R>(
  { literals, beginnings, wildcards }: TrieNode<R>,
  name: string,
  folded: string,
  next: TrieNode<R>[],
  steps: Steps | undefined,
): void {
  if (steps !== undefined) steps.count++;
  if (beginnings.has(folded.charCodeAt(0))) {
    const literal = literals.get(folded);
    if (literal !== undefined) next.push(literal);
  }
  if (wildcards === null) return;
  collectMatches(wildcards.written, name, next, steps);
  if (wildcards.folded !== null) collectMatches(wildcards.folded, folded, next, steps);
}

/** Takes in what the nodes that were just come upon say. */
function settle<R extends Ordered>(
  active: readonly TrieNode<R>[],
  before: TriePlace<R>,
): TriePlace<R> {
  if (active.length === 0) return { ...before, active };
  const any = { ...before.any };
  let { deeps, bounded } = before;
  for (const { hits, deep } of active) {
    collect(any, hits);
    for (const node of deep.values()) {
      if (deeps.has(node)) continue;
      deeps = new Set(deeps).add(node);
      bounded ||= isBounded(node);
      collect(any, node.hits);
    }
  }
  return { active, deeps, bounded, any };
}

/** Whether some rule could match below that does not match here. */
export function isLive<R>({ active, deeps }: TriePlace<R>): boolean {
  for (const node of active) if (hasChildren(node)) return true;
  for (const node of deeps) if (hasChildren(node)) return true;
  return false;
}

/** What the names of the next step are compared with: a name that fits none of these changes nothing. */
export function nextNames<R>(
  { active, deeps }: TriePlace<R>,
): readonly (string | SegmentPattern)[] {
  return [...active, ...deeps].flatMap(({ literals, wildcards, outside }) => [
    ...literals.keys(),
    ...outside,
    ...[...wildcards?.nodes.keys() ?? []].map(parseSegment),
  ]);
}

/** The place behind a name that fits nothing. */
export function stepPast<R>(place: TriePlace<R>): TriePlace<R> {
  return { ...place, active: [] };
}

/** What speaks for the path itself. */
export function hitsAt<R extends Ordered>({ active, deeps }: TriePlace<R>): Hits<R> {
  const here: Hits<R> = { allow: null, ask: null, deny: null };
  for (const node of active) collect(here, node.hits);
  for (const node of deeps) collect(here, node.hits);
  return here;
}

/** Whether a rule that allows covers everything below. */
export function coversBelow<R>({ deeps }: TriePlace<R>): boolean {
  for (const { hits } of deeps) if (hits.allow !== null) return true;
  return false;
}

function hasChildren<R>(node: TrieNode<R>): boolean {
  return node.literals.size > 0 || node.wildcards !== null;
}

function collect<R extends Ordered>(into: Hits<R>, hits: Hits<R>): void {
  if (hits.deny !== null) into.deny = first(into.deny, hits.deny);
  if (hits.ask !== null) into.ask = first(into.ask, hits.ask);
  if (hits.allow !== null) into.allow = first(into.allow, hits.allow);
}
