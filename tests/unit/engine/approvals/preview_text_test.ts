import { assertEquals } from "@std/assert";
import { previewText } from "../../../../src/engine/approvals/preview_text.ts";

const CASES: readonly (readonly [preview: unknown, lines: readonly string[]])[] = [
  [null, [""]],
  [{ argv: ["git", "push", "origin"], cwd: ".", env: [] }, ["  $ git push origin"]],
  [
    { commands: [["cat", "a b"], ["rm", "it's", "-rf", ""]], cwd: "src", env: ["A", "B"] },
    ["  $ cat 'a b'", "  $ rm 'it'\\''s' -rf ''", "  in src", "  with A, B set"],
  ],
  [{ commands: [], cwd: "." }, ["  {", '    "commands": [],', '    "cwd": "."', "  }"]],
  [{ path: "a", diff: "-x\n+y" }, ["  <-x>", "  <+y>"]],
  [{ argv: ["echo", "\x1b[2J"], cwd: "." }, ["  $ echo '\\x1b[2J'"]],
];

Deno.test("previewText() shows what would happen as a person reads it", () => {
  for (const [preview, lines] of CASES) {
    assertEquals(previewText(JSON.stringify(preview), (line) => `<${line}>`), lines.join("\n"));
  }
});

Deno.test("previewText() leaves the question on the screen", () => {
  const shown = previewText(JSON.stringify({ diff: "+a\n".repeat(100) }), (line) => line);
  assertEquals([shown.split("\n").length, shown.split("\n").at(-1)], [41, "  … 61 more lines"]);
});
