import { assert, assertEquals } from "@std/assert";
import { findOpenBracket } from "../../../src/syntax/_python_lines.ts";
import { Random } from "../../random.ts";

Deno.test("findOpenBracket() finds the first bracket that is never closed", () => {
  const cases: readonly (readonly [string, number | null])[] = [
    ["", null],
    ["a(b)[c]{d}", null],
    ["a(b", 1],
    ["f(a, [b\n", 1],
    ["f()[", 3],
    ["(]", null],
    [")(", null],
    ["# (\n[", 4],
    ["'(' + [", 6],
    ["'''(\n''' + [", 11],
    ['"\\"(" [', 6],
    ["r'\\' [", null],
    ["'(\n[", 3],
    ["f'{a[0]}' (", 10],
    ["f'{a[0}' (", null],
    ["f'{a", 2],
    ["f'{{' (", 6],
    ["f'{a:#x}' (", 10],
    ["f'{\"(\"}' (", 9],
    ["t'{f\"{'('}\"}' (", 14],
    ["xf'{' (", 6],
    ["'{' (", 4],
    ["\u{1f995}(", 2],
  ];
  for (const [text, at] of cases) assertEquals(findOpenBracket(text), at, text);
});

Deno.test("findOpenBracket() answers for any text with an opening bracket in it, or with null", () => {
  const alphabet = ["(", ")", "[", "]", "{", "}", "'", '"', "'''", "f'", "#", "\\", "\n", "a"];
  const random = new Random(3);
  for (let round = 0; round < 20_000; round++) {
    const text = random.text(12, alphabet);
    const at = findOpenBracket(text);
    assert(at === null || "([{".includes(text[at] ?? " "), JSON.stringify(text));
  }
});
