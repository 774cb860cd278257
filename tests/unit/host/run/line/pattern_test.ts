import { assertEquals } from "@std/assert";
import {
  compilePattern,
  escapePattern,
  isPattern,
  plainOf,
  removeMatch,
} from "../../../../../src/host/run/line/expand/pattern.ts";
import { Random } from "../../../../random.ts";
import { runByShell } from "./_line.ts";

Deno.test("patterns match as POSIX says", () => {
  const cases: readonly (readonly [string, string, boolean])[] = [
    ["*", "", true],
    ["*", "anything", true],
    ["a*b*c", "axxbyyc", true],
    ["a*b*c", "axxbyy", false],
    ["?", "ä", true],
    ["?", "🦕", true],
    ["?", "", false],
    ["[abc]", "b", true],
    ["[!abc]", "b", false],
    ["[^abc]", "d", true],
    ["[a-c]x", "bx", true],
    ["[]]", "]", true],
    ["[!]]", "]", false],
    ["[a-]", "-", true],
    ["[[:digit:]]*", "7up", true],
    ["[[:upper:][:digit:]]", "x", false],
    ["[a", "[a", true],
    ["\\*", "*", true],
    ["\\*", "x", false],
    ["[\\]]", "]", true],
    ["**a", "ba", true],
    ["*.txt", ".txt", true],
  ];
  for (const [pattern, text, expected] of cases) {
    assertEquals(compilePattern(pattern).matches(text), expected, `${pattern} on ${text}`);
  }
});

Deno.test("what was quoted stands for itself", () => {
  const odd = "a*b?[c]\\-!^{}";
  assertEquals(isPattern(escapePattern(odd)), false);
  assertEquals(plainOf(escapePattern(odd)), odd);
  assertEquals(compilePattern(escapePattern(odd)).matches(odd), true);
  assertEquals(compilePattern("[.]x").dotted, false);
  assertEquals(compilePattern(".*").dotted, true);
  assertEquals(compilePattern(`${escapePattern(".")}*`).dotted, true);
  for (const plain of ["", "a", "a]", "\\*", "["]) assertEquals(isPattern(plain), false, plain);
  for (const pattern of ["*", "a?", "[a]"]) assertEquals(isPattern(pattern), true, pattern);
});

Deno.test("a pattern made to take for ever does not", () => {
  const pattern = compilePattern("*a".repeat(2_000));
  assertEquals(pattern.matches("a".repeat(1_999) + "b".repeat(50_000)), false);
});

Deno.test("beginnings and ends are removed as by sh", async () => {
  const random = new Random(73);
  const cases: [text: string, pattern: string, operator: string][] = [];
  for (let round = 0; round < 300; round++) {
    const text = random.text(8, ["a", "b", "/", "."]);
    const pattern = random.text(4, ["a", "b", "*", "?", "/", "[ab]", "[!a]"]);
    cases.push([text, pattern, random.pick(["#", "##", "%", "%%"])]);
  }
  const line = cases.map(([text, pattern, operator]) =>
    `x='${text}'; printf '%s\\n' "\${x${operator}${pattern}}"`
  ).join("\n");
  const { stdout, stderr } = await runByShell("/bin/sh", line, "/");
  assertEquals(stderr, "");
  const theirs = stdout.split("\n");
  cases.forEach(([text, pattern, operator], index) => {
    assertEquals(
      removeMatch(text, pattern, operator),
      theirs[index],
      `\${${text}${operator}${pattern}} (seed 73)`,
    );
  });
});
