/** What of a page is not what the page is about: navigation, advertisements, notices on cookies. */

import type { Document, Element } from "domhandler";
import { attribute, elementsBelow, hasText, isElement, textLengths } from "./dom.ts";

/** Elements that hold nothing to read. */
const SILENT: ReadonlySet<string> = new Set(
  ("script style noscript template svg math iframe object embed canvas audio video map " +
    "button input select option textarea dialog nav aside meta link head title").split(" "),
);

/** Roles of what surrounds the content (WAI-ARIA 1.2, landmarks), and of what lies above it. */
const AROUND: ReadonlySet<string> = new Set(
  "navigation banner contentinfo complementary search dialog alertdialog menu menubar toolbar"
    .split(" "),
);

/** Words in classes and ids of what pages surround their content with. */
const NOISY = new RegExp(
  "(?:^|[-_ ])(?:cookies?|consent|gdpr|advert(?:isement|ising)?s?|ads?|adsbygoogle|sponsor(?:ed|s)?|" +
    "promo(?:tion)?s?|newsletter|subscribe|breadcrumbs?|sidebar|sphinxsidebar|toc|menu|navbar|navheader|navfooter|nav|" +
    "navigation|pagination|pager|social|share|sharing|related|recommended|popup|modal|overlay|" +
    "skip(?:-?link)?|copyright|toolbar|site-?(?:header|footer)|page-?(?:header|footer)|" +
    "edit-?(?:this-?)?page|feedback|paywall)(?:$|[-_ ])",
  "i",
);

/** What is dropped by the words of its class only where it is one of these. */
const GROUPS: ReadonlySet<string> = new Set(
  "div section ul ol p span header footer form table details".split(" "),
);

/** A part with more than this share of the page's text is no surrounding, whatever it is called. */
const LARGEST_NOISE = 0.4;

/** The element that the page is about: what it marks as such, else its body; and what in it is noise. */
export interface Content {
  readonly root: Document | Element;
  isNoise(element: Element): boolean;
}

/** Chooses by the page's own marks. */
export function contentOf(document: Document): Content {
  const textLength = textLengths(document);
  const body = first(document, ({ name }) => name === "body") ?? document;
  const root = outermost(body, MARKS).find((one) => one !== null && hasText(one)) ?? body;
  const inside = root === body;
  return {
    root,
    isNoise(element) {
      const { name } = element;
      if (SILENT.has(name) || isHidden(element)) return true;
      if (AROUND.has(attribute(element, "role").toLowerCase())) return true;
      if (inside && (name === "header" || name === "footer") && !isWithinArticle(element)) {
        return true;
      }
      if (!GROUPS.has(name) || !isNoisy(element)) return false;
      return textLength(element) <= textLength(body) * LARGEST_NOISE;
    },
  };
}

function isHidden(element: Element): boolean {
  if ("hidden" in element.attribs || attribute(element, "aria-hidden") === "true") return true;
  const style = attribute(element, "style");
  return style !== "" && /display\s*:\s*none|visibility\s*:\s*hidden/i.test(style);
}

function isWithinArticle({ parent }: Element): boolean {
  for (let at = parent; at !== null; at = at.parent) {
    if (isElement(at) && (at.name === "article" || at.name === "main")) return true;
  }
  return false;
}

function first(
  from: Document | Element,
  wanted: (element: Element) => boolean,
): Element | null {
  for (const one of elementsBelow(from)) {
    if (wanted(one)) return one;
  }
  return null;
}

/** How pages mark what they are about, the surest first. */
const MARKS: readonly ((element: Element) => boolean)[] = [
  (one) => one.name === "main" || attribute(one, "role") === "main",
  ({ name }) => name === "article",
  (one) => attribute(one, "itemprop") === "articleBody",
];

/**
 * For each mark the one element that has it and lies in no other with it. Null where there is none, and where several
 * say so: a list of articles is what the page is about as a whole.
 */
function outermost(
  from: Document | Element,
  marks: readonly ((element: Element) => boolean)[],
): readonly (Element | null)[] {
  const found = marks.map((): Element[] => []);
  const waiting: (Document | Element)[] = [from];
  // Beside each the marks, as bits, that something above it has.
  const above = [0];
  for (let one = waiting.pop(); one !== undefined; one = waiting.pop()) {
    let having = above.pop() ?? 0;
    if (one !== from && isElement(one)) {
      for (const [at, isMarked] of marks.entries()) {
        if ((having & (1 << at)) !== 0 || !isMarked(one)) continue;
        having |= 1 << at;
        found[at]?.push(one);
      }
    }
    for (const child of one.children) {
      if (!isElement(child)) continue;
      waiting.push(child);
      above.push(having);
    }
  }
  return found.map(([only, ...others]) => others.length > 0 ? null : only ?? null);
}

function isNoisy(element: Element): boolean {
  const [names, id] = [attribute(element, "class"), attribute(element, "id")];
  return (names !== "" || id !== "") && NOISY.test(`${names} ${id}`);
}
