/** Markdown as sections: headings with their anchors, text, and code with its language (CommonMark 0.31). */

import {
  absolute,
  type Code,
  type Documentation,
  type DocumentedSymbol,
  type Section,
  summaryOf,
} from "./documentation.ts";
import { symbolOfHeading } from "./heading_symbol.ts";

/** The anchor of a heading, by its text without marks and the one that it gives itself ("" for none). */
export type AnchorOf = (heading: string, own: string) => string;

/** Reads Markdown from `address`. */
export function readMarkdown(text: string, address: string): Documentation {
  const { front, body } = frontMatter(text);
  const sections = sectionsOf(body, slugs());
  return {
    title: sections.find(({ level }) => level === 1)?.heading ?? front.title ?? "",
    version: front.version ?? "",
    sections,
    symbols: headingSymbols(sections, address),
  };
}

/** `llms.txt`: Markdown whose lists say which pages there are (llmstxt.org). */
export function readIndex(text: string, address: string): Documentation {
  const found = readMarkdown(text, address);
  const pages = found.sections.flatMap(({ text }) =>
    text.split("\n").flatMap((line): DocumentedSymbol[] => {
      const [, name, to, notes = ""] = LISTED.exec(line) ?? [];
      if (name === undefined || to === undefined) return [];
      const url = absolute(to, address);
      return [{
        name: plain(name),
        kind: "page",
        ...summaryOf(plain(notes.slice(0, LONGEST_HEADING))),
        url,
      }];
    })
  );
  return { ...found, symbols: pages };
}

/** `- [name](url): notes`; bounded, so that no line takes long. */
const LISTED =
  /^\s{0,20}[-*+]\s{1,4}\[([^\]\n]{1,500})\]\(<?([^)\s>]{1,4000})>?\)[\s:–—-]{0,9}(.*)$/;

/** Headings that are the name of something. */
export function headingSymbols(
  sections: readonly Section[],
  address: string,
): readonly DocumentedSymbol[] {
  return sections.flatMap(({ heading, level, anchor, text }) => {
    const symbol = level === 0 ? null : symbolOfHeading(heading);
    if (symbol === null) return [];
    const url = anchor === "" ? address : absolute(`#${encodeURI(anchor)}`, address);
    return [{ ...symbol, ...summaryOf(text), url }];
  });
}

/** Cuts at headings. Fences may be indented as deep as lists lead; a heading stands at most three blanks in. */
export function sectionsOf(markdown: string, anchorOf: AnchorOf): readonly Section[] {
  const sections: Section[] = [];
  let open = { heading: "", level: 0, anchor: "" };
  let text: string[] = [];
  let code: Code[] = [];
  const close = () => {
    const whole = text.join("\n").replace(/\n{3,}/g, "\n\n").replace(/^\n+/, "").trimEnd();
    if (open.level > 0 || whole !== "" || code.length > 0) {
      sections.push({ ...open, text: whole, code });
    }
    text = [];
    code = [];
  };
  const begin = (level: number, line: string) => {
    close();
    const written = line.trim().slice(0, LONGEST_HEADING);
    const own = /\s*\{#([\w:.-]{1,200})\}\s*$/.exec(written);
    const heading = plain(own === null ? written : written.slice(0, own.index));
    open = { heading, level, anchor: anchorOf(heading, own?.[1] ?? "") };
  };
  const lines = markdown.split(/\r\n?|\n/);
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at] ?? "";
    const fence = FENCE.exec(line);
    if (fence !== null) {
      const end = endOfFence(lines, at, fence[2] ?? "");
      const indent = new RegExp(`^ {0,${fence[1]?.length ?? 0}}`);
      const inside = lines.slice(at + 1, end).map((one) => one.replace(indent, ""));
      code.push({ language: languageOf(fence[3] ?? ""), text: inside.join("\n") });
      at = end;
      continue;
    }
    const heading = HEADING.exec(line);
    if (heading !== null) {
      begin(heading[1]?.length ?? 1, heading[2] ?? "");
      continue;
    }
    const below = /^ {0,3}(?:(=+)|(-{2,}))\s*$/.exec(lines[at + 1] ?? "");
    if (below !== null && UNDERLINED.test(line) && (text.at(-1) ?? "").trim() === "") {
      begin(below[1] === undefined ? 2 : 1, line);
      at++;
      continue;
    }
    text.push(line);
  }
  close();
  return sections;
}

const LONGEST_HEADING = 1000;
const FENCE = /^( {0,40})(`{3,}(?=[^`]*$)|~{3,})(.*)$/;
const HEADING = /^ {0,3}(#{1,6})(?:[ \t]+(.*))?$/;
/** A line of text that an underline makes a heading: no list, quotation, table or rule. */
const UNDERLINED = /^ {0,3}(?![-+*>|#=\s]|\d{1,9}[.)] )\S/;

/** The line that ends it, or the end of all: a fence that nobody closes goes that far. */
function endOfFence(lines: readonly string[], from: number, fence: string): number {
  for (let at = from + 1; at < lines.length; at++) {
    const line = (lines[at] ?? "").trim();
    if (line.length >= fence.length && line === (fence[0] ?? "").repeat(line.length)) return at;
  }
  return lines.length;
}

/** The first word of what follows the fence; `{.python .numberLines}` and `rust,ignore` as well. */
function languageOf(info: string): string {
  return /^\s*(?:\{\s*\.?)?([\w+#.-]{1,30})/.exec(info)?.[1]?.toLowerCase() ?? "";
}

/** A heading as it is read: links as their text, no marks. */
export function plain(written: string): string {
  return written
    .replace(/[ \t]+#+[ \t]*$|^#+[ \t]*$/, "")
    .replace(/!?\[([^\]]{0,500})\]\([^)]{0,2000}\)/g, "$1")
    .split(/(?<!\\)(`+[^`]+`+)/)
    .map((part, index) => index % 2 === 1 ? part.replace(/^`+|`+$/g, "") : unmarked(part))
    .join("")
    .replace(/\s+/g, " ")
    .trim();
}

function unmarked(text: string): string {
  return text
    .replace(/(?<!\\)(?:\*\*|\*|~~)/g, "")
    .replace(/(?<!\\)<\/?[a-z][^>]{0,500}>/gi, "")
    .replace(/\\([!-/:-@[-`{-~])/g, "$1");
}

/** Anchors as GitHub makes them: lower case, without punctuation, blanks as hyphens, numbered when they come again. */
export function slugs(): AnchorOf {
  const taken = new Map<string, number>();
  return (heading, own) => {
    if (own !== "") return own;
    const slug = heading.toLowerCase().replace(/[^\p{L}\p{M}\p{N}\p{Pc} -]/gu, "")
      .replaceAll(" ", "-");
    const times = taken.get(slug) ?? 0;
    taken.set(slug, times + 1);
    return times === 0 ? slug : `${slug}-${times}`;
  };
}

function frontMatter(text: string) {
  const front: { title?: string; version?: string } = {};
  const start = /^\uFEFF?---[ \t]*\r?\n/.exec(text);
  const end = start === null ? -1 : text.search(/\n(?:---|\.\.\.)[ \t]*(?:\r?\n|$)/);
  if (start === null || end < start[0].length - 1) {
    return { front, body: text.replace(/^\uFEFF/, "") };
  }
  for (const line of text.slice(start[0].length, end).split("\n")) {
    const [, key, value = ""] = /^(title|version)[ \t]*:[ \t]*(.{0,500})$/.exec(line.trimEnd()) ??
      [];
    if (key === "title" || key === "version") front[key] = value.replace(/^(["'])(.*)\1$/, "$2");
  }
  const rest = text.slice(end + 1);
  return {
    front,
    body: rest.slice(rest.indexOf("\n") === -1 ? rest.length : rest.indexOf("\n") + 1),
  };
}
