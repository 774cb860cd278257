import { assert, assertEquals } from "@std/assert";
import { checkJson } from "../../../src/syntax/json.ts";
import { Random } from "../../random.ts";

Deno.test("checkJson says where JSON goes wrong", () => {
  const cases: readonly (readonly [string, number, number, string])[] = [
    ["", 1, 1, "the text ends; expected value"],
    ['{"a": 1,}', 1, 9, "unexpected }, expected key; JSON takes no comma before it"],
    ["[1,]", 1, 4, "unexpected ], expected value; JSON takes no comma before it"],
    ['{\n  "a": 1\n  "b": 2\n}', 3, 3, "a string where none may stand"],
    ["{a: 1}", 1, 2, "unexpected a, expected key or }"],
    ["{'a': 1}", 1, 2, "unexpected ', expected key or }; JSON strings stand in double quotes"],
    ["// no\n{}", 1, 1, "unexpected /, expected value; JSON has no comments"],
    ['{"a" 1}', 1, 6, "unexpected 1, expected colon"],
    ['["a', 1, 2, "a string without its closing quote"],
    ['["a\\x"]', 1, 4, "an escape that JSON does not know"],
    ['["a\nb"]', 1, 4, "a raw control character in a string; escape it"],
    ["[01]", 1, 3, "unexpected 1, expected , or ]"],
    ["{} {}", 1, 4, "unexpected {, expected end"],
    ["nul", 1, 1, "unexpected n, expected value"],
    ['["🦕" 1]', 1, 6, "unexpected 1, expected , or ]"],
    ["[".repeat(200_000), 1, 200_001, "the text ends; expected value or ]"],
  ];
  for (const [text, line, column, message] of cases) {
    assertEquals(checkJson(text), { line, column, message });
  }
});

Deno.test("checkJson passes what JSON.parse passes", () => {
  for (const text of ["null", " 1e3 ", '"\\u00e9\\n"', '{"a":[1,{}],"a":2}']) {
    assertEquals(checkJson(text), null, text);
  }
});

Deno.test("checkJson finds a place in every text that JSON.parse refuses", () => {
  const pieces = [
    "{",
    "}",
    "[",
    "]",
    ",",
    ":",
    '"a"',
    "1",
    "-",
    "true",
    "\\",
    '"',
    "\n",
    " ",
    "e",
    ".",
  ];
  const random = new Random(7);
  let refused = 0;
  for (let round = 0; round < 20_000; round++) {
    const text = Array.from({ length: random.below(9) }, () => random.pick(pieces)).join("");
    let valid = true;
    try {
      JSON.parse(text);
    } catch {
      valid = false;
      refused++;
    }
    assertEquals(checkJson(text) === null, valid, JSON.stringify(text));
  }
  assert(refused > 10_000 && refused < 20_000);
});
