import { assertEquals } from "@std/assert";
import { printable, quoted } from "../../../src/core/printable.ts";

Deno.test("printable escapes what a terminal or a reader could be fooled by", () => {
  const cases: readonly (readonly [string, string])[] = [
    ["src/a.ts", "src/a.ts"],
    ["größe 日本 🦕", "größe 日本 🦕"],
    ["a\nb\r\tc", "a\\nb\\r\\tc"],
    ["\x1b[2J\x07\x7f\x9b", "\\x1b[2J\\x07\\x7f\\x9b"],
    ["safe\u202ecod.exe", "safe\\u202ecod.exe"],
    ["zero\u200bwidth\ufeff", "zero\\u200bwidth\\ufeff"],
    ["\ud800", "\\ud800"],
    ["\u{e0041}", "\\u{e0041}"],
    ["line\u2028para\u2029", "line\\u2028para\\u2029"],
  ];
  for (const [text, expected] of cases) assertEquals(printable(text), expected);
});

Deno.test("printable leaves printable ASCII alone and looks at all that is not", () => {
  for (let code = 0; code < 0x3000; code++) {
    const character = String.fromCharCode(code);
    const unsafe = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/u.test(character);
    assertEquals(printable(`a${character}b`) === `a${character}b`, !unsafe, code.toString(16));
  }
});

Deno.test("printable cuts long text and never through a character", () => {
  assertEquals(printable("abcdef", 3), "abc…");
  assertEquals(printable("ab🦕cd", 3), "ab…");
  assertEquals(quoted('say "hi"'), '"say \\"hi\\""');
});
