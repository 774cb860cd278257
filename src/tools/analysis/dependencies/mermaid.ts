/** A graph as text for Mermaid. */

import { condensed } from "./condensed.ts";
import type { Drawing } from "./drawings.ts";

/** What Mermaid draws unless it is told otherwise: `maxEdges` and `maxTextSize` (mermaid.js.org/config/schema-docs/config.html). */
const MERMAID_EDGES = 500;
const MERMAID_TEXT = 50_000;

/** Boxes that are tried in turn, until Mermaid draws it. */
const FEWER_BOXES = [300, 150, 80, 40, 20, 10];

/** A flow chart of Mermaid, of folders where it would not draw all of the files. */
export function asMermaid(drawing: Drawing): string {
  for (const most of [Infinity, ...FEWER_BOXES]) {
    const boxes = condensed(drawing, most);
    if (boxes.edges.length > MERMAID_EDGES) continue;
    const text = flowChart(boxes, boxes.note);
    if (text.length <= MERMAID_TEXT) return text;
  }
  const all = condensed(drawing, 1);
  return flowChart(all, all.note);
}

/** mermaid.js.org/syntax/flowchart.html; characters with a meaning as numbered entities. */
function flowChart({ names, edges }: Drawing, note: string | null): string {
  const text = (name: string) =>
    name.replace(/["#&<>`\\\r\n]/g, (sign) => `#${sign.charCodeAt(0)};`);
  const circles = edges.flatMap(({ inCycle }, at) => inCycle ? [at] : []);
  return [
    "flowchart LR",
    ...(note === null ? [] : [`  %% ${note}`]),
    ...names.map((name, at) => `  n${at}["${text(name)}"]`),
    ...edges.map(({ from, to }) => `  n${from} --> n${to}`),
    ...(circles.length === 0 ? [] : [`  linkStyle ${circles.join(",")} stroke:red`]),
    "",
  ].join("\n");
}
