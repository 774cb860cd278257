/** A page of documentation as sections and symbols. Loaded with the first page. */

import type { Document, Element } from "domhandler";
import { blocksOf } from "../page/blocks.ts";
import { attribute, childElements, elementsBelow, isElement, textOf } from "../page/dom.ts";
import { contentOf } from "../page/noise.ts";
import { headOf } from "../page/page.ts";
import { parsePage } from "../page/parse.ts";
import type { Documentation } from "./documentation.ts";
import { headingSymbols, plain, sectionsOf } from "./markdown.ts";
import { symbolsOf } from "./page_symbols.ts";

/** Headings in a row that are none in Markdown. */
const MOST_PASSED = 50;

/** `address`: where it came from, which its links are relative to. */
export function readHtml(html: string, address: string): Documentation {
  const document = parsePage(html);
  const head = headOf(document);
  const { root, isNoise } = contentOf(document);
  const base = URL.canParse(head.base, address) ? new URL(head.base, address).href : address;
  const headings: { readonly text: string; readonly id: string }[] = [];
  const blocks = blocksOf([...root.children], {
    plain: false,
    base,
    isNoise,
    heading: (element, line) => headings.push({ text: plain(line), id: idOf(element) }),
  });
  let next = 0;
  const sections = sectionsOf(blocks.join("\n\n"), (heading) => {
    // Headings in tables and quotations are none in Markdown: they are passed over.
    const ahead = headings.slice(next, next + MOST_PASSED);
    const at = ahead.findIndex(({ text }) => text === heading);
    if (at === -1) return "";
    next += at + 1;
    return ahead[at]?.id ?? "";
  });
  const own = symbolsOf(root, address, base);
  const known = new Set(own.map(({ url }) => url));
  const named = headingSymbols(sections, address).filter(({ url }) => !known.has(url));
  return {
    title: head.title || (sections.find(({ level }) => level === 1)?.heading ?? ""),
    version: versionOf(document, head.title),
    sections,
    symbols: [...own, ...named],
  };
}

/** The heading's own, that of a mark in or right before it, or that of the section that it opens. */
function idOf(heading: Element): string {
  const own = attribute(heading, "id");
  if (own !== "") return own;
  for (const child of childElements(heading)) {
    const mark = attribute(child, "id") || (child.name === "a" ? attribute(child, "name") : "");
    if (mark !== "") return mark;
  }
  const before = elementBefore(heading);
  if (before?.name === "a" && textOf(before).trim() === "") {
    const mark = attribute(before, "id") || attribute(before, "name");
    if (mark !== "") return mark;
  }
  const { parent } = heading;
  if (parent?.type !== "tag" || !/^(?:section|div|article)$/.test(parent.name)) return "";
  for (let at = before; at !== null; at = elementBefore(at)) {
    if (textOf(at).trim() !== "") return "";
  }
  return attribute(parent, "id");
}

function elementBefore({ prev }: Element): Element | null {
  for (let at = prev; at !== null; at = at.prev) {
    if (isElement(at)) return at;
  }
  return null;
}

/** As the page marks it (DocSearch, and others after it), or as Sphinx writes it into titles. */
function versionOf(document: Document, title: string): string {
  for (const one of elementsBelow(document, ({ name }) => name === "body")) {
    if (one.name === "meta" && /^(?:docsearch:)?version$/.test(attribute(one, "name"))) {
      const said = attribute(one, "content").split(",")[0]?.trim() ?? "";
      if (said !== "") return said;
    }
  }
  return /\bv?(\d+(?:\.\d+)+[\w.+-]{0,30}) documentation$/.exec(title)?.[1] ?? "";
}
