/** What generators of references write for each symbol: one reader a generator, asked of each element in turn. */

import type { AnyNode, Document, Element } from "domhandler";
import { attribute, elementsBelow, isElement } from "../page/dom.ts";
import { absolute, type DocumentedSymbol, summaryOf } from "./documentation.ts";

/** What a reader found: where it leads to is an anchor of the page, or a page of its own. */
interface PageSymbol {
  readonly name: string;
  readonly kind: string;
  readonly signature?: string;
  readonly summary?: string;
  readonly anchor?: string;
  readonly page?: string;
}

type Reader = (element: Element) => PageSymbol | null;

/** All symbols below, in the order of the page, each address once. */
export function symbolsOf(
  root: Document | Element,
  address: string,
  base: string,
): readonly DocumentedSymbol[] {
  const symbols = new Map<string, DocumentedSymbol>();
  for (const element of elementsBelow(root)) {
    for (const read of READERS) {
      const found = read(element);
      if (found === null) continue;
      const { anchor, page, ...symbol } = found;
      const url = page === undefined
        ? absolute(`#${encodeURI(anchor ?? "")}`, address)
        : absolute(page, base);
      const key = `${url} ${symbol.name}`;
      if (!symbols.has(key)) symbols.set(key, { ...symbol, url });
      break;
    }
  }
  return [...symbols.values()];
}

const DOMAINS: ReadonlySet<string> = new Set("py js c cpp rst std php rb".split(" "));

/** Sphinx: `<dl class="py function"><dt id="json.dumps">…</dt><dd><p>…`; before version 4 without the domain. */
const sphinx: Reader = (element) => {
  const anchor = attribute(element, "id");
  const { parent } = element;
  if (element.name !== "dt" || anchor === "" || parent?.type !== "tag" || parent.name !== "dl") {
    return null;
  }
  const [first = "", second = ""] = classesOf(parent);
  const hasDomain = DOMAINS.has(first);
  if (first === "" || (!hasDomain && !classesOf(element).includes("sig") && second !== "")) {
    return null;
  }
  const written = lineOf(
    element,
    (one) => hasClass(one, "headerlink", "viewcode-link", "reference"),
  );
  const isPath = /^[\w.$-]+$/.test(anchor) && (!hasDomain || first === "py" || first === "js");
  const parts = ["sig-prename", "descclassname", "sig-name", "descname"].flatMap((name) =>
    below(element, (one) => hasClass(one, name)).slice(0, 1)
  );
  const name = isPath ? anchor : [...new Set(parts)].map((part) => lineOf(part)).join("");
  if (name === "") return null;
  return {
    name,
    kind: hasDomain ? second : first,
    signature: written,
    ...paragraphOf(following(element, "dd")),
    anchor,
  };
};

/** What the declaration of an item says before its name. */
const DECLARED =
  /\b(fn|struct|enum|trait|union|type|const|static|macro(?:_rules!)?)\s+(?!fn\b|unsafe\b|extern\b)(?:mut\s+)?(\w+)/;

/**
 * rustdoc: `<section id="method.push"><h4 class="code-header">pub fn …`, `<a class="struct" title="struct a::B">`, and on
 * the page of an item `<pre class="rust item-decl">` before what is said of it.
 */
const rustdoc: Reader = (element) => {
  if (element.name === "pre" && hasClass(element, "item-decl")) {
    const signature = lineOf(element);
    const [, kind, name] = DECLARED.exec(signature.replace(/#!?\[[^\]]*\]/g, "")) ?? [];
    if (kind === undefined || name === undefined) return null;
    return {
      name,
      kind: kind.startsWith("macro") ? "macro" : kind,
      signature,
      ...paragraphOf(following(element, "details")),
      anchor: "main-content",
    };
  }
  const [, kind, name] =
    /^(method|tymethod|fn|structfield|variant|associatedconstant|associatedtype)\.(\w+)/
      .exec(attribute(element, "id")) ?? [];
  if (kind !== undefined && name !== undefined) {
    const header = below(element, (one) => hasClass(one, "code-header"))[0] ?? element;
    return { name, kind, signature: lineOf(header), anchor: attribute(element, "id") };
  }
  if (element.name !== "a") return null;
  const [, item, path] =
    /^(struct|enum|fn|trait|macro|mod|constant|type|union|static|attr|derive) (\S+)$/
      .exec(attribute(element, "title")) ?? [];
  if (item === undefined || path === undefined || !classesOf(element).includes(item)) return null;
  const { parent } = element;
  const beside = parent?.type === "tag" && parent.name === "dt" ? following(parent, "dd") : null;
  return { name: path, kind: item, ...paragraphOf(beside), page: attribute(element, "href") };
};

const GO_KINDS: Readonly<Record<string, string>> = {
  "Documentation-functionHeader": "function",
  "Documentation-typeHeader": "type",
  "Documentation-typeFuncHeader": "function",
  "Documentation-typeMethodHeader": "method",
};

/** pkg.go.dev: `<h4 id="Client.Do" class="Documentation-typeMethodHeader">`, its declaration right behind it. */
const go: Reader = (element) => {
  const anchor = attribute(element, "id");
  const kind = classesOf(element).map((name) => GO_KINDS[name]).find((one) => one !== undefined);
  if (kind === undefined || anchor === "") return null;
  const declaration = following(element, "div");
  const behind = declaration === null ? null : following(declaration, "p");
  return {
    name: anchor,
    kind,
    ...(declaration === null ? {} : { signature: lineOf(declaration) }),
    ...(behind === null ? {} : summaryOf(lineOf(behind))),
    anchor,
  };
};

/** TypeDoc: `<section class="tsd-member"><a id="send" class="tsd-anchor"></a>…<div class="tsd-signature">`. */
const typedoc: Reader = (element) => {
  if (!hasClass(element, "tsd-member")) return null;
  const mark = below(element, (one) => attribute(one, "id") !== "")[0];
  const anchor = attribute(element, "id") || (mark === undefined ? "" : attribute(mark, "id"));
  const written = below(element, (one) => hasClass(one, "tsd-signature"))[0];
  const comment = below(element, (one) => hasClass(one, "tsd-comment"))[0] ?? null;
  if (anchor === "") return null;
  return {
    name: anchor.replace(/-\d+$/, ""),
    kind: "member",
    ...(written === undefined ? {} : { signature: lineOf(written, isButton) }),
    ...paragraphOf(comment),
    anchor,
  };
};

/** Javadoc (17 and later): `<section class="detail" id="add(E)"><h3>add</h3><div class="member-signature">`. */
const javadoc: Reader = (element) => {
  const anchor = attribute(element, "id");
  if (element.name !== "section" || !hasClass(element, "detail") || anchor === "") return null;
  const written = below(element, (one) => hasClass(one, "member-signature"))[0];
  const block = below(element, (one) => hasClass(one, "block"))[0];
  return {
    name: anchor.replace(/\(.*$/s, "").replace(/^<init>$|^%3Cinit%3E$/, "constructor"),
    kind: anchor.includes("(") ? "method" : "field",
    ...(written === undefined ? {} : { signature: lineOf(written) }),
    ...(block === undefined ? {} : summaryOf(lineOf(block))),
    anchor,
  };
};

const READERS: readonly Reader[] = [sphinx, rustdoc, go, typedoc, javadoc];

/** What is searched below one symbol: more elements than any has before its signature and its first paragraph. */
const MOST_BELOW = 200;

/** The elements below that are meant, in their order, not below each other; of the first so many. */
function below(from: Element, meant: (element: Element) => boolean): readonly Element[] {
  const found: Element[] = [];
  let seen = 0;
  for (const one of elementsBelow(from, meant)) {
    if (meant(one)) found.push(one);
    if (++seen === MOST_BELOW) break;
  }
  return found;
}

/** The next element, where it is of that name. */
function following(element: Element, name: string): Element | null {
  for (let at = element.next; at !== null; at = at.next) {
    if (at.type === "tag") return at.name === name ? at : null;
  }
  return null;
}

function paragraphOf(element: Element | null): { readonly summary?: string } {
  if (element === null) return {};
  const paragraph =
    below(element, ({ name }) => name === "p" || name === "dl" || name === "pre")[0];
  if (paragraph?.name === "p") return summaryOf(lineOf(paragraph));
  return paragraph === undefined ? summaryOf(lineOf(element)) : {};
}

const isButton = ({ name }: Element) => name === "button" || name === "a";

/** What is read of a signature or a paragraph, in characters. */
const LONGEST_LINE = 2000;
/** Pieces of text and elements that it may be made of. */
const MOST_NODES = 2000;

/** The text below as one line, children that are left out aside. Bounded: references lie in each other. */
function lineOf(element: Element, without: (child: Element) => boolean = () => false): string {
  const parts: string[] = [];
  let length = 0;
  const waiting: AnyNode[] = element.children.filter((child) =>
    !(isElement(child) && without(child))
  )
    .toReversed();
  let seen = 0;
  for (let one = waiting.pop(); one !== undefined; one = waiting.pop()) {
    if (length >= LONGEST_LINE || ++seen > MOST_NODES) break;
    if (one.type === "text") {
      parts.push(one.data);
      length += one.data.length;
    } else if (one.type === "tag") {
      for (let at = one.children.length - 1; at >= 0; at--) waiting.push(one.children[at]!);
    }
  }
  const line = parts.join("").replace(/\s+/g, " ").trim();
  return line.slice(0, LONGEST_LINE).toWellFormed();
}

function classesOf(element: Element): readonly string[] {
  return attribute(element, "class").split(/\s+/).filter((name) => name !== "");
}

function hasClass(element: Element, ...names: readonly string[]): boolean {
  return classesOf(element).some((name) => names.includes(name));
}
