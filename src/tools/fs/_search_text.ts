/** Matching lines in one text. */

/** A matching line. Line and column count from 1, the column in characters. */
export interface LineMatch {
  readonly line: number;
  readonly column: number;
  readonly content: string;
  readonly before?: readonly string[];
  readonly after?: readonly string[];
}

/** Characters of a line that are shown, and how many of them stand before the match at most. */
const SHOWN = 500;
const LEAD = 100;
const CUT = "…";

/** Lines between two calls of `pause`. */
const PAUSE = 1000;

/**
 * Counts the lines that match (line ends, `\r` too, are no part of them) and gives the first `wanted`.
 * Lines over 500 characters are cut around the match, with `…` where something is missing.
 */
export function searchText(
  text: string,
  pattern: RegExp,
  options: { readonly wanted: number; readonly context: number; readonly pause: () => void },
): { readonly matches: readonly LineMatch[]; readonly total: number } {
  const matches: LineMatch[] = [];
  let total = 0;
  let line = 0;
  for (let at = 0; at < text.length;) {
    if (line % PAUSE === 0) options.pause();
    line++;
    const end = lineEnd(text, at);
    const content = withoutReturn(text.slice(at, end));
    const index = content.search(pattern);
    if (index >= 0) {
      total++;
      if (matches.length < options.wanted) {
        matches.push({
          line,
          column: countCharacters(content.slice(0, index)) + 1,
          content: cut(content, index),
          ...surroundings(text, at, end, options.context),
        });
      }
    }
    at = end + 1;
  }
  return { matches, total };
}

function lineEnd(text: string, from: number): number {
  const at = text.indexOf("\n", from);
  return at < 0 ? text.length : at;
}

function withoutReturn(line: string): string {
  return line.endsWith("\r") ? line.slice(0, -1) : line;
}

function countCharacters(text: string): number {
  let count = 0;
  for (const _ of text) count++;
  return count;
}

function cut(line: string, index: number): string {
  if (line.length <= SHOWN) return line;
  const start = Math.max(0, Math.min(index - LEAD, line.length - SHOWN));
  const from = boundary(line, start);
  const to = boundary(line, start + SHOWN);
  return (from > 0 ? CUT : "") + line.slice(from, to) + (to < line.length ? CUT : "");
}

/** Never between the halves of a surrogate pair. */
function boundary(text: string, at: number): number {
  const code = text.charCodeAt(at);
  return code >= 0xdc00 && code <= 0xdfff ? at - 1 : at;
}

function surroundings(
  text: string,
  start: number,
  end: number,
  count: number,
): { readonly before?: readonly string[]; readonly after?: readonly string[] } {
  if (count === 0) return {};
  const before: string[] = [];
  for (let at = start; at > 0 && before.length < count;) {
    const from = at < 2 ? 0 : text.lastIndexOf("\n", at - 2) + 1;
    before.unshift(cut(withoutReturn(text.slice(from, at - 1)), 0));
    at = from;
  }
  const after: string[] = [];
  for (let at = end + 1; at < text.length && after.length < count;) {
    const to = lineEnd(text, at);
    after.push(cut(withoutReturn(text.slice(at, to)), 0));
    at = to + 1;
  }
  return { before, after };
}
