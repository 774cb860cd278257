/** Tables of a page as Markdown, and those that only lay it out as what is in them. */

import type { AnyNode, Element } from "domhandler";
import { attribute, elementsBelow, isElement } from "./dom.ts";
import { inlineOf, type Style } from "./inline.ts";

/** What no cell of Markdown can hold. */
const TOO_MUCH: ReadonlySet<string> = new Set(
  "pre table ul ol blockquote h1 h2 h3 h4 h5 h6 dl hr".split(" "),
);
/** A cell over more columns than that says something else than where it stands. */
const WIDEST = 50;

/** `blocks`: what makes blocks of the cells of a table that lays out. */
export function tableOf(
  table: Element,
  style: Style,
  blocks: (nodes: readonly AnyNode[]) => readonly string[],
): readonly string[] {
  const rows = rowsOf(table, style);
  const caption = table.children.find((child): child is Element =>
    isElement(child) && child.name === "caption"
  );
  const above = caption === undefined ? [] : [inlineOf(caption.children, style)];
  const cells = rows.map((row) => row.children.filter(isCell));
  const isLayout = attribute(table, "role") === "presentation" ||
    cells.every((row) => row.length < 2) || cells.flat().some(holdsMuch);
  if (isLayout) {
    return [
      ...above,
      ...cells.flatMap((row) =>
        row.filter((cell) => !isGutter(cell)).flatMap(({ children }) => blocks(children))
      ),
    ];
  }
  const texts = cells.map((row) =>
    row.flatMap((cell) => {
      const text = inlineOf(cell.children, style).replaceAll("\n", " ").replaceAll("|", "\\|");
      const width = Math.min(Number.parseInt(attribute(cell, "colspan"), 10) || 1, WIDEST);
      return [text, ...new Array<string>(Math.max(0, width - 1)).fill("")];
    })
  ).filter((row) => row.length > 0);
  if (style.plain) return [...above, texts.map((row) => row.join("\t")).join("\n")];
  const width = texts.reduce((most, row) => Math.max(most, row.length), 0);
  const [head = [], ...body] = texts;
  const line = (row: readonly string[]) =>
    `| ${Array.from({ length: width }, (_, at) => row[at] ?? "").join(" | ")} |`;
  const rule = `|${" --- |".repeat(width)}`;
  return [...above, [line(head), rule, ...body.map(line)].join("\n")];
}

function isCell(node: AnyNode): node is Element {
  return isElement(node) && (node.name === "td" || node.name === "th");
}

/** Of this table, not of those within. */
function rowsOf(table: Element, style: Style): readonly Element[] {
  return table.children.flatMap((child) => {
    if (!isElement(child) || style.isNoise(child)) return [];
    if (child.name === "tr") return [child];
    return /^t(?:head|body|foot)$/.test(child.name) ? rowsOf(child, style) : [];
  });
}

function holdsMuch(cell: Element): boolean {
  let paragraphs = 0;
  for (const { name } of elementsBelow(cell)) {
    if (TOO_MUCH.has(name) || (name === "p" && ++paragraphs > 1)) return true;
  }
  return false;
}

/** The numbers of lines beside a block of code. */
function isGutter(cell: Element): boolean {
  return /(?:^|\s)(?:linenos|gutter|blob-num|rouge-gutter)(?:\s|$)/.test(attribute(cell, "class"));
}
