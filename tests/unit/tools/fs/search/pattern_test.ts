import { assert, assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import { ToolError } from "../../../../../src/core/errors.ts";
import { compilePattern, type SearchPattern } from "../../../../../src/tools/fs/search/pattern.ts";
import { createScanner } from "../../../../../src/tools/fs/search/scanner.ts";
import { createTextSearch } from "../../../../../src/tools/fs/search/_text.ts";
import { Random } from "../../../../random.ts";
import { randomPattern, randomText } from "./_random_patterns.ts";

const compile = (pattern: string, more: { literal?: boolean; case_sensitive?: boolean } = {}) =>
  compilePattern({ pattern, literal: false, case_sensitive: true, ...more });

Deno.test("every match of a pattern holds one of its literals", () => {
  const cases: readonly (readonly [string, readonly (readonly string[])[]])[] = [
    ["foo", [["foo"]]],
    ["foo.*quux", [["quux"], ["foo"]]],
    ["\\bfunction \\w+Error\\b", [["function "], ["Error"]]],
    ["foo|bar", [["foo", "bar"]]],
    ["(foo|bar)baz", [["foobaz", "barbaz"]]],
    ["(foo.*|bar)\\w+quux", [["quux"], ["foo", "bar"]]],
    ["https?://", [["https://", "http://"]]],
    ["[fg]oo", [["foo", "goo"]]],
    ["(abc)+d", [["abc"], ["d"]]],
    ["a{3}b", [["aaab"]]],
    ["x{2,}", [["xx"]]],
    ["foo(?=bar)", [["foo"]]],
    ["(?:foo)?", []],
    ["foo|", []],
    ["\\w+", []],
    ["[a-z]oo", [["oo"]]],
    ["\\x66oo\\.ts", [["foo.ts"]]],
    ["(?<name>ab)\\k<name>", [["ab"]]],
    ["(?i:foo)bar", [["bar"]]],
    ["a|b|c|d|e|f|g|h|i", []],
    ["größe", [["größe"]]],
    ["\\ufffdx", [["x"]]],
    ["🦕+", [["🦕"]]],
  ];
  for (const [pattern, groups] of cases) {
    assertEquals(compile(pattern).literals.groups, groups, pattern);
  }
  const folded: readonly (readonly [string, readonly (readonly string[])[]])[] = [
    ["FooBar", [["foobar"]]],
    ["größe", [["gr"], ["e"]]],
    ["\\p{L}task", [["ta"]]],
  ];
  for (const [pattern, groups] of folded) {
    assertEquals(compile(pattern, { case_sensitive: false }).literals.groups, groups, pattern);
    assertEquals(compile(`(?i)${pattern}`).literals.groups, groups, pattern);
  }
  assertEquals(compile("a.b", { literal: true }).literals.groups, [["a.b"]]);
});

Deno.test("a pattern that is nothing but its literals is known as such", () => {
  const cases: readonly (readonly [string, boolean])[] = [
    ["foo", true],
    ["foo|bar", true],
    ["[ab]c", true],
    ["(?:a|b)c{2}", true],
    ["^foo", false],
    ["foo\\b", false],
    ["(?=f)foo", false],
    ["foo+", false],
    ["foo.", false],
    ["(foo)\\1", false],
    ["foo\r", false],
    ["foo|", false],
  ];
  for (const [pattern, sufficient] of cases) {
    assertEquals(compile(pattern).literals.sufficient, sufficient, pattern);
  }
});

Deno.test("what other dialects write is refused with what to write instead", () => {
  const cases: readonly (readonly [string, string])[] = [
    ["\\Afoo", "write ^"],
    ["foo\\z", "write $"],
    ["foo\\Z", "write $"],
    ["\\h+", "write [ \\t]"],
    ["\\Qa.b\\E", "literal: true"],
    ["foo\\Kbar", "(?<="],
    ["C:\\Users", "write \\\\ for a backslash"],
    ["[[:alpha:]]+", "write [A-Za-z]"],
    ["[^[:space:]]", "write [\\s]"],
    ["(?P<name>x)", "(?<name>"],
    ["(?>a+)b", "write (?:"],
    ["a++b", "(possessive) is not known; write +"],
    ["(?#note)a", "leave it out"],
    ["a(?i)b", "(?i:"],
    ["(?x) a b", "the flag x"],
    ["a{,3}", "write {0,3}"],
    ["\\x{41}", "\\u{1f600}"],
    ["\\u12", "four digits"],
    ["\\g{1}", "write \\1"],
    ["(*SKIP)a", "leave it out"],
    ["(", "Unterminated group"],
    ["[z-a]", "Range out of order"],
    ["\\p{Nope}", "Invalid property name"],
    ["a\nb", "lines are searched one by one"],
    ["foo\\n", "context: N"],
    ["(a\\n|b\\r\\n)", "needs a line break"],
  ];
  for (const [pattern, hint] of cases) {
    const error = assertThrows(() => compile(pattern), ToolError);
    assertEquals(error.code, "INVALID_PATTERN");
    assertStringIncludes(error.message, pattern.includes("\n") ? "\\n" : hint, pattern);
    assertStringIncludes(error.message, hint, pattern);
    assertStringIncludes(error.message, "literal: true");
  }
  const taken = [
    "\\<div\\>",
    "a\\-b",
    "\\/",
    "foo(\\n|$)",
    "[\\s\\n]",
    "(?s)a.b",
    "(?im)a",
    "a\\|b",
    "{",
    "]",
    "x{a}",
    "(?i:a)b",
    "[]",
    "\\cJ",
    "(((((a)))))",
    "🦕\\-",
  ];
  for (const pattern of taken) compile(pattern);
  assertEquals(compile("(".repeat(300) + "a" + ")".repeat(300)).literals.groups, []);
  // Without the flag a literal is a literal.
  assertEquals(compile("(?i)\\A", { literal: true }).literals.groups, [["(?i)\\A"]]);
});

Deno.test("a character beyond the basic plane is one character", () => {
  const cases: readonly (readonly [string, string, boolean])[] = [
    ["^.$", "🦕", true],
    ["^..$", "🦕", false],
    ["a.b", "a🦕b", true],
    ["^[🦕🦖]$", "🦖", true],
    ["🦕{2}", "🦕🦕", true],
    ["\\u{1f995}", "🦕", true],
    ["^\\p{L}+$", "größe", true],
    // Annex B syntax, which has no flag u.
    ["^\\-.", "-🦕", true],
  ];
  for (const [pattern, text, matches] of cases) {
    const { total } = search(compile(pattern), text);
    assertEquals(total, matches ? 1 : 0, pattern);
  }
});

function search(pattern: SearchPattern, text: string, wanted = 100) {
  const piece = { text, start: 0, end: text.length };
  return createTextSearch(pattern)([piece], { wanted, context: 0, pause: () => {} });
}

/** What search is to find: every line on its own, held against the expression as it is written. */
function naive(pattern: SearchPattern, text: string): readonly string[] {
  const lines = text.split("\n");
  if (lines.at(-1) === "") lines.pop();
  const expression = /[\ud800-\udbff]/.test(text) ? pattern.wide : pattern.line;
  return lines.flatMap((line, index) => {
    const content = line.replace(/\r$/, "");
    const at = content.search(expression);
    return at < 0 ? [] : [`${index + 1}:${[...content.slice(0, at)].length + 1}:${content}`];
  });
}

Deno.test("fuzz: literals decide nothing that lines would not, in text and in bytes", () => {
  const random = new Random(77);
  const encoder = new TextEncoder();
  let found = 0;
  let spared = 0;
  for (let round = 0; round < 2000; round++) {
    const source = randomPattern(random);
    let pattern: SearchPattern;
    try {
      pattern = compile(source, { case_sensitive: random.once(2) });
    } catch (error) {
      // It needs a line break.
      assert(error instanceof ToolError);
      continue;
    }
    const scanner = createScanner(pattern);
    for (let probe = 0; probe < 6; probe++) {
      const text = randomText(random);
      const label = `${pattern.line} ${JSON.stringify(pattern.literals)} ${JSON.stringify(text)}`;
      const expected = naive(pattern, text);
      const { matches, total } = search(pattern, text);
      assertEquals(
        matches.map((one) => `${one.line}:${one.column}:${one.content}`),
        expected,
        label,
      );
      assertEquals(total, expected.length, label);
      assertEquals(search(pattern, text, 0), { matches: [], total }, label);
      const bytes = encoder.encode(text);
      scanner.bytes.set(bytes);
      const holds = scanner.holdsLiterals(bytes.length);
      if (expected.length > 0) assert(holds, label);
      found += expected.length;
      spared += holds ? 0 : 1;
    }
  }
  assert(found > 5000 && spared > 3000, `${found} ${spared}`);
});
