import { assert, assertEquals, assertThrows } from "@std/assert";
import { deflateSync } from "node:zlib";
import type { ToolError } from "../../../../src/core/errors.ts";
import { readHtml } from "../../../../src/tools/web/documentation/html.ts";
import { readInventory } from "../../../../src/tools/web/documentation/inventory.ts";
import { readIndex, readMarkdown } from "../../../../src/tools/web/documentation/markdown.ts";
import { symbolOfHeading } from "../../../../src/tools/web/documentation/heading_symbol.ts";
import tool from "../../../../src/tools/web/parse_documentation.ts";
import { Random } from "../../../random.ts";
import { failure } from "../_failure.ts";
import { call, createMemory } from "../_memory_context.ts";

const AT = "https://a.example/docs/page.html";
const utf8 = (text: string) => new TextEncoder().encode(text);

/** Markdown, and its sections as level, heading, anchor, text, code. */
const MARKDOWN: readonly (readonly [string, string, readonly (readonly unknown[])[]])[] = [
  ["nothing", "", []],
  ["text alone", "a\n\nb\n", [[0, "", "", "a\n\nb", []]]],
  ["headings", "# A\ntext\n## B ##\n###### C", [
    [1, "A", "a", "text", []],
    [2, "B", "b", "", []],
    [6, "C", "c", "", []],
  ]],
  ["no headings", "#A\n####### B\n    # C\n\\# D", [
    [0, "", "", "#A\n####### B\n    # C\n\\# D", []],
  ]],
  ["underlined", "A\n===\nx\n\nB b\n---\ny", [[1, "A", "a", "x", []], [2, "B b", "b-b", "y", []]]],
  ["rules are none", "- a\n---\n\n| a |\n---\n\na\nb\n---", [
    [0, "", "", "- a\n---\n\n| a |\n---\n\na\nb\n---", []],
  ]],
  ["the same heading again", "# A\n# A\n# A", [
    [1, "A", "a", "", []],
    [1, "A", "a-1", "", []],
    [1, "A", "a-2", "", []],
  ]],
  ["an anchor of its own", "## A b {#x-1}", [[2, "A b", "x-1", "", []]]],
  ["marks in headings", "# **A** [`b_c`](x) `f(*a)` \\*d <i>e</i>", [
    [1, "A b_c f(*a) *d e", "a-b_c-fa-d-e", "", []],
  ]],
  ["letters of all kinds", "# Über die Größe!", [[1, "Über die Größe!", "über-die-größe", "", []]]],
  ["code", "# A\nb\n```Python\n# no\n  x\n```\nc", [
    [1, "A", "a", "b\nc", [["python", "# no\n  x"]]],
  ]],
  ["fences in fences", "````md\n```\nx\n```\n````\n~~~\ny\n```\n~~~", [
    [0, "", "", "", [["md", "```\nx\n```"], ["", "y\n```"]]],
  ]],
  ["code in lists", "- a\n\n  ```sh\n  b\n    c\n  ```\n", [
    [0, "", "", "- a", [["sh", "b\n  c"]]],
  ]],
  ["attributes of code", "``` {.rust .x}\na\n```\n```rust,ignore\nb\n```", [
    [0, "", "", "", [["rust", "a"], ["rust", "b"]]],
  ]],
  ["a fence without an end", "# A\n```\n# B", [[1, "A", "a", "", [["", "# B"]]]]],
  ["backquotes that are none", "``` a`b\n# A", [[0, "", "", "``` a`b", []], [1, "A", "a", "", []]]],
  ["ends of lines", "# A\r\nb\rc", [[1, "A", "a", "b\nc", []]]],
];

Deno.test("Markdown comes as sections", () => {
  for (const [name, text, expected] of MARKDOWN) {
    const { sections } = readMarkdown(text, AT);
    assertEquals(
      sections.map(({ level, heading, anchor, text, code }) => [
        level,
        heading,
        anchor,
        text,
        code.map((one) => [one.language, one.text]),
      ]),
      expected,
      name,
    );
  }
  const front = readMarkdown('\uFEFF---\ntitle: "T t"\nversion: 1.2\n---\n## A\n', AT);
  assertEquals([front.title, front.version, front.sections.length], ["T t", "1.2", 1]);
  assertEquals(readMarkdown("---\nx\n", AT).sections[0]?.text, "---\nx");
});

Deno.test("an index of pages comes with its pages", () => {
  const { title, sections, symbols } = readIndex(
    "# P\n> short\n## Docs\n- [A b](a.md): what it is\n* [C](https://c.example/x)\n- no link\n## Optional\n- [`d`](/d): e",
    "https://a.example/llms.txt",
  );
  assertEquals([title, sections.length], ["P", 3]);
  assertEquals(symbols, [
    { name: "A b", kind: "page", summary: "what it is", url: "https://a.example/a.md" },
    { name: "C", kind: "page", url: "https://c.example/x" },
    { name: "d", kind: "page", summary: "e", url: "https://a.example/d" },
  ]);
});

Deno.test("headings that name something", () => {
  const cases: readonly (readonly [string, string | null])[] = [
    ["fs.read(path[, options])", "function fs.read fs.read(path[, options])"],
    ["Class: http.Server", "class http.Server"],
    ["Event: 'close'", "event close"],
    ["class Foo(bar)", "class Foo class Foo(bar)"],
    ["new Map(entries)", "function Map new Map(entries)"],
    ["f(a): string", "function f f(a): string"],
    ["f() -> int", "function f f() -> int"],
    ["$.ajax()", "function $.ajax $.ajax()"],
    ["Getting started (quickly)", null],
    ["Class of its own", null],
    ["Install", null],
    ["What about f(x) here?", null],
    [`f(${"x".repeat(400)})`, null],
  ];
  for (const [heading, expected] of cases) {
    const found = symbolOfHeading(heading);
    assertEquals(
      found === null ? null : Object.values(found).join(" "),
      expected === null ? null : expected.replace(/^(\S+) (\S+)/, "$2 $1"),
      heading,
    );
  }
});

/** Pages as generators of references write them, and the symbols as kind, name, signature, summary, address. */
const PAGES: readonly (readonly [string, string, readonly (readonly unknown[])[]])[] = [
  [
    "Sphinx",
    `<dl class="py class"><dt class="sig sig-object py" id="m.C"><em class="property">class </em>` +
    `<span class="sig-prename descclassname">m.</span><span class="sig-name descname">C</span>(<em>a</em>)` +
    `<a class="reference internal" href="_modules/m.html"><span class="viewcode-link">[source]</span></a>` +
    `<a class="headerlink" href="#m.C">¶</a></dt><dd><p>About C.</p><p>More.</p>` +
    `<dl class="py method"><dt class="sig sig-object py" id="m.C.f"><span class="sig-name descname">f</span>()</dt><dd></dd></dl></dd></dl>`,
    [
      ["class", "m.C", "class m.C(a)", "About C.", `${AT}#m.C`],
      ["method", "m.C.f", "f()", undefined, `${AT}#m.C.f`],
    ],
  ],
  [
    "Sphinx of C",
    `<dl class="c function"><dt class="sig sig-object c" id="c.Py_New"><span>int </span><span class="sig-name descname">Py_New</span>()</dt><dd>x</dd></dl>`,
    [["function", "Py_New", "int Py_New()", "x", `${AT}#c.Py_New`]],
  ],
  [
    "Sphinx of long ago",
    `<dl class="function"><dt id="m.g"><code>m.</code><code>g</code>(x)</dt><dd><p>G.</p></dd></dl>`,
    [["function", "m.g", "m.g(x)", "G.", `${AT}#m.g`]],
  ],
  [
    "rustdoc",
    `<dl class="item-table"><dt><a class="struct" href="struct.B.html" title="struct a::B">B</a></dt><dd>A B.</dd></dl>` +
    `<section id="method.push" class="method"><h4 class="code-header">pub fn <a href="#method.push">push</a>(&amp;mut self)</h4></section>`,
    [
      ["struct", "a::B", undefined, "A B.", "https://a.example/docs/struct.B.html"],
      ["method", "push", "pub fn push(&mut self)", undefined, `${AT}#method.push`],
    ],
  ],
  [
    "rustdoc of one item",
    `<section id="main-content"><h1>Function <span class="fn">make</span></h1>` +
    `<pre class="rust item-decl"><code><div class="code-attributes">#[must_use]</div>pub const unsafe fn make(a: u8) -&gt; u8</code></pre>` +
    `<details class="toggle top-doc" open><summary></summary><div class="docblock"><p>Makes.</p></div></details></section>`,
    [[
      ...["fn", "make", "#[must_use]pub const unsafe fn make(a: u8) -> u8", "Makes."],
      `${AT}#main-content`,
    ]],
  ],
  [
    "pkg.go.dev",
    `<h4 tabindex="-1" id="Get" class="Documentation-functionHeader"><span>func Get</span></h4>` +
    `<div class="Documentation-declaration"><pre>func Get(url string)</pre></div><p>Get gets.</p>`,
    [["function", "Get", "func Get(url string)", "Get gets.", `${AT}#Get`]],
  ],
  [
    "TypeDoc",
    `<section class="tsd-panel tsd-member"><a id="send" class="tsd-anchor"></a><h3>send</h3>` +
    `<ul><li><div class="tsd-signature">send(): void</div></li><li><div class="tsd-comment"><p>Sends.</p></div></li></ul></section>`,
    [["member", "send", "send(): void", "Sends.", `${AT}#send`]],
  ],
  [
    "Javadoc",
    `<section class="detail" id="add(E)"><h3>add</h3><div class="member-signature">boolean add(E e)</div><div class="block">Adds.</div></section>`,
    [["method", "add", "boolean add(E e)", "Adds.", `${AT}#add(E)`]],
  ],
  [
    "handwritten",
    `<h2 id="x">a.b(c)</h2><p>Does it.</p><h2>Other</h2><ul><dt id="n">no</dt></ul>`,
    [["function", "a.b", "a.b(c)", "Does it.", `${AT}#x`]],
  ],
];

Deno.test("pages come with the symbols that their generators mark", () => {
  for (const [name, body, expected] of PAGES) {
    const { symbols } = readHtml(`<title>T</title><main>${body}</main>`, AT);
    assertEquals(
      symbols.map((
        { kind, name, signature, summary, url },
      ) => [kind, name, signature, summary, url]),
      expected,
      name,
    );
  }
});

Deno.test("pages come as sections with the page's own anchors, and without what surrounds them", () => {
  const { title, version, sections } = readHtml(
    `<head><title>P 1.2.3 documentation</title></head><body><nav><h2>Menu</h2></nav>` +
      `<main><h1 id="top">A &amp; b<a class="headerlink" href="#top">¶</a></h1><p>x <a href="y">l</a></p>` +
      `<blockquote><h2 id="quoted">Q</h2></blockquote>` +
      `<section id="sec"><h2>In</h2><pre><code class="language-js">f()\n# x</code></pre></section>` +
      `<div><p>before</p><h2><a name="old"></a>Old</h2></div><a id="mark"></a><h3>Marked</h3><h3>None</h3></main></body>`,
    AT,
  );
  assertEquals([title, version], ["P 1.2.3 documentation", "1.2.3"]);
  assertEquals(sections.map(({ level, heading, anchor }) => [level, heading, anchor]), [
    [1, "A & b", "top"],
    [2, "In", "sec"],
    [2, "Old", "old"],
    [3, "Marked", "mark"],
    [3, "None", ""],
  ]);
  assertEquals(sections[0]?.text, "x [l](https://a.example/docs/y)\n\n> ## Q");
  assertEquals(sections[1]?.code, [{ language: "js", text: "f()\n# x" }]);
  const marked = readHtml(`<meta name="docsearch:version" content="3.1,latest"><p>x`, AT);
  assertEquals([marked.version, marked.title, marked.sections.length], ["3.1", "", 1]);
});

function inventory(lines: string, head = "# Project: P\n# Version: 1.0\n"): Uint8Array {
  const packed = deflateSync(utf8(lines));
  const start = utf8(
    `# Sphinx inventory version 2\n${head}# The remainder of this file is compressed using zlib.\n`,
  );
  return new Uint8Array([...start, ...packed]);
}

Deno.test("inventories of Sphinx come as symbols", () => {
  const at = "https://a.example/en/objects.inv";
  const lines =
    "m.f py:function 1 api.html#$ -\nlabel with blanks std:label -1 x.html#y Title of it\n" +
    "a b:c d py:class 1 z.html -\nbroken\n\n";
  const { title, version, symbols, sections } = readInventory(inventory(lines), at, 10_000);
  assertEquals([title, version, sections.length], ["P", "1.0", 0]);
  assertEquals(symbols, [
    { name: "m.f", kind: "function", url: "https://a.example/en/api.html#m.f" },
    {
      name: "label with blanks",
      kind: "label",
      summary: "Title of it",
      url: "https://a.example/en/x.html#y",
    },
    { name: "a b:c d", kind: "class", url: "https://a.example/en/z.html" },
  ]);
  const first = readInventory(
    utf8(
      "# Sphinx inventory version 1\n# Project: Q\n# Version: 0\nm mod m.html\nf function m.html\n",
    ),
    at,
    100,
  );
  assertEquals(first.symbols.map(({ kind, url }) => [kind, url]), [
    ["module", "https://a.example/en/m.html#module-m"],
    ["function", "https://a.example/en/m.html#f"],
  ]);
  const bad: readonly (readonly [Uint8Array, string])[] = [
    [utf8("# Sphinx inventory version 3\nx\n"), "SYNTAX_INVALID"],
    [utf8("# Sphinx inventory version 2\nx"), "SYNTAX_INVALID"],
    [utf8("# Sphinx inventory version 2\na\nb\nc\n"), "SYNTAX_INVALID"],
    [inventory(lines).subarray(0, 140), "SYNTAX_INVALID"],
    [inventory("m.f py:function 1 api.html#$ -\n".repeat(10_000)), "RESOURCE_LIMIT"],
  ];
  for (const [bytes, code] of bad) {
    const error = assertThrows(() => readInventory(bytes, at, 10_000)) as ToolError;
    assertEquals(error.code, code, error.message);
  }
});

const served = (body: string | Uint8Array, type: string, status = 200) =>
  createMemory({
    fetch: ({ url }) =>
      Promise.resolve({
        status,
        url,
        redirects: [],
        headers: type === "" ? {} : { "content-type": type },
        body: typeof body === "string" ? utf8(body) : body,
        truncated: false,
        fromCache: false,
      }),
  });

Deno.test("parse_documentation tells by what came what it is", async () => {
  const cases: readonly (readonly [string, string | Uint8Array, string, string])[] = [
    ["/x", "<h1>A</h1>", "text/html", "html"],
    ["/x", "<!DOCTYPE html><h1>A</h1>", "text/plain", "html"],
    ["/x.md", "# A\n<html>", "text/markdown", "markdown"],
    ["/x.md", "# A", "", "markdown"],
    ["/LLMs.txt", "# A", "text/plain", "llms.txt"],
    ["/llms-full.txt", "# A", "text/plain", "markdown"],
    ["/objects.inv", inventory(""), "application/octet-stream", "objects.inv"],
  ];
  for (const [path, body, type, source] of cases) {
    const output = await call(tool, { url: `https://a.example${path}` }, served(body, type)) as {
      source: string;
      untrusted: boolean;
    };
    assertEquals([output.source, output.untrusted], [source, true], path);
  }
  const refused: readonly (readonly [string | Uint8Array, string, number, string])[] = [
    ["{}", "application/json", 200, "UNSUPPORTED_LANGUAGE"],
    [new Uint8Array([0, 1]), "image/png", 200, "BINARY_FILE"],
    ["# A", "text/plain; charset=martian", 200, "INVALID_ENCODING"],
    ["# A", "text/plain", 404, "HTTP_ERROR"],
  ];
  for (const [body, type, status, code] of refused) {
    const error = await failure(() =>
      call(tool, { url: "https://a.example/" }, served(body, type, status))
    );
    assertEquals(error.code, code, error.message);
  }
});

Deno.test("documentation made to break readers is read, too", () => {
  const pages = [
    `<dl class="function">${"<dt id=a>f".repeat(130_000)}`,
    "<section id=method.x>".repeat(1_000) + "x",
    '<section class="tsd-member"><a id=x>'.repeat(1_000),
    `<dl class="py x"><dt id=a.b>f<dd>`.repeat(1_000),
    "<blockquote><h2>x</h2></blockquote>".repeat(1_000),
    "<section id=a>".repeat(1_000) + "<h2>x</h2></section>".repeat(1_000),
  ];
  for (const page of pages) assert(readHtml(page, AT).symbols.length <= 1);
  const texts = [
    `# ${" ".repeat(500_000)}x`,
    `x${" ".repeat(500_000)}x\n`,
    `# ${"[".repeat(200_000)}`,
    `# ${"`".repeat(200_000)}`,
    `# ${"<a".repeat(200_000)}`,
    `# f(${"(".repeat(200_000)}`,
    `- [a](b): ${" ".repeat(200_000)}x`,
  ];
  for (const text of texts) assert(readIndex(text, AT).sections.length === 1);
});

Deno.test("parts of documentation join back to the whole, and a query picks", async () => {
  const text = Array.from(
    { length: 57 },
    (_, n) => `# Part ${n}\nabout ${n % 5}\n## f${n}()\nNeedle ${n}`,
  )
    .join("\n");
  const memory = served(text, "text/markdown");
  type Output = {
    sections: unknown[];
    symbols: unknown[];
    total_sections: number;
    total_symbols: number;
    next_offset?: number;
  };
  const ask = (args: Record<string, unknown>) =>
    call(tool, { url: "https://a.example/", ...args }, memory) as Promise<Output>;
  const whole = await ask({ limit: 10_000 });
  assertEquals([whole.total_sections, whole.total_symbols, whole.next_offset], [
    114,
    57,
    undefined,
  ]);
  const parts: Output[] = [];
  let offset: number | undefined = 0;
  while (offset !== undefined) {
    const part: Output = await ask({ offset, limit: 10 });
    parts.push(part);
    offset = part.next_offset;
  }
  assertEquals(parts.flatMap(({ sections }) => sections), whole.sections);
  assertEquals(parts.flatMap(({ symbols }) => symbols), whole.symbols);
  const picked = await ask({ query: "NEEDLE 7" });
  assertEquals([picked.total_sections, picked.total_symbols], [1, 1]);
});

Deno.test("whatever comes is read, and nothing of it is said twice: generated documents", () => {
  const random = new Random(17);
  const pieces = [
    ...[
      "# a",
      "## b {#c}",
      "text",
      "",
      "```js",
      "```",
      "~~~",
      "====",
      "---",
      "- x",
      "> q",
      "| t |",
    ],
    ...[
      "[l](u)",
      "`f(x)`",
      "    in",
      "\t# t",
      "<p id='i'>",
      "</p>",
      "<h2>",
      "<dl class='py x'><dt id=y>",
    ],
  ];
  for (let round = 0; round < 300; round++) {
    const lines = Array.from({ length: random.below(30) }, () => random.pick(pieces));
    const text = lines.join("\n");
    readHtml(text, AT);
    const { sections } = readMarkdown(`${text}\n`, AT);
    // Sections say at most what was there.
    const said = sections.flatMap(({ text, code }) => [text, ...code.map((one) => one.text)]).join(
      "\n",
    );
    const left = new Map<string, number>();
    for (const line of lines) left.set(line.trim(), (left.get(line.trim()) ?? 0) + 1);
    for (const line of said.split("\n").map((one) => one.trim()).filter((one) => one !== "")) {
      const count = left.get(line) ?? 0;
      assert(count > 0, `${JSON.stringify(text)} gives ${line} once more than it has it`);
      left.set(line, count - 1);
    }
  }
});
