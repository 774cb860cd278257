/** From pairs of what is alike to groups of places. */

import type { Alike } from "./changed.ts";
import { sameness } from "./likeness.ts";
import type { Repeat } from "./repeats.ts";
import type { Tokens } from "./tokens.ts";

/** Where a piece of code stands. Lines from 1. */
export interface ClonePlace {
  readonly file: string;
  readonly line: number;
  readonly end_line: number;
}

/** Pieces of code that are alike. */
export interface Group {
  readonly kind: "exact" | "renamed" | "changed";
  /** From 0 to 1; 1 where every word is the same. */
  readonly similarity: number;
  /** Words of the longest of them. */
  readonly tokens: number;
  readonly places: readonly ClonePlace[];
}

/** A row of words. */
interface Row {
  readonly start: number;
  readonly end: number;
}

/** Places of one group that are named. */
const MOST_PLACES = 100;

/** The largest first. Groups all of whose places lie in those that a larger one names are left out. */
export function groupsOf(
  tokens: Tokens,
  repeats: readonly Repeat[],
  alike: readonly Alike[],
): readonly Group[] {
  const same = sameRows(tokens, repeats);
  const changed = changedRows(alike);
  const accepted: { readonly rows: readonly Row[]; readonly group: Group }[] = [];
  const covering = new Map<string, { readonly row: Row; readonly group: number }[]>();
  const candidates = [...same, ...changed].sort((a, b) => weightOf(b) - weightOf(a));
  for (const { rows, similarity } of candidates) {
    if (isCovered(tokens, rows, covering)) continue;
    // Those that are named: what lies in another is told nowhere.
    for (const row of rows.slice(0, MOST_PLACES)) {
      const { path } = tokens.fileOf(row.start);
      const around = covering.get(path) ?? [];
      around.push({ row, group: accepted.length });
      covering.set(path, around);
    }
    accepted.push({ rows, group: groupOf(tokens, rows, similarity) });
  }
  return accepted.map(({ group }) => group);
}

interface Candidate {
  readonly rows: readonly Row[];
  /** Null where all words are the same but for names and literals. */
  readonly similarity: number | null;
}

function weightOf({ rows }: Candidate): number {
  return rows.reduce((sum, { start, end }) => sum + end - start, 0);
}

/** Repeats of the same words belong together. */
function sameRows(tokens: Tokens, repeats: readonly Repeat[]): readonly Candidate[] {
  const groups = new Map<string, Map<number, Row>>();
  for (const { first, second, length } of repeats) {
    const key = `${length} ${hashOf(tokens.plain, first, length)} ${tokens.fileOf(first).grammar}`;
    const rows = groups.get(key) ?? new Map<number, Row>();
    for (const start of [first, second]) rows.set(start, { start, end: start + length });
    groups.set(key, rows);
  }
  return [...groups.values()].map((rows) => ({
    rows: [...rows.values()].sort((a, b) => a.start - b.start),
    similarity: null,
  }));
}

function hashOf(plain: Uint32Array, start: number, length: number): number {
  let hash = 0x811c9dc5;
  for (let at = start; at < start + length; at++) {
    hash = Math.imul(hash ^ (plain[at] as number), 0x01000193);
  }
  return hash >>> 0;
}

/** What is alike one of a group is of it. */
function changedRows(alike: readonly Alike[]): readonly Candidate[] {
  const groupAt = new Map<number, { rows: Map<number, Row>; similarity: number }>();
  for (const { first, second, similarity } of alike) {
    // Every word the same but names: found as a repeat.
    if (similarity === 1) continue;
    const one = groupAt.get(first.start);
    const other = groupAt.get(second.start);
    const group = one ?? other ?? { rows: new Map<number, Row>(), similarity: 1 };
    if (one !== undefined && other !== undefined && one !== other) {
      for (const [start, row] of other.rows) {
        one.rows.set(start, row);
        groupAt.set(start, one);
      }
      one.similarity = Math.min(one.similarity, other.similarity);
    }
    for (const row of [first, second]) {
      group.rows.set(row.start, row);
      groupAt.set(row.start, group);
    }
    group.similarity = Math.min(group.similarity, similarity);
  }
  return [...new Set(groupAt.values())].map(({ rows, similarity }) => ({
    rows: [...rows.values()].sort((a, b) => a.start - b.start),
    similarity,
  }));
}

function isCovered(
  tokens: Tokens,
  rows: readonly Row[],
  covering: ReadonlyMap<string, readonly { readonly row: Row; readonly group: number }[]>,
): boolean {
  let groups: Set<number> | null = null;
  for (const { start, end } of rows) {
    const around = (covering.get(tokens.fileOf(start).path) ?? [])
      .filter(({ row }) => row.start <= start && end <= row.end)
      .map(({ group }) => group);
    const left: Set<number> = groups === null
      ? new Set(around)
      : new Set(around.filter((group) => (groups as Set<number>).has(group)));
    if (left.size === 0) return false;
    groups = left;
  }
  return true;
}

function groupOf(tokens: Tokens, rows: readonly Row[], similarity: number | null): Group {
  const [first] = rows as readonly [Row, ...Row[]];
  const words = (row: Row) => tokens.exact.subarray(row.start, row.end);
  const same = similarity ??
    Math.min(...rows.map((row) => sameness(words(first), words(row))));
  return {
    kind: similarity !== null ? "changed" : same === 1 ? "exact" : "renamed",
    similarity: Math.round(same * 1000) / 1000,
    tokens: Math.max(...rows.map(({ start, end }) => end - start)),
    places: rows.slice(0, MOST_PLACES).map((row) => placeOf(tokens, row)),
  };
}

/** Where a row of words stands. */
export function placeOf(tokens: Tokens, { start, end }: Row): ClonePlace {
  return {
    file: tokens.fileOf(start).path,
    line: tokens.firstLines[start] as number,
    end_line: tokens.lastLines[end - 1] as number,
  };
}
