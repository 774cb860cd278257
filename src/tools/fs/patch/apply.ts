/** Applying the hunks of one file: every one is tried, so that all that do not fit are told at once. */

import type { Hunk, PatchLine } from "./_model.ts";
import { expectedLine, type Pattern, placeHunk, type Progress } from "./_place.ts";
import { type HunkPosition, seekHunk } from "./_seek.ts";
import { type Piece, type TextView, viewsOf } from "./_view.ts";

/** A hunk that was applied otherwise than it says: what results tell of it. */
export interface HunkNote {
  /** From 1. */
  readonly hunk: number;
  /** Where its old lines begin in the file as it was. */
  readonly line: number;
  readonly offset: number;
  readonly fuzz: number;
}

/** A hunk that does not fit. */
export interface Misfit {
  readonly hunk: Hunk;
  /** From 1. */
  readonly number: number;
  /** Where it was expected, from 1. */
  readonly line: number;
  /** Of a hunk without line numbers. */
  readonly found: Exclude<HunkPosition, { readonly line: number }> | null;
  readonly view: TextView;
}

/**
 * The bytes after all hunks, or those that fit nowhere; `reversed`: they would fit backwards, so the patch is
 * applied already.
 */
export type Applied =
  | { readonly bytes: Uint8Array; readonly notes: readonly HunkNote[] }
  | { readonly misfits: readonly Misfit[]; readonly reversed: boolean };

/** Throws as `openText`. */
export function applyHunks(
  path: string,
  bytes: Uint8Array,
  hunks: readonly Hunk[],
  pause: () => void,
): Applied {
  const views = viewsOf(path, bytes, hunks.flatMap(({ lines }) => lines));
  let best: readonly Misfit[] | null = null;
  for (const view of views) {
    const { pieces, notes, misfits } = applyTo(view, hunks, pause);
    if (misfits.length === 0) return { bytes: view.render(pieces), notes };
    if (best === null || misfits.length < best.length) best = misfits;
  }
  const reversed = views.some((view) => isApplied(view, hunks, pause));
  return { misfits: best ?? [], reversed };
}

interface Outcome {
  readonly pieces: readonly Piece[];
  readonly notes: readonly HunkNote[];
  readonly misfits: readonly Misfit[];
}

function applyTo(view: TextView, hunks: readonly Hunk[], pause: () => void): Outcome {
  const pieces: Piece[] = [];
  const notes: HunkNote[] = [];
  const misfits: Misfit[] = [];
  let progress: Progress = { offset: 0, frozen: 0 };
  hunks.forEach((hunk, index) => {
    const number = index + 1;
    const pattern = patternOf(view, hunk, hunk.oldStart ?? 0);
    const expected = hunk.oldStart === null ? progress.frozen + 1 : expectedLine(pattern, progress);
    const sought = hunk.oldStart === null ? seekHunk(view, hunk, progress.frozen, pause) : null;
    const placed = sought === null
      ? placeHunk(view.keys, pattern, progress, pause)
      : "line" in sought
      ? { ...sought, fuzz: 0 }
      : null;
    if (placed === null || !hasRoom(placed.line, hunk, view, progress)) {
      const found = sought === null || "line" in sought ? null : sought;
      misfits.push({ hunk, number, line: expected, found, view });
      return;
    }
    const { line, fuzz } = placed;
    const offset = hunk.oldStart === null ? 0 : line - expected + progress.offset;
    if (offset !== 0 || fuzz !== 0) notes.push({ hunk: number, line, offset, fuzz });
    progress = { offset, frozen: emit(pieces, hunk.lines, line, progress.frozen, view) };
  });
  copyTill(pieces, progress.frozen, view.keys.length);
  const isSought = hunks.every(({ oldStart }) => oldStart === null);
  return { pieces: isSought ? endedAs(view, pieces) : pieces, notes, misfits };
}

/** A patch without line numbers says nothing of the last line's end: it stays as it is. */
function endedAs({ keys }: TextView, pieces: readonly Piece[]): readonly Piece[] {
  const last = pieces.at(-1);
  if (typeof last !== "object" || !keys.at(-1)?.endsWith("\n")) return pieces;
  return [...pieces.slice(0, -1), { ...last, line: { ...last.line, ended: false } }];
}

/** Whether its first change lies behind what is settled; one without old lines must lie in the file, too. */
function hasRoom(line: number, { lines }: Hunk, { keys }: TextView, { frozen }: Progress): boolean {
  const before = lines.findIndex(({ sign }) => sign !== " ");
  const isInFile = lines.some(({ sign }) => sign !== "+") || line <= keys.length + 1;
  return isInFile && line - 1 + before >= frozen;
}

/** Adds what the hunk makes of the file from where it is settled on. Answers to where it is settled then. */
function emit(
  pieces: Piece[],
  lines: readonly PatchLine[],
  line: number,
  settled: number,
  { keys }: TextView,
): number {
  let frozen = settled;
  let next = line - 1;
  for (const one of lines) {
    if (one.sign === " ") {
      next++;
      continue;
    }
    copyTill(pieces, frozen, Math.min(next, keys.length));
    frozen = Math.max(frozen, next);
    if (one.sign === "+") {
      pieces.push({ line: one, near: next - 1 });
    } else {
      next++;
      frozen = next;
    }
  }
  return frozen;
}

function copyTill(pieces: Piece[], from: number, to: number): void {
  for (let index = from; index < to; index++) pieces.push(index);
}

function patternOf(view: TextView, { lines }: Pick<Hunk, "lines">, start: number): Pattern {
  const first = lines.findIndex(({ sign }) => sign !== " ");
  const last = lines.findLastIndex(({ sign }) => sign !== " ");
  return {
    old: lines.filter(({ sign }) => sign !== "+").map(view.keyOf),
    prefix: first,
    suffix: lines.length - 1 - last,
    start,
  };
}

/** Whether the file is as the hunks would leave it: then they were applied before. */
function isApplied(view: TextView, hunks: readonly Hunk[], pause: () => void): boolean {
  let progress: Progress = { offset: 0, frozen: 0 };
  return hunks.every((hunk) => {
    const lines = hunk.lines.map((line): PatchLine => ({ ...line, sign: REVERSE[line.sign] }));
    const pattern = patternOf(view, { lines }, hunk.oldStart ?? progress.frozen + 1);
    if (pattern.old.length === 0) return false;
    const placed = placeHunk(view.keys, pattern, progress, pause);
    if (placed === null || placed.fuzz > 0) return false;
    progress = {
      offset: progress.offset + placed.line - expectedLine(pattern, progress),
      frozen: placed.line - 1 + pattern.old.length - pattern.suffix,
    };
    return true;
  });
}

const REVERSE = { " ": " ", "-": "+", "+": "-" } as const;
