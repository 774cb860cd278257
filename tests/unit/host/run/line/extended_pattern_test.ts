import { assertEquals, assertThrows } from "@std/assert";
import { ToolError } from "../../../../../src/core/errors.ts";
import {
  escapeExtended,
  matchesExtended,
} from "../../../../../src/host/run/line/expand/extended_pattern.ts";
import { Random } from "../../../../random.ts";
import { compareWithBash } from "./_line.ts";

Deno.test("alternatives match as bash says", () => {
  const cases: readonly (readonly [string, string, boolean])[] = [
    ["@(a|b)", "a", true],
    ["@(a|b)", "ab", false],
    ["*.@(js|ts)", "x.ts", true],
    ["+([0-9])", "2024", true],
    ["+([0-9])", "", false],
    ["*(ab)", "", true],
    ["?(v)1", "v1", true],
    ["!(a|b)", "c", true],
    ["!(a|b)", "b", false],
    ["!(a)b", "aab", true],
    ["a+(b|@(c|d))e", "abdce", true],
    ["\\@(a)", "@(a)", true],
    ["[@](a)", "@(a)", true],
    ["a(b)", "a(b)", true],
    [escapeExtended("@(a|b)+"), "@(a|b)+", true],
    [escapeExtended("@(a|b)+"), "a+", false],
  ];
  for (const [pattern, text, expected] of cases) {
    assertEquals(matchesExtended(pattern, text, false), expected, `${pattern} on ${text}`);
  }
  assertEquals(matchesExtended("@(A|B)", "b", true), true);
});

Deno.test("patterns that bash matches by how it goes through them are refused, and so are endless ones", () => {
  const many = "a".repeat(5_000);
  for (
    const [pattern, text] of [
      ["@(a", "a"],
      ["@(a(b))", "a"],
      ["@([)", "["],
      ["@()", ""],
      ["*@(|a)", ""],
      ["*?!(a)", "b"],
      ["@(".repeat(40) + "a" + ")".repeat(40), "a"],
      ["*a!(!(!(+(a|b)c)d)e)", many],
      ["+(+(+(*a|*b)))".repeat(50), many],
    ] as const
  ) assertThrows(() => matchesExtended(pattern, text, false), ToolError, "alternatives", pattern);
});

const PIECES = ["a", "b", "c", "a", "b", "*", "?", "[ab]", "[!a]", "\\*", "x", "."];

function sequenceOf(random: Random, depth: number): string {
  const piece = (): string => {
    if (depth === 0 || random.below(2) === 0) return random.pick(PIECES);
    const alternatives = Array.from(
      { length: 1 + random.below(3) },
      () => random.below(8) === 0 ? "" : sequenceOf(random, depth - 1),
    );
    return `${random.pick([..."?*+@!"])}(${alternatives.join("|")})`;
  };
  return Array.from({ length: 1 + random.below(4) }, piece).join("");
}

Deno.test("alternatives of all kinds in one another match as by bash, or are refused", async () => {
  const random = new Random(1309);
  const cases = Array.from({ length: 1_500 }, () => ({
    pattern: sequenceOf(random, 2),
    text: Array.from({ length: random.below(7) }, () => random.pick([..."abababcx*"])).join(""),
  }));
  const script = cases.map(({ pattern, text }) => `p='${pattern}'; [[ '${text}' == $p ]]; echo $?`);
  const bash = new Deno.Command("bash", { stdin: "piped", stdout: "piped" }).spawn();
  const writer = bash.stdin.getWriter();
  const written = writer.write(new TextEncoder().encode(`${script.join("\n")}\n`))
    .then(() => writer.close());
  const { stdout } = await bash.output();
  await written;
  const expected = new TextDecoder().decode(stdout).trim().split("\n");
  let matched = 0;
  for (const [at, { pattern, text }] of cases.entries()) {
    const here = outcome(pattern, text);
    if (here === null) continue;
    assertEquals(here ? "0" : "1", expected[at], `${pattern} on ${text}`);
    if (here) matched++;
  }
  // Not all of them are refused, nor all no match.
  assertEquals(matched > 50, true, String(matched));
});

function outcome(pattern: string, text: string): boolean | null {
  try {
    return matchesExtended(pattern, text, false);
  } catch (error) {
    if (error instanceof ToolError) return null;
    throw error;
  }
}

/** Written in the line, from a variable, and quoted, which makes it text. */
const LINES = [
  "for x in a b c; do [[ $x == @(a|b) ]] && echo $x; done",
  "[[ 2024-11 == +([0-9])-+([0-9]) ]] && echo date",
  "for f in a.ts a.js a.c; do [[ $f != *.@(ts|js) ]] && echo $f; done",
  "p='@(a|b)'; [[ a == $p ]]; echo $?; [[ a == \"$p\" ]]; echo $?; [[ '@(a|b)' == \"$p\" ]]; echo $?",
  "p='!(a)'; [[ b != $p ]]; echo $?",
  "p=b; [[ b == @(a|$p) ]]; echo $?; [[ 'a|b' == @(\"a|b\") ]]; echo $?",
  "[[ '+(a)' == '+(a)' ]]; echo $?; [[ aa == '+(a)' ]]; echo $?",
  "[[ ab == !(a|b) && b == ?(a)b ]]; echo $?",
  "[[ a == *(a|@(b|c))@(a|d) ]]; echo $?",
  "p='@(a|b)'; case a in $p) echo never;; *) echo text;; esac",
  "shopt -s nocasematch; [[ AB == @(ab|c) ]]; echo $?",
];
Deno.test("in lines: written there, from a variable, and quoted", () => compareWithBash(LINES));
