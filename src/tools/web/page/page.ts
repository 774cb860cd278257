/** A page as what it says: its title, and its content as Markdown or text. Loaded with the first page. */

import { parseDocument } from "htmlparser2";
import type { Document, Element } from "domhandler";
import { blocksOf } from "./blocks.ts";
import { attribute, childElements, textOf } from "./dom.ts";
import { contentOf } from "./noise.ts";

/** What is read of a page. */
export interface Page {
  /** "" where it has none. */
  readonly title: string;
  readonly text: string;
}

/** `address`: where it came from, which its links are relative to. */
export function readPage(html: string, address: string, plain: boolean): Page {
  const document = parseDocument(html);
  const head = headOf(document);
  const { root, isNoise } = contentOf(document);
  const base = URL.canParse(head.base, address) ? new URL(head.base, address).href : address;
  const blocks = blocksOf([...root.children], { plain, base, isNoise });
  const text = blocks.join("\n\n").replace(/\n{3,}/g, "\n\n");
  return { title: head.title, text: text === "" ? "" : `${text}\n` };
}

function headOf(document: Document): { readonly title: string; readonly base: string } {
  let title: string | null = null;
  let base = "";
  const waiting: Element[] = childElements(document).toReversed();
  for (let one = waiting.pop(); one !== undefined; one = waiting.pop()) {
    if (one.name === "title") title ??= textOf(one).replace(/\s+/g, " ").trim();
    else if (one.name === "base" && base === "") base = attribute(one, "href");
    // Titles of drawings are none.
    else if (one.name !== "svg") waiting.push(...childElements(one).toReversed());
  }
  return { title: title ?? "", base };
}
