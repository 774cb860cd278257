/** Lists of records as tables that fit the screen. */

import { clip, plain, textWidth } from "./plain_text.ts";
import type { Screen } from "./screen.ts";
import { styleOf } from "./style.ts";

/** Most characters of a cell where no screen bounds the line. */
const MAX_CELL = 100;
/** Longer values are not measured: no screen shows so much, and paths are shorter (limits.h, PATH_MAX). */
const MAX_MEASURED = 5000;
/** Columns are not cut below this: what is left would say nothing. */
const MIN_CELL = 8;
const GAP = "  ";

/** Columns whose values are told apart by their ends. */
const PATHS: ReadonlySet<string> = new Set(["path", "file", "src", "dst"]);

interface Column {
  readonly key: string;
  readonly cells: readonly string[];
  readonly isNumeric: boolean;
  readonly width: number;
}

/** A header and a line for each record; cells are cut where the screen is too narrow for them. */
export function renderTable(
  rows: readonly Readonly<Record<string, unknown>>[],
  screen: Screen,
): string {
  const columns = fit(columnsOf(rows), screen.columns);
  const style = styleOf(screen);
  const header = line(columns, (column) => ({ ...column, text: clip(column.key, column.width) }));
  return [
    style.heading(bounded(header, screen)),
    ...rows.map((_, index) =>
      bounded(line(columns, (column) => ({ ...column, text: cellOf(column, index) })), screen)
    ),
  ].join("\n");
}

function columnsOf(rows: readonly Readonly<Record<string, unknown>>[]): readonly Column[] {
  const keys = new Set(rows.flatMap((row) => Object.keys(row)));
  // A path ends with the name.
  if (keys.has("path")) keys.delete("name");
  return [...keys].map((key) => {
    const values = rows.map((row) => row[key]);
    const cells = values.map(cellText);
    const width = Math.max(textWidth(plain(key)), ...cells.map(textWidth));
    const isNumeric = values.every((value) => typeof value === "number" || value === undefined);
    return { key: plain(key), cells, isNumeric, width };
  });
}

/** The widest columns give way first, numbers never. */
function fit(columns: readonly Column[], available: number | null): readonly Column[] {
  if (available === null) {
    return columns.map((column) => ({ ...column, width: Math.min(column.width, MAX_CELL) }));
  }
  const gaps = GAP.length * (columns.length - 1);
  const flexible = (column: Column) => !column.isNumeric && column.width > MIN_CELL;
  const widthAt = (cap: number) => (column: Column) =>
    flexible(column) ? Math.min(column.width, Math.max(cap, MIN_CELL)) : column.width;
  const widest = Math.max(MIN_CELL, ...columns.filter(flexible).map(({ width }) => width));
  let cap = Math.min(widest, Math.max(MIN_CELL, available));
  const total = () => columns.map(widthAt(cap)).reduce((sum, width) => sum + width, gaps);
  while (cap > MIN_CELL && total() > available) cap--;
  return columns.map((column) => ({ ...column, width: widthAt(cap)(column) }));
}

function cellOf({ key, cells, width }: Column, index: number): string {
  return clip(cells[index] ?? "", width, PATHS.has(key) ? "end" : "start");
}

function line(
  columns: readonly Column[],
  cell: (column: Column) => Pick<Column, "isNumeric" | "width"> & { readonly text: string },
): string {
  return columns.map((column) => {
    const { text, width, isNumeric } = cell(column);
    const space = " ".repeat(Math.max(0, width - textWidth(text)));
    return isNumeric ? space + text : text + space;
  }).join(GAP).trimEnd();
}

function bounded(text: string, { columns }: Screen): string {
  return columns === null ? text : clip(text, columns);
}

/** A value on one line. */
export function cellText(value: unknown): string {
  const text = typeof value === "string" ? value : value === undefined ? "" : JSON.stringify(value);
  const measured = text.length > MAX_MEASURED ? `${text.slice(0, MAX_MEASURED)}…` : text;
  return plain(measured).replaceAll("\n", "⏎").replaceAll("\t", " ");
}
