import { assertEquals, assertRejects } from "@std/assert";
import { ToolError } from "../../../src/core/errors.ts";
import { checkSyntax } from "../../../src/syntax/validators.ts";

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
  ["a.txt", "{"],
  ["json", "{"],
  [".json/a", "{"],
  ["a.jsonc", "{"],
];

Deno.test("checkSyntax passes valid text, and what has no validator", async () => {
  for (const [path, text] of VALID) await checkSyntax(path, text);
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
];

Deno.test("checkSyntax refuses invalid text with the place", async () => {
  for (const [path, text, line, column, message] of INVALID) {
    const error = await assertRejects(() => checkSyntax(path, text), ToolError);
    assertEquals(error.code, "SYNTAX_INVALID");
    assertEquals(error.message.split("\n")[0], `${path}:${line}:${column}: ${message}`);
    assertEquals([error.details?.line, error.details?.column], [line, column]);
  }
});

Deno.test("the refusal shows the line with a caret under the place", async () => {
  const error = await assertRejects(() => checkSyntax("a.json", '{\n\t"a": x\n}'), ToolError);
  assertEquals(error.message.split("\n").slice(1, 3), [' "a": x', "      ^"]);
  assertEquals(error.details?.text, ' "a": x');
  const long = await assertRejects(
    () => checkSyntax("a.json", `["${"x".repeat(500)}", oops, "${"y".repeat(500)}"]`),
    ToolError,
  );
  const [, shown = "", caret = ""] = long.message.split("\n");
  assertEquals([shown.length, shown[caret.length - 1]], [120, "o"]);
});
