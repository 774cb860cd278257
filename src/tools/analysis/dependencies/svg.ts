/**
 * A graph as a picture: who imports stands left of what it imports, in columns (K. Sugiyama, S. Tagawa, M. Toda, "Methods
 * for Visual Understanding of Hierarchical System Structures", 1981). No script, no link, nothing that is loaded.
 */

import { stronglyConnected } from "./graph.ts";
import { condensed, type Drawing } from "./drawings.ts";

/** More boxes than that are no picture any more. */
const MOST_BOXES = 150;

/** Sizes, in pixels. */
const BOX_HEIGHT = 22;
const ROW = 34;
const GAP = 90;
const MARGIN = 20;
const CHARACTER = 6.7;
const LONGEST_NAME = 48;

/** Times that columns are put in order by their neighbours. */
const SWEEPS = 6;

/** A drawing as one SVG text, without scripts or anything from elsewhere. */
export function toSvg(whole: Drawing): string {
  const drawing = condensed(whole, MOST_BOXES);
  const columns = ordered(drawing, columnsOf(drawing));
  const places = placesOf(drawing, columns);
  const right = Math.max(0, ...places.map(({ x, width }) => x + width)) + MARGIN;
  const bottom = Math.max(0, ...places.map(({ y }) => y + BOX_HEIGHT)) + MARGIN;
  const lines = drawing.edges.map(({ from, to, inCycle }) => {
    const [a, b] = [places[from] as NodePosition, places[to] as NodePosition];
    const title = `${drawing.names[from]} → ${drawing.names[to]}`;
    const style = inCycle ? ' class="cycle"' : "";
    return `<path${style} d="${curve(a, b)}"><title>${escaped(title)}</title></path>`;
  });
  const boxes = drawing.names.map((name, at) => {
    const { x, y, width } = places[at] as NodePosition;
    return `<g><title>${
      escaped(name)
    }</title><rect x="${x}" y="${y}" width="${width}" height="${BOX_HEIGHT}"/>` +
      `<text x="${x + 7}" y="${y + 15}">${escaped(shown(name))}</text></g>`;
  });
  const note = drawing === whole ? [] : [
    `<text x="${MARGIN}" y="14">${whole.names.length} nodes, as ${drawing.names.length} folders</text>`,
  ];
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${right}" height="${bottom}" viewBox="0 0 ${right} ${bottom}">`,
    "<style>text{font:11px ui-monospace,monospace;fill:#1b1f24}rect{fill:#f6f8fa;stroke:#8c959f;rx:4px}" +
    "path{fill:none;stroke:#57606a;stroke-opacity:.45}path.cycle{stroke:#cf222e;stroke-opacity:.9}" +
    "path:hover{stroke:#0969da;stroke-width:2;stroke-opacity:1}</style>",
    '<rect width="100%" height="100%" style="fill:#fff;stroke:none"/>',
    ...note,
    ...lines,
    ...boxes,
    "</svg>",
    "",
  ].join("\n");
}

interface NodePosition {
  readonly x: number;
  readonly y: number;
  readonly width: number;
}

/** For each box, its column: one more than those that import it, circles taken as one. */
function columnsOf({ names, edges }: Drawing): readonly number[] {
  const to = names.map((): number[] => []);
  for (const edge of edges) to[edge.from]?.push(edge.to);
  // What leads nowhere comes first: backwards, whoever imports comes before what it imports.
  const sets = stronglyConnected(to).toReversed();
  const setOf = new Map(sets.flatMap((members, set) => members.map((member) => [member, set])));
  const depths = sets.map(() => 0);
  for (const [set, members] of sets.entries()) {
    for (const member of members) {
      for (const other of to[member] ?? []) {
        const target = setOf.get(other) ?? set;
        if (target === set) continue;
        depths[target] = Math.max(depths[target] ?? 0, (depths[set] ?? 0) + 1);
      }
    }
  }
  return names.map((_, at) => depths[setOf.get(at) ?? 0] ?? 0);
}

/** The boxes of each column, so that lines cross each other little. */
function ordered({ edges }: Drawing, columnOf: readonly number[]): readonly (readonly number[])[] {
  const count = Math.max(0, ...columnOf) + 1;
  const columns = Array.from(
    { length: count },
    (_, column) => [...columnOf.keys()].filter((at) => columnOf[at] === column),
  );
  const neighbours = columnOf.map((): number[] => []);
  for (const { from, to } of edges) {
    neighbours[from]?.push(to);
    neighbours[to]?.push(from);
  }
  const rank = new Map<number, number>();
  const number = () => columns.forEach((boxes) => boxes.forEach((box, row) => rank.set(box, row)));
  number();
  for (let sweep = 0; sweep < SWEEPS; sweep++) {
    for (const boxes of columns) {
      const middle = new Map(boxes.map((box) => {
        const rows = (neighbours[box] ?? []).map((other) => rank.get(other) ?? 0);
        const sum = rows.reduce((total, row) => total + row, 0);
        return [box, rows.length === 0 ? rank.get(box) ?? 0 : sum / rows.length];
      }));
      boxes.sort((a, b) => (middle.get(a) ?? 0) - (middle.get(b) ?? 0));
    }
    number();
  }
  return columns;
}

function placesOf(
  { names }: Drawing,
  columns: readonly (readonly number[])[],
): readonly NodePosition[] {
  const places: NodePosition[] = [];
  const tallest = Math.max(0, ...columns.map(({ length }) => length));
  let x = MARGIN;
  for (const boxes of columns) {
    const widths = boxes.map((box) => Math.ceil(shown(names[box] ?? "").length * CHARACTER) + 14);
    const top = MARGIN + (tallest - boxes.length) * ROW / 2;
    boxes.forEach((box, row) => {
      places[box] = { x, y: Math.round(top + row * ROW), width: widths[row] ?? 0 };
    });
    x += Math.max(0, ...widths) + GAP;
  }
  return places;
}

function curve(a: NodePosition, b: NodePosition): string {
  const middle = BOX_HEIGHT / 2;
  const [x1, y1, x2, y2] = [a.x + a.width, a.y + middle, b.x, b.y + middle];
  const bend = x2 > x1 ? (x2 - x1) / 2 : GAP / 2;
  return `M${x1} ${y1}C${x1 + bend} ${y1} ${x2 - bend} ${y2} ${x2} ${y2}`;
}

/** The end of a long name says more than its beginning. */
function shown(name: string): string {
  return name.length > LONGEST_NAME ? `…${name.slice(1 - LONGEST_NAME)}` : name;
}

/** Also what XML does not allow at all. */
function escaped(text: string): string {
  return text
    // deno-lint-ignore no-control-regex
    .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ud800-\udfff\ufffe\uffff]/g, "\ufffd")
    .replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);
}
