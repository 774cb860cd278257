/** The blocks of a page as Markdown: headings, lists, tables, code, quotations. */

import type { AnyNode, Element } from "domhandler";
import { languageOf } from "./code_language.ts";
import { attribute, isElement, textOf } from "./dom.ts";
import { DEEPEST, inlineOf, longestRun, type Style } from "./inline.ts";
import { tableOf } from "./table.ts";

/** Elements that begin a block of their own. */
const BLOCKS: ReadonlySet<string> = new Set(
  ("address article blockquote body caption center dd details dir div dl dt fieldset figcaption figure footer " +
    "form h1 h2 h3 h4 h5 h6 header hgroup hr html legend li main menu ol p pre section summary table tbody td " +
    "tfoot th thead tr ul").split(" "),
);

/** The blocks below, each without an empty line in front or behind. */
export function blocksOf(nodes: readonly AnyNode[], style: Style, depth = 0): readonly string[] {
  const blocks: string[] = [];
  let running: AnyNode[] = [];
  const flush = () => {
    const text = inlineOf(running, style);
    running = [];
    if (text !== "") blocks.push(style.plain ? text : guarded(text));
  };
  for (const node of nodes) {
    if (isElement(node) && style.isNoise(node)) continue;
    if (!isElement(node) || !holdsBlocks(node, depth)) {
      running.push(node);
      continue;
    }
    flush();
    for (const block of blockOf(node, style, depth)) if (block !== "") blocks.push(block);
  }
  flush();
  return blocks;
}

/** A span or a link around blocks is one, too. */
function holdsBlocks(node: Element, depth: number): boolean {
  if (BLOCKS.has(node.name)) return true;
  if (depth > DEEPEST || !WRAPPERS.has(node.name)) {
    return !INLINE_NAMES.has(node.name) && node.name.includes("-");
  }
  return node.children.some((child) => isElement(child) && BLOCKS.has(child.name));
}

const WRAPPERS: ReadonlySet<string> = new Set(
  "a b del em font i ins label small span strong".split(" "),
);
const INLINE_NAMES: ReadonlySet<string> = new Set(["annotation-xml"]);

function blockOf(node: Element, style: Style, depth: number): readonly string[] {
  if (depth > DEEPEST) return [textOf(node).replace(/\s+/g, " ").trim()];
  const inner = () => blocksOf(node.children, style, depth + 1);
  switch (node.name) {
    case "h1":
    case "h2":
    case "h3":
    case "h4":
    case "h5":
    case "h6": {
      const text = inlineOf(node.children, style).replaceAll("\n", " ");
      if (text === "" || style.plain) return [text];
      style.heading?.(node, text);
      return [`${"#".repeat(Number(node.name[1]))} ${text}`];
    }
    case "pre":
      return [codeBlock(node, style)];
    case "hr":
      return [style.plain ? "" : "---"];
    case "blockquote":
      return [style.plain ? inner().join("\n\n") : prefixed(inner().join("\n\n"), "> ", "> ")];
    case "ul":
    case "ol":
    case "menu":
    case "dir":
      return [listOf(node, style, depth)];
    case "dt":
    case "summary": {
      const text = inlineOf(node.children, style);
      return [style.plain || text === "" || /^[*`]/.test(text) ? text : `**${text}**`];
    }
    case "dd":
      return [prefixed(inner().join("\n\n"), style.plain ? "  " : ": ", "  ")];
    case "table":
      return tableOf(node, style, (nodes) => blocksOf(nodes, style, depth + 1));
    default:
      return inner();
  }
}

function listOf(list: Element, style: Style, depth: number): string {
  let number = Number.parseInt(attribute(list, "start"), 10);
  if (!Number.isSafeInteger(number)) number = 1;
  const items: string[] = [];
  let loose = false;
  for (const child of list.children) {
    if (isElement(child) && style.isNoise(child)) continue;
    const isItem = isElement(child) && child.name === "li";
    if (!isItem && (child.type === "text" ? child.data.trim() === "" : !isElement(child))) continue;
    const nodes = isItem ? child.children : [child];
    const blocks = blocksOf(nodes, style, depth + 1);
    if (blocks.length === 0) continue;
    const mark = list.name === "ol" ? `${number++}. ` : "- ";
    // Lists right below their text stand close; paragraphs stand apart.
    const close = blocks.length < 2 ||
      (blocks.length === 2 && /^(?:- |\d+\. )/.test(blocks[1] ?? ""));
    loose ||= !close;
    const text = blocks.join(close ? "\n" : "\n\n");
    // A list in a list without an item of its own belongs to the item before it.
    if (!isItem && items.length > 0 && /^(?:- |\d+\. )/.test(text)) {
      items[items.length - 1] += `\n${prefixed(text, "  ", "  ")}`;
    } else {
      items.push(prefixed(text, mark, " ".repeat(mark.length)));
    }
  }
  return items.join(loose ? "\n\n" : "\n");
}

function codeBlock(pre: Element, style: Style): string {
  const text = codeText(pre).replace(/\r\n?/g, "\n").replace(/^\n|\s+$/g, "");
  if (text === "" || style.plain) return text;
  const fence = "`".repeat(Math.max(3, longestRun(text) + 1));
  return `${fence}${languageOf(pre)}\n${text}\n${fence}`;
}

/** As written, `br` as a line; numbers of lines that highlighters set beside it are left out. */
function codeText(node: AnyNode, depth = 0): string {
  if (node.type === "text") return node.data;
  if (!isElement(node) || node.name === "button" || node.name === "script") return "";
  if (node.name === "br") return "\n";
  if (
    /(?:^|\s)(?:lineno|linenos|line-numbers?-rows|gutter)(?:\s|$)/.test(attribute(node, "class"))
  ) {
    return "";
  }
  if (depth > DEEPEST) return textOf(node);
  return node.children.map((child) => codeText(child, depth + 1)).join("");
}

function prefixed(text: string, first: string, rest: string): string {
  if (text === "") return "";
  return text.split("\n").map((line, index) =>
    (index === 0 ? first : line === "" ? rest.trimEnd() : rest) + line
  )
    .join("\n");
}

/** A line that begins like a heading, a list or a quotation and is none. */
function guarded(text: string): string {
  return text.replace(/^(?=#{1,6} |[-+>] |={3,}$|-{3,}$)/gm, "\\").replace(
    /^(\d{1,9})([.)]) /gm,
    "$1\\$2 ",
  );
}
