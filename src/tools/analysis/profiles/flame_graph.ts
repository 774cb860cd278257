/** A flame graph as one SVG that needs nothing else: callers above, what they called below, widths as times. */

import { printable } from "../../../core/printable.ts";
import { type CallTree, ROOT } from "./call_tree.ts";
import { HEAD, LETTER, ROW, SCRIPT, STYLE, WIDTH } from "./flame_graph_parts.ts";
import type { Frame } from "./model.ts";

/** How every one begins: by it Toolgate knows what it may replace. */
export const SIGNATURE = "<!-- flame graph by toolgate -->\n";

/** Narrower frames are not seen, and not drawn either. */
const NARROWEST = 0.1;
/** More rows than a browser scrolls through with pleasure. */
const MOST_ROWS = 250;
/** A browser zooms through so many at once. */
const MOST_FRAMES = 10_000;
const LONGEST_NAME = 200;

/** A drawing, and how much of the profile is on it. */
export interface FlameGraph {
  readonly svg: string;
  /** Frames that are drawn, and call paths that are not: too narrow, too deep, or too many. */
  readonly drawn: number;
  readonly leftOut: number;
}

/** What it says and how it is coloured. */
export interface FlameGraphOptions {
  readonly title: string;
  readonly unit: string;
  /** What each frame's own time became more or less since the baseline, by index; null without one. */
  readonly change: Float64Array | null;
}

interface Box {
  readonly node: number;
  readonly x: number;
  readonly depth: number;
}

/** Draws call paths; `frames` are those that the tree names by their indexes. */
export function drawFlameGraph(
  tree: CallTree,
  frames: readonly Frame[],
  { title, unit, change }: FlameGraphOptions,
): FlameGraph {
  const totals = positiveTotals(tree);
  const sum = totals[ROOT] ?? 0;
  const boxes = placed(tree, totals);
  const scale = sum > 0 ? WIDTH / sum : 0;
  const rows = boxes.reduce((most, { depth }) => Math.max(most, depth), 0);
  const most = change?.reduce((a, b) => Math.max(a, Math.abs(b)), 0) ?? 0;
  const colour = (index: number, frame: Frame): string =>
    change === null ? warm(frame) : difference((change[index] ?? 0) / (most || 1));
  const drawn = boxes.map(({ node, x, depth }) => {
    const index = tree.frame(node);
    const frame = frames[index] ?? { name: "?", file: null, line: null, column: null };
    const total = totals[node] ?? 0;
    const what = `${amount(total)} ${unit}, ${(100 * total / sum).toFixed(2)} %`;
    return box(frame, what, colour(index, frame), {
      x: x * scale,
      y: HEAD + (depth - 1) * ROW,
      width: total * scale,
    });
  });
  const height = HEAD + rows * ROW + 12;
  const leftOut = tree.length - 1 - boxes.length;
  const svg =
    `${SIGNATURE}<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" ` +
    `width="${WIDTH}" height="${height}">
<title>${escaped(title)}</title>
<style>${STYLE}</style>
<text class="head title" x="3" y="20">${escaped(title)}</text>
<text class="head" x="3" y="38">${amount(sum)} ${escaped(unit)}${note(leftOut, change)}</text>
<text id="details" x="3" y="56"></text>
<text id="matched" x="${WIDTH - 210}" y="20" text-anchor="end"></text>
<foreignObject x="${WIDTH - 203}" y="4" width="200" height="26">` +
    `<input xmlns="http://www.w3.org/1999/xhtml" id="search" type="search" placeholder="Search" ` +
    `aria-label="Search"/></foreignObject>
<g id="all">
${drawn.join("\n")}
</g>
<script><![CDATA[${SCRIPT}]]></script>
</svg>
`;
  return { svg, drawn: boxes.length, leftOut };
}

/** Totals without what is below zero in profiles that are differences: no box has a negative width. */
function positiveTotals(tree: CallTree): Float64Array {
  const totals = new Float64Array(tree.length);
  for (let node = tree.length - 1; node >= 0; node--) {
    totals[node] = (totals[node] ?? 0) + Math.max(0, tree.own(node));
    const parent = tree.parent(node);
    if (parent >= 0) totals[parent] = (totals[parent] ?? 0) + (totals[node] ?? 0);
  }
  return totals;
}

/** The paths that are worth a box, with their places, the widest first and parents before what they called. */
function placed(tree: CallTree, totals: Float64Array): readonly Box[] {
  const least = (totals[ROOT] ?? 0) * NARROWEST / WIDTH;
  const depths = new Int32Array(tree.length);
  const nodes: number[] = [];
  for (let node = 1; node < tree.length; node++) {
    depths[node] = (depths[tree.parent(node)] ?? 0) + 1;
    const total = totals[node] ?? 0;
    if (total > 0 && total >= least && (depths[node] ?? 0) <= MOST_ROWS) nodes.push(node);
  }
  // A parent is never narrower than what it called, and has the smaller number.
  nodes.sort((a, b) => (totals[b] ?? 0) - (totals[a] ?? 0) || a - b);
  /** By node: where its next child begins. */
  const next = new Map<number, number>([[ROOT, 0]]);
  return nodes.slice(0, MOST_FRAMES).map((node) => {
    const parent = tree.parent(node);
    const x = next.get(parent) ?? 0;
    next.set(parent, x + (totals[node] ?? 0));
    next.set(node, x);
    return { node, x, depth: depths[node] ?? 1 };
  });
}

function box(
  frame: Frame,
  what: string,
  fill: string,
  { x, y, width }: { readonly x: number; readonly y: number; readonly width: number },
): string {
  const name = printable(frame.name, LONGEST_NAME);
  const place = placeOf(frame);
  const said = label(name, width);
  const text = said === ""
    ? ""
    : `<text x="${number(x + 3)}" y="${y + 12.5}">${escaped(said)}</text>`;
  return `<g class="f"><title>${escaped(name)}\n${place}${escaped(what)}</title>` +
    `<rect x="${number(x)}" y="${y}" width="${number(width)}" height="${
      ROW - 1
    }" fill="${fill}"/>` +
    `${text}</g>`;
}

/** The line of the title that says where a function stands, with its end; empty where that is not known. */
function placeOf({ file, line }: Frame): string {
  if (file === null) return "";
  return `${escaped(printable(file, LONGEST_NAME))}${line === null ? "" : `:${line}`}\n`;
}

/** As much of a name as there is room for; the script does the same when it zooms. */
function label(name: string, width: number): string {
  const room = Math.floor((width - 6) / LETTER);
  if (room < 3) return "";
  let used = 0;
  let made = "";
  for (const letter of name) {
    used += (letter.codePointAt(0) ?? 0) >= 0x2e80 ? 2 : 1;
    if (used > room) return `${made.slice(0, -1)}…`;
    made += letter;
  }
  return made;
}

function note(leftOut: number, change: Float64Array | null): string {
  return (leftOut > 0 ? `, ${leftOut} paths too narrow or too deep to draw` : "") +
    (change === null ? "" : ", red: more own time than the baseline, blue: less");
}

/** Reds to yellows, the same name always the same. */
function warm({ name }: Frame): string {
  let sum = 0;
  for (let at = 0; at < Math.min(name.length, LONGEST_NAME); at++) {
    sum = (Math.imul(sum, 31) + name.charCodeAt(at)) >>> 0;
  }
  return `hsl(${sum % 50} 85% ${68 + (sum >>> 8) % 10}%)`;
}

/** From blue (-1) over grey to red (1). */
function difference(share: number): string {
  const strength = Math.round(Math.sqrt(Math.min(1, Math.abs(share))) * 85);
  return `hsl(${share > 0 ? 5 : 215} ${strength}% 75%)`;
}

/** Four places: a frame a tenth of a pixel wide is still exact when it fills the picture. */
function number(value: number): string {
  return String(Math.round(value * 1e4) / 1e4);
}

function amount(value: number): string {
  return String(Number(value.toPrecision(6)));
}

/** Text for XML 1.0: markup escaped, and the two characters that it has no place for replaced (the rest is `printable`'s). */
function escaped(text: string): string {
  return printable(text, LONGEST_NAME * 3)
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;")
    .replaceAll("'", "&#39;")
    .replaceAll(/[\ufffe\uffff]/g, "\ufffd");
}
