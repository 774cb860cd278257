/** Lines as results show them. */

/** Characters of a line that are shown, and how many of them stand before the match at most. */
const SHOWN = 500;
const LEAD = 100;
const CUT = "…";

/** The line without the `\r` that ends it in files from Windows. */
export function withoutReturn(line: string): string {
  return line.endsWith("\r") ? line.slice(0, -1) : line;
}

/** At most 500 characters of a line, around `index`, with `…` where something is missing. */
export function cutLine(line: string, index: number): string {
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
