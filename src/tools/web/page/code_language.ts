/** The language that a page gives a block of code. */

import type { Element } from "domhandler";
import { attribute, isElement } from "./dom.ts";

/** Classes as highlighters write them: Prism, highlight.js, GitHub, Sphinx, Rouge, SyntaxHighlighter, rustdoc. */
const CLASSES = [
  /(?:^|\s)lang(?:uage)?-([\w+#.-]+)/i,
  /(?:^|\s)highlight-source-([\w+#-]+)/i,
  /(?:^|\s)highlight-([\w+#-]+)/i,
  /(?:^|\s)(?:sourceCode|brush:|hljs)\s+([\w+#-]+)/i,
  /(?:^|\s)(rust)\s+(?:item-decl|rust-example-rendered)(?:\s|$)/,
];
/** Words that stand there and are no languages. */
const NO_LANGUAGE: ReadonlySet<string> = new Set(
  "default none plain text plaintext code highlight source wrapper notranslate nohighlight".split(
    " ",
  ),
);
/** How far out the name may stand. */
const LEVELS = 4;

/** "" where the page does not say. */
export function languageOf(pre: Element): string {
  const code = pre.children.find((child): child is Element =>
    isElement(child) && child.name === "code"
  );
  const around: Element[] = code === undefined ? [] : [code];
  for (let at: Element | null = pre, level = 0; at !== null && level < LEVELS; level++) {
    around.push(at);
    at = at.parent !== null && isElement(at.parent) ? at.parent : null;
  }
  for (const [index, element] of around.entries()) {
    // Further out only what is made for one block.
    if (index > 2 && element.children.filter(isElement).length > 2) break;
    for (const name of ["data-lang", "data-language", "lang"]) {
      if (name === "lang" && element.name !== "code" && element.name !== "pre") continue;
      const said = known(attribute(element, name));
      if (said !== "") return said;
    }
    for (const pattern of CLASSES) {
      const said = known(pattern.exec(attribute(element, "class"))?.[1] ?? "");
      if (said !== "") return said;
    }
  }
  return "";
}

function known(word: string): string {
  const name = word.toLowerCase();
  return /^[\w+#.-]{1,30}$/.test(name) && !NO_LANGUAGE.has(name) ? name : "";
}
