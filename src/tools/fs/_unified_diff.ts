/** The unified diff that previews and edits show. */

import type { StructuredPatchHunk } from "diff";

/** Edits up to which the shortest diff is sought; its search is quadratic in them. */
const MAX_EDITS = 2000;
const CONTEXT_LINES = 3;

/**
 * `before` null: the file is new. Empty where nothing changes. Texts that differ in more than a few
 * thousand lines get one hunk from the first to the last difference.
 */
export async function unifiedDiff(
  path: string,
  before: string | null,
  after: string,
): Promise<string> {
  if (before === after) return "";
  const { structuredPatch, formatPatch, FILE_HEADERS_ONLY } = await import("diff");
  const from = before === null ? "/dev/null" : `a/${path}`;
  const sought = structuredPatch(from, `b/${path}`, before ?? "", after, undefined, undefined, {
    context: CONTEXT_LINES,
    maxEditLength: MAX_EDITS,
  });
  const hunks = sought?.hunks ?? [wholeHunk(before ?? "", after)];
  return formatPatch({
    oldFileName: from,
    newFileName: `b/${path}`,
    oldHeader: undefined,
    newHeader: undefined,
    hunks,
  }, FILE_HEADERS_ONLY);
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
