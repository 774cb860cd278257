/** A page as what it says: its title, and its content as Markdown or text. Loaded with the first page. */

import type { Document } from "domhandler";
import { blocksOf } from "./blocks.ts";
import { attribute, elementsBelow, textOf } from "./dom.ts";
import { contentOf } from "./noise.ts";
import { parsePage } from "./parse.ts";

/** What is read of a page. */
export interface Page {
  /** "" where it has none. */
  readonly title: string;
  readonly text: string;
}

/** `address`: where it came from, which its links are relative to. */
export function readPage(html: string, address: string, plain: boolean): Page {
  const document = parsePage(html);
  const head = headOf(document);
  const { root, isNoise } = contentOf(document);
  const base = URL.canParse(head.base, address) ? new URL(head.base, address).href : address;
  const blocks = blocksOf([...root.children], { plain, base, isNoise });
  const text = blocks.join("\n\n").replace(/\n{3,}/g, "\n\n");
  return { title: head.title, text: text === "" ? "" : `${text}\n` };
}

/** What a page says of itself. */
export function headOf(document: Document): { readonly title: string; readonly base: string } {
  let title: string | null = null;
  let base = "";
  // Titles of drawings are none.
  for (const one of elementsBelow(document, ({ name }) => name === "svg")) {
    if (one.name === "title") title ??= textOf(one).replace(/\s+/g, " ").trim();
    else if (one.name === "base" && base === "") base = attribute(one, "href");
  }
  return { title: title ?? "", base };
}
