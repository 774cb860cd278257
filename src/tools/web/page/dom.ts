/** Small questions about a parsed page. */

import type { AnyNode, Document, Element, ParentNode } from "domhandler";

/** Whether it is an element: scripts and styles are, too. */
export function isElement(node: AnyNode | ParentNode): node is Element {
  return node.type === "tag" || node.type === "script" || node.type === "style";
}

/** The element children. */
export function childElements(of: Document | Element): Element[] {
  return of.children.filter(isElement);
}

/**
 * Every element below, in the order of the page; not what is in those that are `closed`. Children are never arguments of
 * one call: a page may have more of them than a call takes.
 */
export function* elementsBelow(
  root: Document | Element,
  closed: (element: Element) => boolean = () => false,
): Generator<Element, void> {
  const waiting: AnyNode[] = [];
  const wait = ({ children }: ParentNode) => {
    for (let at = children.length - 1; at >= 0; at--) waiting.push(children[at]!);
  };
  wait(root);
  for (let one = waiting.pop(); one !== undefined; one = waiting.pop()) {
    if (!isElement(one)) continue;
    yield one;
    if (!closed(one)) wait(one);
  }
}

/** An attribute as written, "" where there is none. */
export function attribute({ attribs }: Element, name: string): string {
  return Object.hasOwn(attribs, name) ? attribs[name] ?? "" : "";
}

/** All text below, scripts and styles left out, as written. */
export function textOf(node: AnyNode): string {
  const parts: string[] = [];
  eachText(node, (text) => parts.push(text));
  return parts.join("");
}

/** Whether there is any text below that is no blank. */
export function hasText(root: Document | Element): boolean {
  const waiting: AnyNode[] = [root];
  for (let one = waiting.pop(); one !== undefined; one = waiting.pop()) {
    if (one.type === "text") {
      if (/\S/.test(one.data)) return true;
    } else if (one.type === "tag" || one.type === "root") {
      for (const child of one.children) waiting.push(child);
    }
  }
  return false;
}

/**
 * Characters of text below elements that are no blanks: counted once for the whole tree, when the first is asked for.
 * Most pages ask for none.
 */
export function textLengths(root: Document): (element: Document | Element) => number {
  let lengths: ReadonlyMap<AnyNode, number> | null = null;
  return (element) => (lengths ??= countedBelow(root)).get(element) ?? 0;
}

/** Of elements alone: a page has more texts than these. */
function countedBelow(root: Document): ReadonlyMap<AnyNode, number> {
  const lengths = new Map<AnyNode, number>();
  const inOrder: (Document | Element)[] = [root];
  // Whoever stands above others comes before them.
  for (let at = 0; at < inOrder.length; at++) {
    for (const child of inOrder[at]!.children) if (child.type === "tag") inOrder.push(child);
  }
  for (let at = inOrder.length - 1; at >= 0; at--) {
    const element = inOrder[at]!;
    let length = 0;
    for (const child of element.children) {
      if (child.type === "tag") length += lengths.get(child) ?? 0;
      else if (child.type === "text") length += shown(child.data);
    }
    lengths.set(element, length);
  }
  return lengths;
}

/** Characters that are no blanks. */
function shown(text: string): number {
  let count = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code > ASCII ? /\S/.test(text[at] ?? "") : code !== SPACE && (code < TAB || code > CR)) {
      count++;
    }
  }
  return count;
}

/** What `\s` means, of ASCII: a blank, and from the tabulator to the carriage return. */
const [TAB, CR, SPACE, ASCII] = [0x09, 0x0d, 0x20, 0x7f];

function eachText(node: AnyNode, tell: (text: string) => void): void {
  const waiting: AnyNode[] = [node];
  for (let one = waiting.pop(); one !== undefined; one = waiting.pop()) {
    if (one.type === "text") tell(one.data);
    else if (one.type === "tag" || one.type === "root") {
      for (let at = one.children.length - 1; at >= 0; at--) waiting.push(one.children[at]!);
    }
  }
}
