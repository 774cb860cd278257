/**
 * Where the boxes of a picture stand: who imports left of what it imports, in columns, lines led between the boxes of the
 * columns that they pass (K. Sugiyama, S. Tagawa, M. Toda, "Methods for Visual Understanding of Hierarchical System
 * Structures", 1981). Pixels.
 */

import type { Drawing, Line } from "./drawings.ts";

/** A box: its upper left corner. */
export interface Place {
  readonly x: number;
  readonly y: number;
  readonly width: number;
}

/** Where a line runs level through a column, between boxes. */
export interface Passage {
  readonly left: number;
  readonly right: number;
  readonly y: number;
}

/** All of a picture. */
export interface Layout {
  /** By box. */
  readonly places: readonly Place[];
  /** By line: what it passes, from its beginning to its end. */
  readonly passages: readonly (readonly Passage[])[];
  readonly width: number;
  readonly height: number;
}

/** Sizes. */
export const BOX_HEIGHT = 22;
const ROW = 34;
const PASSAGE = 9;
const GAP = 90;
const MARGIN = 24;

/** Times that columns are put in order by their neighbours. */
const SWEEPS = 8;

/** What stands in a column: a box, or the passage of all lines to one. */
interface Item {
  readonly column: number;
  readonly box: number;
  readonly passing: boolean;
}

/** A drawing whose boxes are as wide as given; no line leads from a box to itself. */
export function layered({ names, edges }: Drawing, widths: readonly number[]): Layout {
  const joined = new Set(edges.flatMap(({ from, to }) => [from, to]));
  const columnOf = columnsOf(names.length, edges);
  const { items, chains } = itemsOf(joined, edges, columnOf);
  const neighbours = items.map((): number[] => []);
  for (const chain of chains) {
    chain.slice(1).forEach((item, at) => {
      neighbours[item]?.push(chain[at] as number);
      neighbours[chain[at] as number]?.push(item);
    });
  }
  const columns = ordered(items, neighbours);
  const middles = middlesOf(columns, items, neighbours);
  const lefts: number[] = [];
  const rights: number[] = [];
  let x = MARGIN;
  for (const column of columns) {
    const widest = Math.max(
      0,
      ...column.map((item) => items[item]?.passing ? 0 : widths[items[item]?.box ?? 0] ?? 0),
    );
    lefts.push(x);
    rights.push(x + widest);
    x += widest + GAP;
  }
  const top = Math.min(...middles, 0);
  const yOf = (item: number) => Math.round((middles[item] ?? 0) - top + MARGIN + BOX_HEIGHT / 2);
  const places: Place[] = [];
  items.forEach(({ box, column, passing }, item) => {
    if (passing) return;
    places[box] = {
      x: lefts[column] ?? 0,
      y: yOf(item) - BOX_HEIGHT / 2,
      width: widths[box] ?? 0,
    };
  });
  const right = Math.max(rights.at(-1) ?? 0, LEAST_WIDTH);
  const bottom = Math.max(0, ...items.map((_, item) => yOf(item) + BOX_HEIGHT / 2 + MARGIN / 2));
  const alone = names.flatMap((_, box) => joined.has(box) ? [] : [box]);
  const end = inRows(
    alone,
    widths,
    right,
    joined.size === 0 ? MARGIN : bottom + MARGIN / 2,
    places,
  );
  return {
    places,
    passages: chains.map((chain) =>
      chain.slice(1, -1).map((item) => {
        const column = items[item]?.column ?? 0;
        return { left: lefts[column] ?? 0, right: rights[column] ?? 0, y: yOf(item) };
      })
    ),
    width: Math.max(...places.map((place) => place.x + place.width), 0) + MARGIN,
    height: alone.length === 0 ? bottom : end,
  };
}

/** Boxes without lines are put in rows no wider than the rest, or than this. */
const LEAST_WIDTH = 900;

function inRows(
  boxes: readonly number[],
  widths: readonly number[],
  right: number,
  top: number,
  places: Place[],
): number {
  let [x, y] = [MARGIN, top];
  for (const box of boxes) {
    const width = widths[box] ?? 0;
    if (x > MARGIN && x + width > right) [x, y] = [MARGIN, y + ROW];
    places[box] = { x, y, width };
    x += width + MARGIN / 2;
  }
  return y + BOX_HEIGHT + MARGIN;
}

/** By box its column: right of all that import it, but where that would go round in a circle. */
function columnsOf(count: number, edges: readonly Line[]): readonly number[] {
  const order = acyclicOrder(count, edges);
  const rank = new Map(order.map((box, at) => [box, at]));
  const to = Array.from({ length: count }, (): number[] => []);
  for (const edge of edges) {
    const forward = (rank.get(edge.from) ?? 0) < (rank.get(edge.to) ?? 0);
    if (forward) to[edge.from]?.push(edge.to);
    else to[edge.to]?.push(edge.from);
  }
  const columns = new Array<number>(count).fill(0);
  for (const box of order) {
    for (const other of to[box] ?? []) {
      columns[other] = Math.max(columns[other] ?? 0, (columns[box] ?? 0) + 1);
    }
  }
  return columns;
}

/** Few lines lead backwards in it (P. Eades, X. Lin, W. F. Smyth, "A fast and effective heuristic", 1993). */
function acyclicOrder(count: number, edges: readonly Line[]): readonly number[] {
  const left = new Set(Array.from({ length: count }, (_, box) => box));
  const [out, into] = [new Int32Array(count), new Int32Array(count)];
  const [to, from] = [left, left].map((all) => [...all].map((): number[] => []));
  for (const edge of edges) {
    out[edge.from] = (out[edge.from] ?? 0) + 1;
    into[edge.to] = (into[edge.to] ?? 0) + 1;
    to?.[edge.from]?.push(edge.to);
    from?.[edge.to]?.push(edge.from);
  }
  const take = (box: number): number => {
    left.delete(box);
    for (const other of to?.[box] ?? []) into[other] = (into[other] ?? 0) - 1;
    for (const other of from?.[box] ?? []) out[other] = (out[other] ?? 0) - 1;
    return box;
  };
  const first: number[] = [];
  const last: number[] = [];
  while (left.size > 0) {
    const boxes = [...left];
    const sinks = boxes.filter((box) => out[box] === 0);
    if (sinks.length > 0) {
      last.push(...sinks.map(take));
      continue;
    }
    const lead = (box: number) => into[box] === 0 ? Infinity : (out[box] ?? 0) - (into[box] ?? 0);
    first.push(take(boxes.reduce((best, box) => lead(box) > lead(best) ? box : best)));
  }
  return [...first, ...last.toReversed()];
}

/** Boxes and passages, and by line its way through them. Lines to one box share their passages. */
function itemsOf(
  joined: ReadonlySet<number>,
  edges: readonly Line[],
  columnOf: readonly number[],
): { readonly items: readonly Item[]; readonly chains: readonly (readonly number[])[] } {
  const items: Item[] = [...joined].sort((a, b) => a - b)
    .map((box) => ({ column: columnOf[box] ?? 0, box, passing: false }));
  const numbers = new Map(items.map(({ box }, item) => [box, item]));
  const passages = new Map<string, number>();
  const chains = edges.map(({ from, to }) => {
    const [start, end] = [columnOf[from] ?? 0, columnOf[to] ?? 0];
    const step = start < end ? 1 : -1;
    const chain = [numbers.get(from) ?? 0];
    for (let column = start + step; column !== end; column += step) {
      const key = `${to} ${column}`;
      const item = passages.get(key) ?? items.push({ column, box: to, passing: true }) - 1;
      passages.set(key, item);
      chain.push(item);
    }
    return [...chain, numbers.get(to) ?? 0];
  });
  return { items, chains };
}

/** The items of each column, so that lines cross each other little. */
function ordered(
  items: readonly Item[],
  neighbours: readonly (readonly number[])[],
): readonly (readonly number[])[] {
  const count = items.reduce((most, { column }) => Math.max(most, column + 1), 0);
  const columns = Array.from({ length: count }, (): number[] => []);
  items.forEach(({ column }, item) => columns[column]?.push(item));
  const rank = new Map<number, number>();
  // Where in its column, from 0 to 1: columns of unlike length are alike then.
  const number = (column: readonly number[]) =>
    column.forEach((item, row) => rank.set(item, (row + 0.5) / column.length));
  columns.forEach(number);
  for (let sweep = 0; sweep < SWEEPS; sweep++) {
    for (const column of sweep % 2 === 0 ? columns : columns.toReversed()) {
      const middle = new Map(column.map((item) => {
        const rows = (neighbours[item] ?? []).map((other) => rank.get(other) ?? 0);
        return [item, rows.length === 0 ? rank.get(item) ?? 0 : mean(rows)];
      }));
      column.sort((a, b) => (middle.get(a) ?? 0) - (middle.get(b) ?? 0));
      number(column);
    }
  }
  return columns;
}

/** By item the height of its middle: as near to its neighbours' as the order of its column lets it. */
function middlesOf(
  columns: readonly (readonly number[])[],
  items: readonly Item[],
  neighbours: readonly (readonly number[])[],
): readonly number[] {
  const half = (item: number) => (items[item]?.passing === true ? PASSAGE : ROW) / 2;
  const middles: number[] = [];
  for (const column of columns) {
    let y = -column.reduce((sum, item) => sum + half(item), 0);
    for (const item of column) {
      middles[item] = y + half(item);
      y += 2 * half(item);
    }
  }
  for (let sweep = 0; sweep < SWEEPS; sweep++) {
    for (const column of sweep % 2 === 0 ? columns : columns.toReversed()) {
      const wanted = column.map((item) => {
        const others = (neighbours[item] ?? []).map((other) => middles[other] ?? 0);
        return others.length === 0 ? middles[item] ?? 0 : mean(others);
      });
      spread(wanted, column.map(half)).forEach((y, row) => {
        middles[column[row] as number] = y;
      });
    }
  }
  return middles;
}

/** As near to what is wanted as can be, none over another: the least squares of an order (pool adjacent violators). */
function spread(wanted: readonly number[], halves: readonly number[]): readonly number[] {
  const offsets: number[] = [];
  for (const [row, half] of halves.entries()) {
    offsets.push(row === 0 ? 0 : (offsets[row - 1] ?? 0) + (halves[row - 1] ?? 0) + half);
  }
  const pools: { readonly sum: number; readonly size: number }[] = [];
  for (const [row, y] of wanted.entries()) {
    let pool = { sum: y - (offsets[row] ?? 0), size: 1 };
    for (
      let before = pools.at(-1);
      before !== undefined && before.sum / before.size > pool.sum / pool.size;
      before = pools.at(-1)
    ) {
      pools.pop();
      pool = { sum: pool.sum + before.sum, size: pool.size + before.size };
    }
    pools.push(pool);
  }
  return pools.flatMap(({ sum, size }) => new Array<number>(size).fill(sum / size))
    .map((y, row) => y + (offsets[row] ?? 0));
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
