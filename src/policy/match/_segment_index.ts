/** Many segment patterns asked at once: finds those that match a name without trying each. */

import { matchesSegment, type SegmentPattern, type Steps } from "../../core/glob_segment.ts";

/** What a text must have to be looked up: so many units, and this one at the end that it was not found by. */
interface Stretch {
  readonly length: number;
  readonly unit: number;
}

interface Edge<T> {
  readonly pattern: SegmentPattern;
  readonly target: T;
}

/** Patterns by their shape. Built by {@linkcode addSegment}, read by {@linkcode collectMatches}. */
export interface SegmentIndex<T> {
  /** `*` alone. */
  readonly always: T[];
  /** `*text`, by the text; what there is, by its last unit: most names need no look at all. */
  readonly bySuffix: Map<string, T>;
  readonly suffixes: Map<number, Stretch[]>;
  /** `text*`; what there is by its first unit. */
  readonly byPrefix: Map<string, T>;
  readonly prefixes: Map<number, Stretch[]>;
  /** All others, by the character they begin with, else end with, else by a piece they hold, else in `free`. */
  readonly byFirst: Map<string, Edge<T>[]>;
  readonly byLast: Map<string, Edge<T>[]>;
  readonly byPiece: Map<string, Edge<T>[]>;
  readonly pieceLengths: number[];
  readonly free: Edge<T>[];
}

/** An index without a pattern. */
export function createSegmentIndex<T>(): SegmentIndex<T> {
  return {
    always: [],
    bySuffix: new Map(),
    suffixes: new Map(),
    byPrefix: new Map(),
    prefixes: new Map(),
    byFirst: new Map(),
    byLast: new Map(),
    byPiece: new Map(),
    pieceLengths: [],
    free: [],
  };
}

/** Adds a pattern. The caller adds each source once. */
export function addSegment<T>(index: SegmentIndex<T>, pattern: SegmentPattern, target: T): void {
  const { shape, text } = shapeOf(pattern);
  if (shape === "always") {
    index.always.push(target);
  } else if (shape === "suffix" && !index.bySuffix.has(text)) {
    index.bySuffix.set(text, target);
    addStretch(index.suffixes, text.charCodeAt(text.length - 1), text, text.charCodeAt(0));
  } else if (shape === "prefix" && !index.byPrefix.has(text)) {
    index.byPrefix.set(text, target);
    addStretch(index.prefixes, text.charCodeAt(0), text, text.charCodeAt(text.length - 1));
  } else if (pattern.first !== null) {
    addTo(index.byFirst, pattern.first[0]!, { pattern, target });
  } else if (pattern.last !== null) {
    addTo(index.byLast, pattern.last[pattern.last.length - 1]!, { pattern, target });
  } else {
    const piece = pieceOf(pattern);
    if (piece === "") {
      index.free.push({ pattern, target });
    } else {
      addTo(index.byPiece, piece, { pattern, target });
      addLength(index.pieceLengths, piece.length);
    }
  }
}

/** Adds the target of every pattern that matches the name to `found`. */
export function collectMatches<T>(
  index: SegmentIndex<T>,
  name: string,
  found: T[],
  steps?: Steps,
): void {
  for (const target of index.always) found.push(target);
  const { length: whole } = name;
  for (const { length, unit } of index.suffixes.get(name.charCodeAt(whole - 1)) ?? NONE) {
    // Before the name there is nothing: NaN, which is no unit.
    if (name.charCodeAt(whole - length) !== unit) continue;
    const target = index.bySuffix.get(name.slice(whole - length));
    if (target !== undefined) found.push(target);
  }
  for (const { length, unit } of index.prefixes.get(name.charCodeAt(0)) ?? NONE) {
    if (name.charCodeAt(length - 1) !== unit) continue;
    const target = index.byPrefix.get(name.slice(0, length));
    if (target !== undefined) found.push(target);
  }
  tryEach(index.byFirst.get(name[0]!), name, found, steps);
  tryEach(index.byLast.get(name[name.length - 1]!), name, found, steps);
  tryPieces(index, name, found, steps);
  tryEach(index.free, name, found, steps);
}

const NONE: readonly Stretch[] = [];

/** Each stretch of the name is looked up once, however often it occurs. */
function tryPieces<T>(
  { byPiece, pieceLengths }: SegmentIndex<T>,
  name: string,
  found: T[],
  steps: Steps | undefined,
): void {
  for (const length of pieceLengths) {
    const seen = new Set<string>();
    for (let at = 0; at + length <= name.length; at++) {
      const piece = name.slice(at, at + length);
      const edges = byPiece.get(piece);
      if (edges === undefined || seen.has(piece)) continue;
      seen.add(piece);
      tryEach(edges, name, found, steps);
    }
  }
}

function tryEach<T>(
  edges: readonly Edge<T>[] | undefined,
  name: string,
  found: T[],
  steps: Steps | undefined,
): void {
  if (edges === undefined) return;
  for (const { pattern, target } of edges) {
    if (matchesSegment(pattern, name, steps)) found.push(target);
  }
}

/** As much of a piece as goes into the index: its end, since numbers tell names apart. */
const MAX_PIECE = 6;

/** The end of the longest run of plain characters. */
function pieceOf(pattern: SegmentPattern): string {
  const runs = textsOf(pattern).map((text) => text ?? "\0").join("").split("\0");
  const longest = runs.reduce((a, b) => b.length > a.length ? b : a, "");
  return longest.slice(-MAX_PIECE);
}

/** The plain characters of a pattern in their order, null for each wildcard and class. */
export function textsOf({ tokens }: SegmentPattern): (string | null)[] {
  return tokens.map((token) =>
    typeof token === "number" && token >= 0 ? String.fromCodePoint(token) : null
  );
}

function shapeOf(
  pattern: SegmentPattern,
): { readonly shape: "always" | "suffix" | "prefix" | "other"; readonly text: string } {
  const { tokens } = pattern;
  const texts = textsOf(pattern);
  const starts = isStar(tokens[0]);
  const ends = isStar(tokens[tokens.length - 1]);
  const others = texts.filter((text) => text === null).length;
  if (others !== 1 || !(starts || ends)) return { shape: "other", text: "" };
  const text = texts.join("");
  if (text === "") return { shape: "always", text };
  return { shape: starts ? "suffix" : "prefix", text };
}

function isStar(token: SegmentPattern["tokens"][number] | undefined): boolean {
  return token === -1;
}

/** Those of one length that begin, or end, with different units are told apart. */
function addStretch(
  stretches: Map<number, Stretch[]>,
  by: number,
  { length }: string,
  unit: number,
): void {
  const known = stretches.get(by);
  if (known === undefined) stretches.set(by, [{ length, unit }]);
  else if (!known.some((one) => one.length === length && one.unit === unit)) {
    known.push({ length, unit });
  }
}

function addLength(lengths: number[], length: number): void {
  if (!lengths.includes(length)) lengths.push(length);
}

function addTo<T>(map: Map<string, Edge<T>[]>, key: string, edge: Edge<T>): void {
  const edges = map.get(key);
  if (edges === undefined) map.set(key, [edge]);
  else edges.push(edge);
}
