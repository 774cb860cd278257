import { assert, assertEquals, assertRejects } from "@std/assert";
import { ToolError } from "../../../src/core/errors.ts";
import { createSyntax } from "../../../src/syntax/validators.ts";
import { Random } from "../../random.ts";
import { SYNTAX } from "./_syntax.ts";

const VALID: readonly (readonly [string, string])[] = [
  ["a.json", '{"a": [1, 2]}'],
  ["a.yaml", "a:\n  - b: 1\n    c: |\n      x\n      \ty\n# \tnote\n"],
  ["a.yml", "a: 1\n---\nb: 2\n"],
  ["a.yml", "a: !Ref b\nc: !Sub |\n  x ${y}\nd: !!python/object z\n"],
  ["a.yml", 'a: &x 1\nb: *x\nc: {\n\t"d": 1\n}\n'],
  ["a.yml", "a: \"x\n\ty\"\nb: 'it''s\n\tz'\n"],
  ["a.yml", "a:\tb\n"],
  ["a.yml", "- >-\n  folded\n  \ttext\n- |2\n    x\n\n   \ty\n"],
  ["a.yml", ""],
  ["a.toml", 'a = 1\n[b]\nc = "d"\ne = 9223372036854775807\n'],
  ["a.js", "import a from 'b';\nawait a;\n"],
  ["a.js", "with (a) b;\nreturn 1;\n"],
  ["a.js", "#!/usr/bin/env node\nlet a = 1n ** 2n;\n"],
  ["a.mjs", "export default 1;\n"],
  ["a.cjs", "module.exports = 1;\nreturn;\n"],
  ["a.jsx", "export const A = ({ b }) => <><B.C {...b} d='e'>{b}&nbsp;</B.C></>;\n"],
  ["a.jsx", "return <a />;\n"],
  ["a.ts", "const a = <B>c;\n"],
  ["a.mts", "export const a: number = await b;\n"],
  ["a.cts", "import a = require('b');\nexport = a;\n"],
  ["a.tsx", "const a = <b c={d as E}>f</b>;\n"],
  ["a.d.ts", "export function a(b: string): void;\nexport const c: number;\n"],
  ["A.D.TS", "declare const a: unique symbol;\n"],
  ["a.d.mts", "export const a: string;\n"],
  ["a.py", "match a:\n    case [b, *c]: print(f'{b!r:>{c}}')\n"],
  ["a.pyi", "def a(b: int = ...) -> str: ...\n"],
  ["a.d.py", "a = 1\n"],
  ["a.yaml", "a: &a {b: 1}\nc:\n  <<: *a\n"],
  ["a.yaml", "\ufeffa: 1\n"],
  ["a.json", '\ufeff{"a": 1, "a": 2}'],
  ["a.toml", "\ufeffa = 1\n"],
  ["a.toml", "a = 2024-02-29\nb = [2000-02-29T01:02:03Z, 1996-12-31]\n"],
  ["a.toml", '2023-02-30 = \'2023-02-31\' # 2023-02-30\n[2023-02-31]\na = """2023-04-31"""\n'],
  ["a.js", "\ufeff#!/usr/bin/env node\nlet a;\n"],
  ["a.jsx", "\ufefflet a;\n"],
  ["a.ts", "\ufefflet a: b;\n"],
  ["a.tsx", "\ufefflet a: b;\n"],
  ["a.py", "\ufeffa = 1\n"],
  ["a.ipynb", "{"],
  ["a.json5", "{"],
  ["a.constructor", "{"],
  ["a.d", "{"],
  ["a.txt", "{"],
  ["json", "{"],
  [".json/a", "{"],
  ["a.jsonc", "{"],
];

Deno.test("check() passes valid text, and what has no validator", async () => {
  for (const [path, text] of VALID) await SYNTAX.check(path, text);
});

const INVALID: readonly (readonly [string, string, number, number, string])[] = [
  ["a.json", '{\n  "a": 1,\n}', 3, 1, "unexpected }, expected key; JSON takes no comma before it"],
  ["A.JSON", "{", 1, 2, "the text ends; expected key or }"],
  [
    "a.yaml",
    "a: 1\nb: [c\n",
    3,
    1,
    "Cannot read flow collection: unexpected end of the stream within a flow collection",
  ],
  ["a.yaml", "a: 1\na: 2\n", 2, 1, "Cannot store mapping pair: duplicated key"],
  ["a.yaml", "a:\n\tb: 1\n", 2, 1, "a tab indents this line; YAML takes spaces only"],
  ["a.yaml", "a:\n  \tb: 1\n", 2, 3, "a tab indents this line; YAML takes spaces only"],
  ["a.yaml", "a: |\n  x\n\ty: 1\n", 3, 1, "a tab indents this line; YAML takes spaces only"],
  ["a.yaml", "a: '#'\n\tb: 1\n", 2, 1, "a tab indents this line; YAML takes spaces only"],
  ["a.yaml", "a: it's\n\tb: 1\n", 2, 1, "a tab indents this line; YAML takes spaces only"],
  [
    "a.yaml",
    "a: !Ref b\nc: [\n",
    3,
    1,
    "Cannot read flow collection: unexpected end of the stream within a flow collection",
  ],
  ["a.yaml", "[".repeat(100_000), 1, 1, "it is nested too deeply to be judged"],
  ["a.toml", "a = 1\na = 2\n", 2, 1, "trying to redefine an already defined table or value"],
  ["a.toml", "a = 2023-02-30\n", 1, 5, "there is no 2023-02-30 in the calendar"],
  ["a.toml", "a = 1900-02-29\n", 1, 5, "there is no 1900-02-29 in the calendar"],
  [
    "a.toml",
    "2023-02-29 = 1\na = [1, 2023-02-29T01:02:03Z]\n",
    2,
    9,
    "there is no 2023-02-29 in the calendar",
  ],
  [
    "a.toml",
    "[a]\n'\u{1f600}' = 2023-11-31 01:02\n",
    2,
    7,
    "there is no 2023-11-31 in the calendar",
  ],
  [
    "a.toml",
    `a = ${"[".repeat(100_000)}`,
    1,
    1005,
    "document contains excessively nested structures. aborting.",
  ],
  ["a.mjs", "let a = ;", 1, 9, "Unexpected token"],
  ["a.mjs", "return 1", 1, 1, "'return' outside of function"],
  [
    "a.cjs",
    "export default 1",
    1,
    1,
    "'import' and 'export' may appear only with 'sourceType: module'",
  ],
  ["a.js", "const a = 1;\nconst a = 2;\n", 2, 7, "Identifier 'a' has already been declared"],
  ["a.js", "'🦕' )", 1, 5, "Unexpected token"],
  ["a.js", "(".repeat(200_000), 1, 1, "it is nested too deeply to be judged"],
  ["tsconfig.json", "{\n  // no\n}", 2, 3, "unexpected /, expected key or }; JSON has no comments"],
  ["a.json", "\ufeff{,}", 1, 2, "unexpected ,, expected key or }"],
  ["a.jsx", "let a = <b>c</d>;", 1, 13, "Expected corresponding JSX closing tag for <b>."],
  ["a.jsx", "<a>".repeat(100_000), 1, 1, "it is nested too deeply to be judged"],
  ["a.jsx", "let a: b = 1;", 1, 6, "Missing semicolon."],
  ["a.ts", "let a = <b>c</b>;", 1, 15, "Unterminated regular expression."],
  ["a.tsx", "let a = <b>c;", 1, 12, "Unterminated JSX contents."],
  ["a.d.ts", "export const a: ;", 1, 17, "Unexpected token"],
  ["a.cts", "let a = (1;", 1, 11, 'Unexpected token, expected ","'],
  ["a.py", "\ufeffif a\n    b\n", 1, 5, "Expected `:`, found newline"],
  ["a.pyi", "def a() -> : ...\n", 1, 12, "Expected an expression"],
  [
    "a.yaml",
    "a: &a {b: 1}\nc:\n  <<: *a\n  <<: *a\n",
    4,
    3,
    "Cannot store mapping pair: duplicated key",
  ],
  [
    "a.yaml",
    "a: 1\n---\nb: [\n",
    4,
    1,
    "Cannot read flow collection: unexpected end of the stream within a flow collection",
  ],
  ["a.yaml", "- ".repeat(100_000), 1, 1, "it is nested too deeply to be judged"],
];

Deno.test("check() refuses invalid text with the place", async () => {
  for (const [path, text, line, column, message] of INVALID) {
    const error = await assertRejects(() => SYNTAX.check(path, text), ToolError);
    assertEquals(error.code, "SYNTAX_INVALID");
    assertEquals(error.message.split("\n")[0], `${path}:${line}:${column}: ${message}`);
    assertEquals([error.details?.line, error.details?.column], [line, column]);
  }
});

Deno.test("the refusal shows the line with a caret under the place", async () => {
  const error = await assertRejects(() => SYNTAX.check("a.json", '{\n\t"a": x\n}'), ToolError);
  assertEquals(error.message.split("\n").slice(1, 3), [' "a": x', "      ^"]);
  assertEquals(error.details?.text, ' "a": x');
  const long = await assertRejects(
    () => SYNTAX.check("a.json", `["${"x".repeat(500)}", oops, "${"y".repeat(500)}"]`),
    ToolError,
  );
  const [, shown = "", caret = ""] = long.message.split("\n");
  assertEquals([shown.length, shown[caret.length - 1]], [120, "o"]);
});

Deno.test("the caret stands under the place, whatever stands before it", async () => {
  const cases: readonly (readonly [string, string])[] = [
    ["[\t\t\u200b\u202e\x1b\x07, 1]", "[  \ufffd\ufffd\ufffd\ufffd, 1]"],
    ['["\u65e5\u672c\ud83e\udd95" 1]', '["\u65e5\u672c\ud83e\udd95" 1]'],
    ["[1\t2]\r\n", "[1 2]"],
  ];
  const places = [4, 8, 4];
  for (const [index, [text, expected]] of cases.entries()) {
    const error = await assertRejects(() => SYNTAX.check("a.json", text), ToolError);
    const [, shown = "", caret = ""] = error.message.split("\n");
    const column = places[index] ?? 0;
    assertEquals([shown, caret.length, error.details?.column], [expected, column, column]);
    assertEquals(error.details?.text, expected);
  }
});

Deno.test("what is too long to be judged says so; JSON is judged at any length", async () => {
  const long = "a".repeat((1 << 20) + 1);
  for (const ending of ["py", "ts", "tsx", "js", "jsx", "yaml", "toml"]) {
    const error = await assertRejects(() => SYNTAX.check(`a.${ending}`, long), ToolError);
    assertEquals(
      error.message.split("\n")[0],
      `a.${ending}:1:1: it is too long (over 1048576 characters) to be judged`,
    );
    assertEquals([error.code, error.details?.line], ["SYNTAX_INVALID", 1]);
    assert(error.message.includes("validate_syntax: false"));
  }
  await SYNTAX.check("a.json", `[${"1,".repeat(5_000_000)}1]`);
});

Deno.test("aliases and merges cost what their text does", async () => {
  const names = Array.from({ length: 40 }, (_, index) => index);
  const bomb = "a0: &a0 [x]\n" +
    names.map((at) => `a${at + 1}: &a${at + 1} [${`*a${at}, `.repeat(9)}]\n`).join("");
  await SYNTAX.check("a.yaml", bomb);
  const merges = "b0: &b0 {x: 1}\n" +
    Array.from(
      { length: 20_000 },
      (_, at) => `b${at + 1}: &b${at + 1}\n  <<: *b${at}\n  k${at}: 1\n`,
    ).join("");
  await SYNTAX.check("a.yaml", merges);
});

Deno.test("long lines, many declarations: time grows with the length", async () => {
  const million = 1_000_000;
  await SYNTAX.check("a.yaml", `a: "${"- : ? ".repeat(million / 6)}"\n`);
  await assertRejects(() => SYNTAX.check("a.yaml", "? ".repeat(million / 2)), ToolError);
  const names = Array.from({ length: 50_000 }, (_, at) => `let name${at};`).join("");
  for (const path of ["a.js", "a.mjs", "a.jsx", "a.ts"]) await SYNTAX.check(path, names);
});

Deno.test("the parser for Python is asked for once, and not before there is Python", async () => {
  let asked = 0;
  const syntax = createSyntax({
    modules: () => {
      asked++;
      return Promise.reject(new ToolError("EXECUTION_ERROR", "cannot be read"));
    },
  });
  await syntax.check("a.json", "{}");
  await syntax.check("a.txt", "x");
  assertEquals(asked, 0);
  const error = await assertRejects(() => syntax.check("a.py", "a = 1"), ToolError);
  assertEquals([asked, error.code], [1, "EXECUTION_ERROR"]);
});

Deno.test("any text gets a verdict, with a place that is in it", async () => {
  const alphabet = [
    ..."()[]{}<>:;,.=+-*/%&|^~!?@#$\\'\"`\n\t 0a",
    ...[
      "\r\n",
      "\0",
      "\ud83e",
      "🦕",
      "\u2028",
      "é",
      "\ufeff",
      "---\n",
      '"""',
      "f'",
      "`${",
      "<a>",
      "</a>",
    ],
    ...[
      "if ",
      "def ",
      "class ",
      "let ",
      "a: ",
      "- ",
      "&a ",
      "*a ",
      "!a ",
      "= ",
      "[a]\n",
      "=> ",
      "0x",
      "  ",
    ],
  ];
  const random = new Random(21);
  let refused = 0;
  for (let round = 0; round < 400; round++) {
    const text = random.text(14, alphabet);
    for (
      const ending of ["py", "ts", "tsx", "d.ts", "js", "mjs", "cjs", "jsx", "yaml", "toml", "json"]
    ) {
      try {
        await SYNTAX.check(`a.${ending}`, text);
      } catch (error) {
        refused++;
        const about = `${ending} ${JSON.stringify(text)}`;
        assert(error instanceof ToolError && error.code === "SYNTAX_INVALID", about);
        assert(!error.message.includes("parser fails"), about);
        const { line, column } = error.details as { line: number; column: number };
        const lines = text.replace(/^\ufeff/, "").split("\n");
        assert(line >= 1 && line <= lines.length, about);
        assert(column >= 1 && column <= [...lines[line - 1] ?? ""].length + 1, about);
      }
    }
  }
  assert(refused > 2_000);
});

Deno.test("a date of TOML is one of the calendar, for each day of some years", async () => {
  for (const year of [1900, 2000, 2023, 2024]) {
    for (let month = 1; month <= 12; month++) {
      for (let day = 1; day <= 31; day++) {
        const date = new Date(Date.UTC(year, month - 1, day));
        const there = date.getUTCMonth() === month - 1;
        const digits = (part: number) => String(part).padStart(2, "0");
        const text = `a = ${year}-${digits(month)}-${digits(day)}\n`;
        if (there) await SYNTAX.check("a.toml", text);
        else await assertRejects(() => SYNTAX.check("a.toml", text), ToolError, text);
      }
    }
  }
});
