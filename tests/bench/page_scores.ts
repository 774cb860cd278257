/**
 * How well pages come as Markdown: what `fetch_url` makes of them beside what libraries of the field do, on pages of
 * Debian's documentation packages, whose generators mark what a page is about, and on threads of forums' own programs.
 */

import type { Document, Element } from "domhandler";
import { parseDocument } from "htmlparser2";
import { join } from "@std/path";
import { attribute, elementsBelow, textOf } from "../../src/tools/web/page/dom.ts";
import { readPage } from "../../src/tools/web/page/page.ts";
import { forumPages, threadsOf } from "./_forum_pages.ts";

/** Pages of one generator: where they lie in a package, and which elements hold what they are about. */
interface Shelf {
  readonly kind: "documentation" | "article" | "API reference";
  readonly package: string;
  readonly pages: RegExp;
  /** Name, id, class or role of the element; all that fit count. */
  readonly main: string;
  /** Ids and classes of what in it is not: navigation, marks beside headings. */
  readonly noise: readonly string[];
}

const SPHINX = ["headerlink", "contents", "toctree-wrapper", "viewcode-link"];
const DOCBOOK = ["navheader", "navfooter", "toc"];
const SHELVES: readonly Shelf[] = [
  {
    kind: "documentation",
    package: "python-click-doc",
    pages: /\/html\/[a-z-]+\.html$/,
    main: "main",
    noise: SPHINX,
  },
  {
    kind: "documentation",
    package: "python-jinja2-doc",
    pages: /\/html\/[a-z-]+\.html$/,
    main: "main",
    noise: SPHINX,
  },
  {
    kind: "API reference",
    package: "python-requests-doc",
    pages: /\/html\/.*\.html$/,
    main: "main",
    noise: SPHINX,
  },
  {
    kind: "API reference",
    package: "libglib2.0-doc",
    pages: /\/glib\/glib-[A-Z][\w-]+\.html$/,
    main: "refentry",
    noise: ["navigation"],
  },
  {
    kind: "documentation",
    package: "postgresql-doc-15",
    pages: /\/html\/(?:ddl|sql|functions)-[\w-]+\.html$/,
    main: "body",
    noise: DOCBOOK,
  },
  {
    kind: "API reference",
    package: "git-doc",
    pages: /\/git-[a-z-]+\.html$/,
    main: "content",
    noise: [],
  },
  {
    kind: "documentation",
    package: "exim4-doc-html",
    pages: /\/spec_html\/ch\d+\.html$/,
    main: "chapter",
    noise: [],
  },
  {
    kind: "article",
    package: "debian-faq",
    pages: /\/FAQ\/[a-z-]+\.html$/,
    main: "body",
    noise: DOCBOOK,
  },
  {
    kind: "article",
    package: "maint-guide",
    pages: /\/html\/[a-z]+\.en\.html$/,
    main: "body",
    noise: DOCBOOK,
  },
];

/** Of each shelf, evenly over its pages by name. */
const PAGES_OF_SHELF = 13;
/** Larger ones take the slowest library seconds. */
const LARGEST_PAGE = 150_000;
const ADDRESS = "https://docs.example.org/page.html";

type Kind = Shelf["kind"] | "forum";
const KINDS: readonly Kind[] = ["documentation", "API reference", "article", "forum"];

/** A page with what it should come to. */
interface Page {
  readonly kind: Kind;
  readonly html: string;
  readonly words: ReadonlyMap<string, number>;
  readonly code: readonly string[];
  readonly rows: number;
}

/** A line of the report: means over all pages, 0 to 1; time of all pages together. */
export interface PageScore {
  readonly name: string;
  /** Of words: F1, and the share of what was given that belongs to the page. */
  readonly words: number;
  readonly purity: number;
  /** Of blocks of code: those that stand whole in a fence. */
  readonly code: number;
  /** Of tables: rows that are rows. */
  readonly tables: number;
  readonly kinds: Readonly<Record<string, number>>;
  readonly ms: number;
}

/** The scores, best first, and how many pages they are of. Throws where the packages cannot be had. */
export async function pageScores(): Promise<
  { readonly pages: number; readonly scores: readonly PageScore[] }
> {
  const folder = await Deno.makeTempDir({ prefix: "toolgate-bench-" });
  try {
    const pages: Page[] = [];
    for (const shelf of SHELVES) pages.push(...await pagesOf(shelf, folder));
    const forums = await forumPages(
      threadsOf(pages.filter(({ kind }) => kind !== "API reference").map(({ html }) => html)),
      folder,
      runIn,
    );
    pages.push(
      ...forums.flatMap(({ html, main }) =>
        truthOf(html, { kind: "forum", main, noise: [] }) ?? []
      ),
    );
    const started = performance.now();
    const own = pages.map(({ html }) => readPage(html, ADDRESS, false).text);
    const candidates = [
      { name: "fetch_url", texts: own, ms: performance.now() - started },
      ...await others(pages.map(({ html }) => html), folder),
    ];
    const scores = candidates.map((one) => score(one, pages))
      .toSorted((a, b) => b.words - a.words);
    return { pages: pages.length, scores };
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

/** As a table. */
export function renderPageScores(
  { pages, scores }: { readonly pages: number; readonly scores: readonly PageScore[] },
): string {
  const percent = (share: number) => `${(share * 100).toFixed(1)} %`.padStart(8);
  const lines = scores.map(({ name, words, purity, code, tables, ms, kinds: by }) =>
    `${name.padEnd(24)}${[words, purity, code, tables].map(percent).join("  ")}  ` +
    `${KINDS.map((kind) => percent(by[kind] ?? 0)).join("  ")}  ${ms.toFixed(0).padStart(6)} ms`
  );
  const head = `${`${pages} pages as Markdown`.padEnd(24)}` +
    ["words F1", "purity", "code", "tables", ...KINDS].map((name) => name.slice(0, 8).padStart(8))
      .join("  ");
  return [head, ...lines].join("\n");
}

async function pagesOf(shelf: Shelf, folder: string): Promise<readonly Page[]> {
  const root = join(folder, shelf.package);
  await Deno.mkdir(root);
  await runIn(root, ["apt-get", "download", "-q", shelf.package]);
  const [archive] = [...Deno.readDirSync(root)].map(({ name }) => name);
  if (archive === undefined) throw new Error(`${shelf.package}: nothing was fetched`);
  await runIn(root, ["dpkg-deb", "-x", archive, "."]);
  const found = [...filesBelow(root)].filter((path) => shelf.pages.test(path)).toSorted();
  const step = Math.max(1, found.length / PAGES_OF_SHELF);
  const chosen = Array.from({ length: PAGES_OF_SHELF }, (_, at) => found[Math.floor(at * step)]);
  return [...new Set(chosen)].flatMap((path) => {
    const html = path === undefined ? "" : Deno.readTextFileSync(path);
    const page = html.length > LARGEST_PAGE ? null : truthOf(html, shelf);
    return page === null ? [] : [page];
  });
}

function* filesBelow(folder: string): Iterable<string> {
  for (const { name, isDirectory, isFile } of Deno.readDirSync(folder)) {
    if (isDirectory) yield* filesBelow(join(folder, name));
    else if (isFile) yield join(folder, name);
  }
}

function truthOf(
  html: string,
  { kind, main, noise }: Pick<Shelf, "main" | "noise"> & { readonly kind: Kind },
): Page | null {
  const document = parseDocument(html);
  const is = (element: Element, names: readonly string[]) =>
    names.includes(element.name) || names.includes(attribute(element, "id")) ||
    names.includes(attribute(element, "role")) ||
    attribute(element, "class").split(/\s+/).some((name) => names.includes(name));
  const mains = [...elementsBelow(document, (one) => is(one, [main]))]
    .filter((one) => is(one, [main]));
  if (mains.length === 0) return null;
  const drop = [...noise, "script", "style", "head"];
  for (const one of [...elementsBelow(document)]) {
    if (is(one, drop)) one.children = [];
  }
  const text = mains.map((one) => spaced(one)).join(" ");
  const words = wordsOf(text);
  if (words.size < 30) return null;
  const inside = mains.flatMap((one) => [...elementsBelow(one)]);
  const code = inside.filter(({ name }) => name === "pre").map((one) => plain(textOf(one)))
    .filter((one) => one !== "");
  const rows = inside.filter((one) =>
    one.name === "tr" &&
    one.children.filter((child) => "name" in child && /^t[dh]$/.test(child.name)).length > 1 &&
    ![...elementsBelow(one)].some(({ name }) => /^(?:pre|ul|ol|p|table|dl)$/.test(name))
  ).length;
  return { kind, html, words, code, rows };
}

/** Its text with blanks between blocks. */
function spaced(root: Document | Element): string {
  const parts: string[] = [];
  const waiting = [...root.children].toReversed();
  for (let one = waiting.pop(); one !== undefined; one = waiting.pop()) {
    if (one.type === "text") parts.push(one.data);
    if (!("children" in one)) continue;
    if ("name" in one && !/^(?:a|b|i|em|strong|span|code|tt|sub|sup|var)$/.test(one.name)) {
      parts.push(" ");
    }
    for (const child of one.children.toReversed()) waiting.push(child as Element);
  }
  return parts.join("");
}

function wordsOf(text: string): ReadonlyMap<string, number> {
  const words = new Map<string, number>();
  for (const [word] of text.toLowerCase().matchAll(/[\p{L}\p{N}]+/gu)) {
    words.set(word, (words.get(word) ?? 0) + 1);
  }
  return words;
}

const plain = (code: string) => code.replace(/\s+/g, "");

function score(
  { name, texts, ms }: Candidate,
  pages: readonly Page[],
): PageScore {
  const each = pages.map((page, at) => scoreOf(texts[at] ?? "", page));
  const kinds = [...new Set(pages.map(({ kind }) => kind))].map((kind) =>
    [
      kind,
      mean(each.filter((_, at) => pages[at]?.kind === kind).map(({ words }) => words)),
    ] as const
  );
  return {
    name,
    words: mean(each.map(({ words }) => words)),
    purity: mean(each.map(({ purity }) => purity)),
    code: mean(each.flatMap(({ code }) => code ?? [])),
    tables: mean(each.flatMap(({ tables }) => tables ?? [])),
    kinds: Object.fromEntries(kinds),
    ms,
  };
}

function scoreOf(text: string, page: Page) {
  // Where links lead is no word of the page.
  const found = wordsOf(text.replace(/\]\((?:[^()\s]|\([^()\s]*\))*(?:\s+"[^"]*")?\)/g, "]"));
  let common = 0;
  for (const [word, count] of page.words) common += Math.min(count, found.get(word) ?? 0);
  const given = sum(found.values());
  const purity = given === 0 ? 0 : common / given;
  const recall = common / sum(page.words.values());
  const fences = plain(
    [...text.matchAll(/^[ >]*(`{3,}|~{3,})[^\n]*\n([^]*?)\n[ >]*\1/gm)]
      .map(([, , inside = ""]) => inside).join("\0"),
  );
  const rows =
    text.split("\n").filter((line) => /^[ >]*\|.*\|/.test(line) && !/^[ >|:-]*$/.test(line))
      .length;
  return {
    words: common === 0 ? 0 : 2 * purity * recall / (purity + recall),
    purity,
    code: page.code.length === 0
      ? null
      : page.code.filter((one) => fences.includes(one)).length / page.code.length,
    tables: page.rows === 0 ? null : Math.min(1, rows / page.rows),
  };
}

function sum(numbers: Iterable<number>): number {
  let total = 0;
  for (const one of numbers) total += one;
  return total;
}

function mean(numbers: readonly number[]): number {
  return numbers.length === 0 ? 0 : sum(numbers) / numbers.length;
}

interface Candidate {
  readonly name: string;
  readonly texts: readonly string[];
  readonly ms: number;
}

/** What others make of the pages, in a process of its own: none of them is a part of Toolgate. */
const OTHERS = `
import { Readability } from "npm:@mozilla/readability@0.6.0";
import TurndownService from "npm:turndown@7.2.5";
import { NodeHtmlMarkdown } from "npm:node-html-markdown@2.0.0";
import { parseHTML } from "npm:linkedom@0.18.12";
import { Defuddle } from "npm:defuddle@0.19.4/node";
const pages = JSON.parse(Deno.readTextFileSync("pages.json"));
const turndown = new TurndownService({ headingStyle: "atx", codeBlockStyle: "fenced" });
const address = "${ADDRESS}";
const documentOf = (html) => parseHTML(html).document;
const candidates = {
  "readability and turndown": (html) => {
    const article = new Readability(documentOf(html)).parse();
    return turndown.turndown(article?.content ?? "");
  },
  "defuddle": async (html) =>
    (await Defuddle(documentOf(html), address, { markdown: true, useAsync: false })).content ?? "",
  "node-html-markdown": (html) => NodeHtmlMarkdown.translate(html),
};
const found = [];
for (const [name, make] of Object.entries(candidates)) {
  const texts = [];
  const started = performance.now();
  for (const html of pages) {
    try {
      texts.push(String(await make(html)));
    } catch {
      texts.push("");
    }
  }
  found.push({ name, texts, ms: performance.now() - started });
}
Deno.writeTextFileSync("found.json", JSON.stringify(found));
`;

async function others(pages: readonly string[], folder: string): Promise<readonly Candidate[]> {
  await Deno.writeTextFile(join(folder, "pages.json"), JSON.stringify(pages));
  await Deno.writeTextFile(join(folder, "others.mjs"), OTHERS);
  await runIn(folder, [Deno.execPath(), "run", "--no-lock", "--no-config", "-A", "others.mjs"]);
  return JSON.parse(await Deno.readTextFile(join(folder, "found.json")));
}

async function runIn(cwd: string, [program = "", ...args]: readonly string[]): Promise<void> {
  const { success, stderr } = await new Deno.Command(program, { args, cwd, stdout: "null" })
    .output();
  if (success) return;
  throw new Error(`${program}: ${new TextDecoder().decode(stderr).slice(0, 500)}`);
}
