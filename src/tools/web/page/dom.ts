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

/** Characters of text below each node that are no blanks, counted once for the whole tree. */
export function textLengths(root: Document): (node: AnyNode) => number {
  const lengths = new Map<AnyNode, number>();
  const waiting: { readonly node: AnyNode; readonly counted: boolean }[] = [
    { node: root, counted: false },
  ];
  for (let one = waiting.pop(); one !== undefined; one = waiting.pop()) {
    const { node, counted } = one;
    if (node.type === "text") lengths.set(node, node.data.replace(/\s+/g, "").length);
    else if (node.type !== "tag" && node.type !== "root") lengths.set(node, 0);
    else if (counted) {
      lengths.set(node, node.children.reduce((sum, child) => sum + (lengths.get(child) ?? 0), 0));
    } else {
      waiting.push({ node, counted: true });
      for (const child of node.children) waiting.push({ node: child, counted: false });
    }
  }
  return (node) => lengths.get(node) ?? 0;
}

function eachText(node: AnyNode, tell: (text: string) => void): void {
  const waiting: AnyNode[] = [node];
  for (let one = waiting.pop(); one !== undefined; one = waiting.pop()) {
    if (one.type === "text") tell(one.data);
    else if (one.type === "tag" || one.type === "root") {
      for (let at = one.children.length - 1; at >= 0; at--) waiting.push(one.children[at]!);
    }
  }
}
