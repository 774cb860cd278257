/** A graph as a picture. No script, no link, nothing that is loaded. */

import { BOX_HEIGHT, layered, type Passage, type Place } from "./_layered.ts";
import { condensed } from "./condensed.ts";
import type { Drawing } from "./drawings.ts";

/** More boxes than that are no picture any more. */
const MOST_BOXES = 150;

/** Sizes, in pixels. */
const CHARACTER = 6.7;
const LONGEST_NAME = 48;
const ARROW = 6;

const STYLE = "text{font:11px ui-monospace,monospace;fill:#1b1f24}" +
  "rect{fill:#f6f8fa;stroke:#8c959f;rx:4px}rect.cycle,path.cycle{stroke:#cf222e}" +
  "path{fill:none;stroke:#57606a;stroke-opacity:.45}path.cycle{stroke-opacity:.9}" +
  "path:hover{stroke:#0969da;stroke-width:2;stroke-opacity:1}";

/** A drawing as one SVG text, without scripts or anything from elsewhere. */
export function toSvg(whole: Drawing): string {
  const drawing = condensed(whole, MOST_BOXES);
  const { names } = drawing;
  // A file that imports itself has a red box.
  const edges = drawing.edges.filter(({ from, to }) => from !== to);
  const widths = names.map((name) => Math.ceil(shown(name).length * CHARACTER) + 14);
  const { places, passages, width, height } = layered({ names, edges }, widths);
  const circular = new Set([
    ...drawing.circular,
    ...drawing.edges.flatMap(({ from, to, inCycle }) => inCycle ? [from, to] : []),
  ]);
  const lines = edges.map(({ from, to, inCycle }, at) => {
    const way = curve(places[from] as Place, passages[at] ?? [], places[to] as Place);
    const title = `${names[from]} → ${names[to]}${inCycle ? " (in a circle)" : ""}`;
    return `<path${marked(inCycle)} d="${way}"><title>${escaped(title)}</title></path>`;
  });
  const boxes = names.map((name, at) => {
    const { x, y, width } = places[at] as Place;
    const title = drawing.circular.has(at) ? `${name}: has a circle in it` : name;
    return `<g><title>${escaped(title)}</title>` +
      `<rect${
        marked(circular.has(at))
      } x="${x}" y="${y}" width="${width}" height="${BOX_HEIGHT}"/>` +
      `<text x="${x + 7}" y="${y + 15}">${escaped(shown(name))}</text></g>`;
  });
  const notes = [
    ...(drawing.note === null ? [] : [drawing.note]),
    ...(circular.size === 0 ? [] : ["red: imports that go round in a circle"]),
  ].join("; ");
  const right = Math.max(width, Math.ceil(notes.length * CHARACTER) + 48);
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${right}" height="${height}" viewBox="0 0 ${right} ${height}">`,
    `<style>${STYLE}</style>`,
    '<rect width="100%" height="100%" style="fill:#fff;stroke:none"/>',
    ...(notes === "" ? [] : [`<text x="24" y="15">${escaped(notes)}</text>`]),
    ...lines,
    ...boxes,
    "</svg>",
    "",
  ].join("\n");
}

function marked(inCycle: boolean): string {
  return inCycle ? ' class="cycle"' : "";
}

/** From side to side, level where it meets a box and where it passes some; an arrow at its end. */
function curve(from: Place, passages: readonly Passage[], to: Place): string {
  const forward = from.x < to.x;
  const middle = BOX_HEIGHT / 2;
  const [start, end] = forward ? [from.x + from.width, to.x] : [from.x, to.x + to.width];
  let [x, y] = [start, from.y + middle];
  let way = `M${x} ${y}`;
  const bend = (nextX: number, nextY: number) => {
    const half = Math.round((x + nextX) / 2);
    way += `C${half} ${y} ${half} ${nextY} ${nextX} ${nextY}`;
    [x, y] = [nextX, nextY];
  };
  for (const passage of passages) {
    const [near, far] = forward ? [passage.left, passage.right] : [passage.right, passage.left];
    bend(near, passage.y);
    way += `H${far}`;
    x = far;
  }
  bend(end, to.y + middle);
  const back = forward ? -ARROW : ARROW;
  return `${way}m${back} -3l${-back} 3l${back} 3`;
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
