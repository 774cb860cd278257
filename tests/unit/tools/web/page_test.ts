import { assert, assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import { ToolError } from "../../../../src/core/errors.ts";
import { readPage } from "../../../../src/tools/web/page/page.ts";

const BASE = "https://a.example/docs/page.html";
const markdown = (html: string) => readPage(html, BASE, false).text;
const plain = (html: string) => readPage(html, BASE, true).text;

/** HTML, and the Markdown that it is. */
const CASES: readonly (readonly [string, string, string])[] = [
  ["paragraphs", "<p>one\n two</p><p>three</p>", "one two\n\nthree\n"],
  ["headings", "<h1>A</h1><h3>B</h3><h6>C</h6>", "# A\n\n### B\n\n###### C\n"],
  ["heading with its own link", '<h2>A<a class="headerlink" href="#a">¶</a></h2>', "## A\n"],
  ["heading with a mark", '<h2><a href="#a">#</a> A</h2>', "## A\n"],
  ["emphasis", "<p><b>a</b> <em>b</em> <del>c</del></p>", "**a** *b* ~~c~~\n"],
  ["blanks inside of marks", "<p>x<b> a </b>y</p>", "x **a** y\n"],
  [
    "marks that mean nothing",
    "<p>2*3 [a] \\ `x` snake_case _a_ &lt;b></p>",
    "2\\*3 \\[a\\] \\\\ \\`x\\` snake_case \\_a\\_ \\<b>\n",
  ],
  ["code", "<p>Use <code>a_b*c</code></p>", "Use `a_b*c`\n"],
  ["code with backquotes", "<p><code>`a`</code> <code>a``b</code></p>", "`` `a` `` ```a``b```\n"],
  [
    "links",
    '<p><a href="x">a</a> <a href="/y?z#q">b</a></p>',
    "[a](https://a.example/docs/x) [b](https://a.example/y?z#q)\n",
  ],
  [
    "links with brackets",
    '<p><a href="x_(y)">a</a></p>',
    "[a](https://a.example/docs/x_%28y%29)\n",
  ],
  ["links that are none", '<p><a href="javascript:x()">a</a> <a>b</a></p>', "a b\n"],
  [
    "a base",
    '<head><base href="/other/"></head><body><a href="x">a</a>',
    "[a](https://a.example/other/x)\n",
  ],
  [
    "images",
    '<p><img src="i.png" alt="A b"><img src="track.gif"></p>',
    "![A b](https://a.example/docs/i.png)\n",
  ],
  ["images in the page", '<p><img src="data:image/png;base64,AA" alt="A"></p>', "A\n"],
  [
    "a linked image",
    '<a href="x"><img src="i.png" alt="A"></a>',
    "[![A](https://a.example/docs/i.png)](https://a.example/docs/x)\n",
  ],
  ["breaks", "<p>a<br>b</p>", "a\nb\n"],
  ["list", "<ul><li>a</li><li>b</li></ul>", "- a\n- b\n"],
  [
    "list in a list",
    "<ul><li>a<ul><li>b<ol><li>c</li></ol></li></ul></li></ul>",
    "- a\n  - b\n    1. c\n",
  ],
  ["list beside its item", "<ul><li>a</li><ul><li>b</li></ul></ul>", "- a\n  - b\n"],
  ["numbers", '<ol start="9"><li>a</li><li>b</li></ol>', "9. a\n10. b\n"],
  ["paragraphs in items", "<ul><li><p>a</p><p>b</p></li><li>c</li></ul>", "- a\n\n  b\n\n- c\n"],
  ["code in items", "<ul><li>a<pre>x\n y</pre></li></ul>", "- a\n\n  ```\n  x\n   y\n  ```\n"],
  [
    "block of code",
    '<pre><code class="language-js">a < b\n\n  c</code></pre>',
    "```js\na < b\n\n  c\n```\n",
  ],
  [
    "rustdoc",
    '<pre class="rust rust-example-rendered"><code>f()</code></pre>',
    "```rust\nf()\n```\n",
  ],
  [
    "Sphinx",
    '<div class="highlight-python notranslate"><div class="highlight"><pre><span></span>x\n</pre></div></div>',
    "```python\nx\n```\n",
  ],
  [
    "GitHub",
    '<div class="highlight highlight-source-shell"><pre>ls</pre></div>',
    "```shell\nls\n```\n",
  ],
  ["data-lang", '<pre data-lang="rust">fn</pre>', "```rust\nfn\n```\n"],
  ["fences in code", "<pre>```\na\n```</pre>", "````\n```\na\n```\n````\n"],
  [
    "numbers of lines",
    '<table><tr><td class="linenos"><pre>1\n2</pre></td><td><pre class="lang-c">a\nb</pre></td></tr></table>',
    "```c\na\nb\n```\n",
  ],
  ["breaks in code", "<pre>a<br>b</pre>", "```\na\nb\n```\n"],
  [
    "table",
    "<table><thead><tr><th>a<th>b</thead><tr><td>1<td>x|y</table>",
    "| a | b |\n| --- | --- |\n| 1 | x\\|y |\n",
  ],
  [
    "wide cells",
    '<table><tr><th colspan="2">a</th></tr><tr><td>1<td>2</tr></table>',
    "| a |  |\n| --- | --- |\n| 1 | 2 |\n",
  ],
  ["short rows", "<table><tr><th>a<th>b<tr><td>1</table>", "| a | b |\n| --- | --- |\n| 1 |  |\n"],
  ["layout", "<table><tr><td><h2>A</h2><p>b</p></td><td>c</td></tr></table>", "## A\n\nb\n\nc\n"],
  ["quotation", "<blockquote><p>a</p><p>b</p></blockquote>", "> a\n>\n> b\n"],
  [
    "definitions",
    "<dl><dt><code>f(x)</code></dt><dd><p>a</p><p>b</p></dd></dl>",
    "`f(x)`\n\n: a\n\n  b\n",
  ],
  ["a rule", "<p>a</p><hr><p>b</p>", "a\n\n---\n\nb\n"],
  ["details", "<details><summary>a</summary><p>b</p></details>", "**a**\n\nb\n"],
  ["what looks like a list", "<p>1. a</p><p>- b</p><p># c</p>", "1\\. a\n\n\\- b\n\n\\# c\n"],
  ["entities", "<p>&lt;a&gt; &amp;amp; &eacute; &#x1f600; &nbsp;x</p>", "\\<a> &amp; é 😀 x\n"],
  ["a link around blocks", '<a href="x"><h2>A</h2><p>b</p></a>', "## A\n\nb\n"],
  ["elements of its own", "<my-card><p>a</p></my-card><p>b</p>", "a\n\nb\n"],
  ["nothing", "", ""],
  ["no body", "just text", "just text\n"],
  ["unclosed", "<p>a<b>b<ul><li>c", "a\n\nb\n\n- c\n"],
];

for (const [name, html, expected] of CASES) {
  Deno.test(`page as Markdown: ${name}`, () => assertEquals(markdown(html), expected));
}

const AROUND =
  '<header>top</header><nav><a href="/">home</a></nav><div class="cookie-consent">cookies</div>' +
  '<div id="sidebar">side</div><aside>aside</aside><div class="ads">ad</div><div role="navigation">n</div>' +
  "<script>evil()</script><style>x{}</style><noscript>js</noscript><div hidden>hidden</div>" +
  '<div style="display: none">none</div><div aria-hidden="true">ah</div><footer>foot</footer>' +
  '<ul class="breadcrumb"><li>crumb</li></ul><button>Copy</button><form><input value="q"></form>' +
  '<dialog open>dia</dialog><iframe>fr</iframe><div class="social-share">tweet</div>' +
  '<div class="navheader">home</div><div class="navfooter">home</div>';

Deno.test("what surrounds the content is left out, wherever it stands", () => {
  const content =
    "<h1>Title</h1><p>The text of the page, of which there is enough to be seen as such.</p>";
  const expected =
    "# Title\n\nThe text of the page, of which there is enough to be seen as such.\n";
  for (
    const page of [
      `<body>${AROUND}<main>${content}</main></body>`,
      `<body>${AROUND}<article>${content}</article>${AROUND}</body>`,
      `<body>${AROUND}<div role="main">${content}</div></body>`,
      `<body><main>${
        AROUND.replace("<header>top</header>", "").replace("<footer>foot</footer>", "")
      }${content}</main></body>`,
      `<body>${AROUND}<div class="content">${content}${
        content.replaceAll("Title", "Title")
      }</div></body>`,
    ]
  ) {
    const text = markdown(page);
    assert(text.startsWith(expected), text);
    for (
      const noise of ["cookies", "side", "tweet", "crumb", "evil", "hidden", "foot", "home", "Copy"]
    ) {
      assert(!text.includes(noise), `${noise}: ${text}`);
    }
  }
});

Deno.test("a part that is most of the page is the page, whatever it is called", () => {
  const text = markdown(
    `<div class="sidebar-layout menu"><p>${"All of the text. ".repeat(20)}</p></div>`,
  );
  assertStringIncludes(text, "All of the text.");
});

Deno.test("the title, and text without marks", () => {
  const html =
    "<title> A &amp;\n B </title><h1>H</h1><p><b>a*b</b> <a href=x>l</a></p><pre>c</pre>";
  assertEquals(readPage(html, BASE, true), { title: "A & B", text: "H\n\na*b l\n\nc\n" });
  assertEquals(plain("<table><tr><td>a<td>b<tr><td>c<td>d</table>"), "a\tb\nc\td\n");
});

Deno.test("pages made to break readers end in time", () => {
  const deep = "<div>".repeat(10_000) + "x";
  const lists = "<ul><li>".repeat(5_000) + "x";
  const noisy = '<div class="ads">'.repeat(20_000) + "x";
  // More children than a call takes arguments.
  const wide = ["<li>x", "<p>x", "<b>x</b>"].map((one) => `<main><div>${one.repeat(130_000)}`);
  const tables = "<table><tr><td>".repeat(3_000) + "x";
  for (
    const html of [
      deep,
      lists,
      noisy,
      ...wide,
      tables,
      "<".repeat(200_000),
      "<a ".repeat(50_000),
      "`".repeat(100_000),
    ]
  ) {
    assert(typeof markdown(html) === "string");
  }
});

Deno.test("a page of hundreds of thousands of elements in one another is refused, and says so", () => {
  for (const tag of ["<div>", "<b>", "<ul><li>", "<table><tr><td>"]) {
    const error = assertThrows(() => markdown(tag.repeat(200_000)), ToolError);
    assertEquals(error.code, "RESOURCE_LIMIT");
    assertStringIncludes(error.message, "format: html");
  }
});

Deno.test("the part that a page marks is the page: the outermost of its kind, if it is the only one", () => {
  const cases: readonly (readonly [string, string])[] = [
    ["<main>a<div role=main>b</div></main><p>c</p>", "a\n\nb\n"],
    ["<main>a</main><main>b</main><p>c</p>", "a\n\nb\n\nc\n"],
    ["<article>a<article>b</article></article><p>c</p>", "a\n\nb\n"],
    ["<main> \n\u00a0</main><article>b</article><p>c</p>", "b\n"],
    ["<main><script>x</script></main><p>c</p>", "c\n"],
    ["<div itemprop=articleBody>a</div><p>c</p>", "a\n"],
  ];
  for (const [html, expected] of cases) assertEquals(markdown(`<body>${html}`), expected, html);
});

Deno.test("what is called a surrounding is one up to two fifths of the letters of a page", () => {
  const blanks = " \n\t\u00a0\u3000".repeat(100);
  const page = (letters: number) =>
    plain(
      `<body><div class=sidebar><p>${"m".repeat(letters)}${blanks}</p></div><p>${
        "é".repeat(60)
      }</p>`,
    );
  assertEquals(page(40).includes("m"), false);
  assertEquals(page(41).includes("m"), true);
});
