/** What of a page is not what the page is about: navigation, advertisements, notices on cookies. */

import type { Document, Element } from "domhandler";
import { attribute, elementsBelow, isElement, textLengths } from "./dom.ts";

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
  const whole = textLength(body);
  const marked = [
    only(body, (one) => one.name === "main" || attribute(one, "role") === "main"),
    only(body, ({ name }) => name === "article"),
    only(body, (one) => attribute(one, "itemprop") === "articleBody"),
  ];
  const root = marked.find((one) => one !== null && textLength(one) > 0) ?? body;
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
      if (!GROUPS.has(name)) return false;
      const named = `${attribute(element, "class")} ${attribute(element, "id")}`;
      if (!NOISY.test(named)) return false;
      return textLength(element) <= whole * LARGEST_NOISE;
    },
  };
}

function isHidden(element: Element): boolean {
  return "hidden" in element.attribs || attribute(element, "aria-hidden") === "true" ||
    /display\s*:\s*none|visibility\s*:\s*hidden/i.test(attribute(element, "style"));
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

/** Null where several say so: a list of articles is what the page is about as a whole. */
function only(
  from: Document | Element,
  wanted: (element: Element) => boolean,
): Element | null {
  let found: Element | null = null;
  for (const one of elementsBelow(from, wanted)) {
    if (!wanted(one)) continue;
    if (found !== null) return null;
    found = one;
  }
  return found;
}
