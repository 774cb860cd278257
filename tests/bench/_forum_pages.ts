/**
 * Threads of forums, as the programs of the field write them: themes of NodeBB by its own template engine, and archives of
 * MHonArc. What is said in them comes from pages that are there already.
 */

import type { Element } from "domhandler";
import { parseDocument } from "htmlparser2";
import { join } from "@std/path";
import { elementsBelow, textOf } from "../../src/tools/web/page/dom.ts";

/** What somebody says, in its parts. */
export interface Post {
  readonly parts: readonly PostPart[];
}

/** A paragraph, a list or a block of code. */
export interface PostPart {
  readonly kind: "text" | "list" | "code";
  readonly lines: readonly string[];
}

/** A page, and the class or name of the elements that hold what was said. */
export interface ForumPage {
  readonly html: string;
  readonly main: string;
}

/** Runs a program in a folder; throws where it fails. */
export type RunIn = (folder: string, command: readonly string[]) => Promise<void>;

const ENGINE = "benchpressjs@2.5.5";
const THEMES = [
  "nodebb-theme-persona@15.3.3",
  "nodebb-theme-harmony@3.3.4",
  "nodebb-theme-peace@3.1.3",
] as const;
const PEOPLE = ["alva", "bruno", "chidi", "dagny", "emre", "farah", "goran"] as const;
const FORUM = "Forum of the Example Society";

/** Threads that are written, and posts of each. */
const THREADS = 4;
const POSTS = [3, 8, 5, 12];

/** What people say in them is what stands in paragraphs, lists and code of the pages, each said once. */
export function threadsOf(pages: readonly string[]): readonly (readonly Post[])[] {
  const parts = pages.flatMap((html) => [...elementsBelow(parseDocument(html))].flatMap(partOf));
  let at = 0;
  return Array.from(
    { length: THREADS },
    (_, thread) =>
      Array.from({ length: POSTS[thread] ?? 1 }, (_, post) => {
        const from = at;
        at += 2 + (post + thread) % 3;
        return { parts: parts.slice(from, at) };
      }),
  );
}

function partOf(element: Element): readonly PostPart[] {
  const text = textOf(element);
  // Lists of links are the page's own menus.
  const isLeaf = ![...elementsBelow(element)].some(({ name }) =>
    /^(?:p|pre|ul|ol|table)$/.test(name) || (name === "a" && element.name === "ul")
  );
  if (!isLeaf || text.trim().length < 60 || text.length > 1_500) return [];
  const lines = text.split("\n").map((line) => line.trimEnd()).filter((line) => line !== "");
  switch (element.name) {
    case "p":
      return [{ kind: "text", lines: lines.map((line) => line.trim()) }];
    case "pre":
      return [{ kind: "code", lines }];
    case "ul":
      return [{
        kind: "list",
        lines: lines.map((line) => line.trim()).filter((line) => line !== ""),
      }];
    default:
      return [];
  }
}

/** A page of each theme for each thread, and one of the archive for each post of the first threads. Throws without a network. */
export async function forumPages(
  threads: readonly (readonly Post[])[],
  folder: string,
  run: RunIn,
): Promise<readonly ForumPage[]> {
  const root = join(folder, "forums");
  await Deno.mkdir(root);
  return [...await ofThemes(threads, root, run), ...await ofArchive(threads, root, run)];
}

async function ofThemes(
  threads: readonly (readonly Post[])[],
  root: string,
  run: RunIn,
): Promise<readonly ForumPage[]> {
  const install = ["install", "--ignore-scripts", "--legacy-peer-deps", "--no-audit", "--no-fund"];
  await run(root, ["npm", ...install, "--no-package-lock", ENGINE, ...THEMES]);
  const themes = THEMES.map((name) => name.replace(/@.*/, ""));
  const topics = threads.map(topicOf);
  await Deno.writeTextFile(join(root, "topics.json"), JSON.stringify({ themes, topics }));
  await Deno.writeTextFile(join(root, "render.cjs"), RENDER);
  await run(root, ["node", "render.cjs"]);
  const pages: readonly string[] = JSON.parse(await Deno.readTextFile(join(root, "pages.json")));
  return pages.map((html) => ({ html, main: "content" }));
}

/** What NodeBB hands its templates for a topic, as far as they show anything of it. */
function topicOf(posts: readonly Post[], at: number) {
  const title = `How does ${(posts[0]?.parts[0]?.lines[0] ?? "this").slice(0, 60)} work?`;
  const category = { cid: 3, name: "Questions and answers", slug: "3/questions-and-answers" };
  const navigation = ["Categories", "Recent", "Tags", "Popular", "Users", "Groups", "Search"]
    .map((text, order) => ({
      id: `nav-${order}`,
      route: `/${text.toLowerCase()}`,
      title: text,
      text,
      enabled: true,
      iconClass: "fa-list",
    }));
  return {
    title,
    browserTitle: `${title} | ${FORUM}`,
    "brand:logo": "/logo.png",
    "site:title": FORUM,
    bodyClass: "page-topic",
    config: {
      relative_path: "",
      loggedIn: false,
      usePagination: true,
      siteTitle: FORUM,
      theme: {},
    },
    navigation,
    breadcrumbs: [{ text: "Home", url: "/" }, { text: category.name, url: "/category/3" }, {
      text: title,
    }],
    category,
    tid: at + 40,
    slug: `${at + 40}/topic`,
    url: `/topic/${at + 40}`,
    postcount: posts.length,
    viewcount: 17 * (at + 3),
    tags: [{ value: "beginner", valueEscaped: "beginner", class: "beginner" }],
    pagination: { prev: { active: false }, next: { active: true, qs: "page=2" }, pages: [] },
    widgets: {
      sidebar: [{
        html: `<h4>Recent topics</h4><ul>${
          PEOPLE.map((who) => `<li><a href="/t/${who}">${who} asks about upgrading</a></li>`)
            .join("")
        }</ul>`,
      }],
      footer: [{ html: "<p>Powered by NodeBB | Contributors</p>" }],
      header: [],
    },
    posts: posts.map((post, index) => postOf(post, index, posts)),
    privileges: {},
    icons: [],
    thumbs: [],
    events: [],
  };
}

function postOf(post: Post, index: number, posts: readonly Post[]) {
  const username = PEOPLE[(index * 3 + posts.length) % PEOPLE.length]!;
  // Every other one answers the one before.
  const quoted = index % 2 === 1 ? posts[index - 1]?.parts.slice(0, 1) ?? [] : [];
  const quote = quoted.length === 0
    ? ""
    : `<blockquote><p>@${username} said:</p>${quoted.map(htmlOf).join("")}</blockquote>`;
  return {
    index,
    pid: index + 200,
    content: quote + post.parts.map(htmlOf).join("\n"),
    timestampISO: `2026-03-0${1 + index % 9}T10:00:00.000Z`,
    votes: index,
    replies: { count: 0, users: [] },
    user: {
      uid: index + 2,
      username,
      displayname: username,
      userslug: username,
      postcount: 12 * index,
      reputation: 7 * index,
      signature: `<p>${username} of the Example Society</p>`,
      selectedGroups: [],
      custom_profile_info: [],
    },
  };
}

function htmlOf({ kind, lines }: PostPart): string {
  const texts = lines.map(escaped);
  switch (kind) {
    case "code":
      return `<pre><code>${texts.join("\n")}\n</code></pre>`;
    case "list":
      return `<ul>${texts.map((text) => `<li>${text}</li>`).join("\n")}</ul>`;
    case "text":
      return `<p dir="auto">${texts.join(" ")}</p>`;
  }
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

/** Run by Node: benchpress is no module that others can load. Partials are put in, as NodeBB's build does. */
const RENDER = `
const fs = require("node:fs");
const path = require("node:path");
const benchpress = require("benchpressjs");
const { themes, topics } = JSON.parse(fs.readFileSync("topics.json", "utf8"));
const words = (key) => String(key ?? "").replace(/^[^:]*:/, "").replace(/[-_.]/g, " ");
const helpers = {
  tx: words,
  buildAvatar: (user) => '<img alt="' + user.username + '" class="avatar" src="/a/' + user.uid + '.png">',
  renderShortcodeEmoji: (text) => text,
  txDisplayname: (user) => user.username,
  buildCategoryLabel: (category) => '<a href="/category/' + category.slug + '">' + category.name + "</a>",
  isoTimeToLocaleString: (time) => time,
  generateWrote: () => "wrote",
};
const known = new Set(Object.keys(helpers));
for (const [name, help] of Object.entries(helpers)) benchpress.registerHelper(name, help);
function read(root, name, depth = 0) {
  const file = path.join(root, name);
  if (depth > 20 || !fs.existsSync(file)) return "";
  const text = fs.readFileSync(file, "utf8").replace(/<!-- IMPORT (\\S+) -->/g, (_, other) =>
    read(root, other.endsWith(".tpl") ? other : other + ".tpl", depth + 1));
  for (const [, name] of text.matchAll(/([a-zA-Z]+)\\(/g)) {
    if (known.has(name)) continue;
    known.add(name);
    benchpress.registerHelper(name, () => "");
  }
  return text;
}
(async () => {
  const pages = [];
  for (const theme of themes) {
    const root = path.join("node_modules", theme, "templates");
    for (const topic of topics) {
      const parts = [];
      for (const name of ["header", "topic", "footer"]) {
        parts.push(await benchpress.compileRender(read(root, name + ".tpl"), topic));
      }
      pages.push(parts.join("\\n"));
    }
  }
  fs.writeFileSync("pages.json", JSON.stringify(pages));
})().catch((error) => { console.error(error); process.exit(1); });
`;

async function ofArchive(
  threads: readonly (readonly Post[])[],
  root: string,
  run: RunIn,
): Promise<readonly ForumPage[]> {
  const mails = threads.flatMap((posts, thread) =>
    posts.slice(0, 3).map((post, at) => mailOf(post, thread, at, posts))
  );
  await Deno.writeTextFile(join(root, "list.mbox"), mails.join("\n"));
  await run(root, ["apt-get", "download", "-q", "mhonarc"]);
  const archive = [...Deno.readDirSync(root)].find(({ name }) => name.endsWith(".deb"))?.name ?? "";
  await run(root, ["dpkg-deb", "-x", archive, "mhonarc"]);
  await Deno.mkdir(join(root, "archive"));
  await run(root, [
    "perl",
    "-Imhonarc/usr/share/mhonarc",
    "mhonarc/usr/bin/mhonarc",
    ...["-quiet", "-outdir", "archive", "list.mbox"],
  ]);
  return [...Deno.readDirSync(join(root, "archive"))].map(({ name }) => name)
    .filter((name) => /^msg\d+\.html$/.test(name)).toSorted()
    .map((name) => ({ html: Deno.readTextFileSync(join(root, "archive", name)), main: "pre" }));
}

function mailOf(post: Post, thread: number, at: number, posts: readonly Post[]): string {
  const who = PEOPLE[(thread + at) % PEOPLE.length]!;
  const id = (number: number) => `<${thread}.${number}@lists.example.org>`;
  const subject = (posts[0]?.parts[0]?.lines[0] ?? "question").slice(0, 50).replace(/[^ -~]/g, "");
  const quoted = at === 0 ? [] : posts[at - 1]?.parts[0]?.lines.map((line) => `> ${line}`) ?? [];
  return [
    `From ${who}@example.org Mon Mar  2 10:0${at}:00 2026`,
    `From: ${who} <${who}@example.org>`,
    "To: users@lists.example.org",
    `Subject: ${at === 0 ? "" : "Re: "}${subject}`,
    `Date: Mon, 2 Mar 2026 10:0${at}:00 +0000`,
    `Message-ID: ${id(at)}`,
    ...(at === 0 ? [] : [`In-Reply-To: ${id(at - 1)}`]),
    "Content-Type: text/plain; charset=utf-8",
    "",
    ...quoted,
    ...post.parts.flatMap(({ kind, lines }) =>
      kind === "text" ? ["", ...lines] : ["", ...lines.map((line) => `  ${line}`)]
    ).map((line) => line.replace(/^From /, ">From ")),
    "",
    "",
  ].join("\n");
}
