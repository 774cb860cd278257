/** Running text of a page as Markdown. */

import type { AnyNode, Element } from "domhandler";
import { attribute, isElement, textOf } from "./dom.ts";

/** How a page is written down. */
export interface Style {
  /** Text alone, without Markdown's marks. */
  readonly plain: boolean;
  /** What relative addresses start from. */
  readonly base: string;
  isNoise(element: Element): boolean;
  /** Told of each heading, in the order of the page, with its line of Markdown without the mark. */
  heading?(element: Element, line: string): void;
}

/** Deeper than any page that people wrote; below, only the text counts. */
export const DEEPEST = 200;

/** Links beside headings that lead to themselves. */
const PERMALINK =
  /(?:^|\s)(?:headerlink|anchor|anchorjs-link|hash-link|heading-anchor|permalink)(?:\s|$)/i;
const PERMALINK_TEXT = /^(?:[#¶§]|🔗|)$/u;

/** One line of Markdown, with `\n` only for breaks that the page makes. */
export function inlineOf(nodes: readonly AnyNode[], style: Style, depth = 0): string {
  const text = nodes.map((node) => pieceOf(node, style, depth)).join("");
  return depth > 0 ? text : tidy(text);
}

/** Blanks become one, and none stand at the ends of lines. */
function tidy(text: string): string {
  return text.replace(/[ \t\r\f\v]+/g, " ").replace(/ ?\n ?/g, "\n").trim();
}

function pieceOf(node: AnyNode, style: Style, depth: number): string {
  if (node.type === "text") {
    const text = node.data.replace(/\s+/g, " ");
    return style.plain ? text : escaped(text);
  }
  if (!isElement(node) || style.isNoise(node)) return "";
  if (depth > DEEPEST) return textOf(node).replace(/\s+/g, " ");
  const inner = () => inlineOf(node.children, style, depth + 1);
  switch (node.name) {
    case "br":
      return "\n";
    case "wbr":
      return "";
    case "img":
      return imageOf(node, style);
    case "a":
      return linkOf(node, inner(), style);
    case "code":
    case "kbd":
    case "samp":
    case "tt":
      return codeOf(textOf(node), style);
    case "strong":
    case "b":
      return around("**", inner(), style);
    case "em":
    case "i":
    case "cite":
    case "dfn":
    case "var":
      return around("*", inner(), style);
    case "del":
    case "s":
      return around("~~", inner(), style);
    case "q":
      return `"${inner()}"`;
    case "sup":
      return /^[ \n]*$/.test(inner()) ? "" : `^${inner().trim()}`;
    case "rp":
    case "rt":
      return "";
    default:
      // A block within running text is set off by blanks.
      return INLINE.has(node.name) ? inner() : ` ${inner()} `;
  }
}

const INLINE: ReadonlySet<string> = new Set(
  "span abbr acronym bdi bdo big data font ins label mark ruby small sub time u".split(" "),
);

/** Letters that would be taken for marks. */
function escaped(text: string): string {
  // Few texts have any, and looking for their neighbours takes ten times as long.
  if (!/[\\`*[\]_<]/.test(text)) return text;
  return text.replace(/[\\`*[\]]|(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])|<(?=[A-Za-z/!?])/gu, "\\$&");
}

function around(mark: string, inner: string, { plain }: Style): string {
  const found = /^(\s*)([\s\S]*?)(\s*)$/.exec(inner);
  const text = found?.[2] ?? "";
  if (plain || text === "" || text.startsWith(mark) || text.includes("\n")) return inner;
  return `${found?.[1] ?? ""}${mark}${text}${mark}${found?.[3] ?? ""}`;
}

/** The fence is longer than any run of backquotes in it (CommonMark, 6.1). */
function codeOf(text: string, { plain }: Style): string {
  const line = text.replace(/\s+/g, " ").trim();
  if (plain || line === "") return line;
  const fence = "`".repeat(longestRun(line) + 1);
  const edge = line.startsWith("`") || line.endsWith("`") ? " " : "";
  return fence + edge + line + edge + fence;
}

/** The longest run of backquotes. */
export function longestRun(text: string): number {
  return (text.match(/`+/g) ?? []).reduce((most, run) => Math.max(most, run.length), 0);
}

function linkOf(node: Element, inner: string, style: Style): string {
  const text = inner.trim();
  const to = addressOf(attribute(node, "href"), style);
  const isMark = PERMALINK.test(attribute(node, "class")) ||
    attribute(node, "href").startsWith("#");
  if (isMark && PERMALINK_TEXT.test(text.replaceAll("\\", ""))) return "";
  if (style.plain || to === null || text === "") return inner;
  const before = /^\s/.test(inner) ? " " : "";
  const after = /\s$/.test(inner) ? " " : "";
  return `${before}[${text.replaceAll("\n", " ")}](${to})${after}`;
}

function imageOf(node: Element, style: Style): string {
  const alt = attribute(node, "alt").replace(/\s+/g, " ").trim();
  if (style.plain) return alt;
  const source = attribute(node, "src") || attribute(node, "data-src");
  const to = addressOf(source, style);
  if (to === null) return alt === "" ? "" : escaped(alt);
  // A picture that says nothing and a point that counts who looks are alike.
  return alt === "" ? "" : `![${escaped(alt)}](${to})`;
}

/** Absolute, with what would end it escaped; null for what is no address of the web (`javascript:`, `data:`). */
function addressOf(written: string, { base }: Style): string | null {
  const text = written.trim();
  const url = text === "" ? null : URL.parse(text, base);
  if (url === null || !/^(?:https?|mailto|ftp):$/.test(url.protocol)) return null;
  return url.href.replace(
    /[()\\<>\s]/g,
    (letter) => `%${letter.charCodeAt(0).toString(16).toUpperCase().padStart(2, "0")}`,
  );
}
