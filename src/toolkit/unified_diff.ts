/** The unified diff that previews and edits show, and its counts. */

import type { StructuredPatchHunk } from "diff";

/** Edits up to which the shortest diff is sought; its search is quadratic in them. */
const MAX_EDITS = 2000;
const CONTEXT_LINES = 3;

/** Characters of a diff that results carry: what a person or model may still read. */
export const LONGEST_DIFF = 64 * 1024;

/** What becomes of a text, in the names of results. */
export interface TextChange {
  readonly diff: string;
  readonly added_lines: number;
  readonly removed_lines: number;
}

/**
 * `before` null: the file is new; `after` null: it goes. The diff is empty where nothing changes. Texts that differ in more than a few
 * thousand lines get one hunk from the first to the last difference. A diff over 64 KiB ends with a line that
 * begins with `\` and says how much is missing; the counts are whole.
 */
export async function describeChange(
  path: string,
  before: string | null,
  after: string | null,
): Promise<TextChange> {
  const { text, lines } = await diffOf(path, before, after);
  const count = (sign: string): number =>
    lines.reduce((all, line) => line.startsWith(sign) ? all + 1 : all, 0);
  return { diff: shortened(text), added_lines: count("+"), removed_lines: count("-") };
}

/** The diff alone, whole. */
export async function unifiedDiff(
  path: string,
  before: string | null,
  after: string,
): Promise<string> {
  return (await diffOf(path, before, after)).text;
}

async function diffOf(
  path: string,
  before: string | null,
  after: string | null,
): Promise<{ readonly text: string; readonly lines: readonly string[] }> {
  if (before === after) return { text: "", lines: [] };
  const { structuredPatch, formatPatch, FILE_HEADERS_ONLY } = await import("diff");
  const from = before === null ? "/dev/null" : `a/${path}`;
  const to = after === null ? "/dev/null" : `b/${path}`;
  const part = differingPart(before ?? "", after ?? "");
  const sought = structuredPatch(from, to, part.old, part.now, undefined, undefined, {
    context: CONTEXT_LINES,
    maxEditLength: MAX_EDITS,
  });
  const hunks = (sought?.hunks ?? [wholeHunk(part.old, part.now)]).map((hunk) => ({
    ...hunk,
    oldStart: hunk.oldStart + part.line,
    newStart: hunk.newStart + part.line,
  }));
  const text = formatPatch({
    oldFileName: from,
    newFileName: to,
    oldHeader: undefined,
    newHeader: undefined,
    hunks,
  }, FILE_HEADERS_ONLY);
  return { text, lines: hunks.flatMap((hunk) => hunk.lines) };
}

/**
 * Both texts without the lines that they begin and end with alike, but for those a diff shows around a change:
 * comparing all of them as lines is what takes time. `line`: how many were left out before.
 */
function differingPart(
  old: string,
  now: string,
): { readonly old: string; readonly now: string; readonly line: number } {
  const room = Math.min(old.length, now.length);
  let start = 0;
  while (start < room && old.charCodeAt(start) === now.charCodeAt(start)) start++;
  if (start > 0) start = old.lastIndexOf("\n", start - 1) + 1;
  let tail = 0;
  while (
    tail < room - start &&
    old.charCodeAt(old.length - 1 - tail) === now.charCodeAt(now.length - 1 - tail)
  ) tail++;
  for (let lines = 0; lines < CONTEXT_LINES && start > 0; lines++) {
    start = start < 2 ? 0 : old.lastIndexOf("\n", start - 2) + 1;
  }
  let end = old.length - tail;
  // One more than are shown: the first ends the line in which the texts become alike.
  for (let lines = 0; lines <= CONTEXT_LINES && end < old.length; lines++) {
    const next = old.indexOf("\n", end);
    end = next < 0 ? old.length : next + 1;
  }
  let line = 0;
  for (let at = old.indexOf("\n"); at >= 0 && at < start; at = old.indexOf("\n", at + 1)) line++;
  return {
    old: old.slice(start, end),
    now: now.slice(start, now.length - (old.length - end)),
    line,
  };
}

function shortened(diff: string): string {
  if (diff.length <= LONGEST_DIFF) return diff;
  const end = diff.lastIndexOf("\n", LONGEST_DIFF) + 1;
  const kept = end === 0 ? "" : diff.slice(0, end);
  const missing = diff.slice(kept.length).split("\n").length - 1;
  return `${kept}\\ ${missing} more lines of this diff (${
    diff.length - kept.length
  } characters) are left out\n`;
}

/** Everything between the common beginning and the common end, replaced as one. */
function wholeHunk(before: string, after: string): StructuredPatchHunk {
  const old = linesOf(before);
  const now = linesOf(after);
  let start = 0;
  while (start < old.length && start < now.length && old[start] === now[start]) start++;
  let same = 0;
  const room = Math.min(old.length, now.length) - start;
  while (same < room && old[old.length - 1 - same] === now[now.length - 1 - same]) same++;
  const removed = old.slice(start, old.length - same);
  const added = now.slice(start, now.length - same);
  return {
    // `formatPatch` lowers it by one itself where there are no lines.
    oldStart: start + 1,
    oldLines: removed.length,
    newStart: start + 1,
    newLines: added.length,
    lines: [
      ...removed.flatMap((line) => marked("-", line)),
      ...added.flatMap((line) => marked("+", line)),
    ],
  };
}

/** Lines with their ends. */
function linesOf(text: string): readonly string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
}

function marked(sign: "-" | "+", line: string): readonly string[] {
  return line.endsWith("\n")
    ? [sign + line.slice(0, -1)]
    : [sign + line, "\\ No newline at end of file"];
}
