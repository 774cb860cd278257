import { assert, assertEquals, assertThrows } from "@std/assert";
import { compileGlob, GlobError, type GlobPlace } from "../../../src/core/glob.ts";
import { Random } from "../../random.ts";

Deno.test("compileGlob matches names and paths", () => {
  const cases: readonly (readonly [string, readonly string[], readonly string[]])[] = [
    ["*.ts", ["a.ts", "src/a.ts", ".ts", "x/.b.ts"], ["a.tsx", "a.ts/b", "ats"]],
    ["*", ["a", "a/b", ".x"], []],
    ["a?c", ["abc", "a🦕c"], ["ac", "abbc"]],
    ["src/*.ts", ["src/a.ts"], ["a.ts", "src/x/a.ts", "x/src/a.ts"]],
    ["./src/*.ts", ["src/a.ts"], ["x/src/a.ts"]],
    ["/a.ts", ["a.ts"], ["src/a.ts"]],
    ["**/a.ts", ["a.ts", "x/a.ts", "x/y/a.ts"], ["xa.ts"]],
    ["src/**", ["src", "src/a", "src/a/b"], ["srcx/a"]],
    ["src/", ["src", "src/a", "src/a/b"], ["srcx/a"]],
    ["src/**/b.ts", ["src/b.ts", "src/x/y/b.ts"], ["b.ts"]],
    ["**", ["a", "a/b"], []],
    ["*.{ts,js}", ["a.ts", "x/b.js"], ["a.{ts,js}"]],
    ["{a,b/{c,d}}/x", ["a/x", "b/c/x", "b/d/x"], ["b/x"]],
    ["{a,b/c}", ["a", "x/a", "b/c"], ["x/b/c"]],
    ["a{,.bak}", ["a", "a.bak"], ["a.ba"]],
    ["{a}", ["a"], ["{a}"]],
    ["[a-c]x", ["ax", "cx"], ["dx", "-x"]],
    ["[!a-c]x", ["dx"], ["ax", "x"]],
    ["[^a]x", ["bx"], ["ax"]],
    ["[]a]x", ["]x", "ax"], ["bx"]],
    ["[a\\]]x", ["]x", "ax"], ["\\x"]],
    ["[a-]x", ["-x", "ax"], ["bx"]],
    ["[{,}]x", ["{x", ",x"], ["x"]],
    ["[.^$|]x", [".x", "^x", "$x", "|x"], ["ax"]],
    ["\\*\\{a\\}", ["*{a}"], ["x{a}"]],
    ["a+(b).$|^", ["a+(b).$|^"], ["aab"]],
    ["*a*b*", ["ab", "xaxbx"], ["ba"]],
    ["a*a", ["aa", "aba"], ["a"]],
    ["ab*bc", ["abbc", "abxbc"], ["abc"]],
    ["größe*", ["größe.txt"], ["grosse.txt"]],
  ];
  for (const [glob, yes, no] of cases) {
    const { matches } = compileGlob(glob);
    for (const path of yes) assert(matches(path), `${glob} should match ${path}`);
    for (const path of no) assert(!matches(path), `${glob} should not match ${path}`);
  }
});

Deno.test("compileGlob says what is wrong with a glob", () => {
  const cases: readonly (readonly [string, string])[] = [
    ["", "it is empty"],
    ["[a", "[ is not closed"],
    ["[", "[ is not closed"],
    ["a/[b/c]", "[ is not closed"],
    ["{a,b", "{ is not closed"],
    ["a}", "} without its {"],
    ["a\\", "lone backslash"],
    ["[z-a]", "runs backwards"],
    ["[[:alpha:]]", "write ranges"],
    ["{a,b}".repeat(9), "more than 256 alternatives"],
    ["x".repeat(5000), "longer than 4096"],
  ];
  for (const [glob, part] of cases) assertThrows(() => compileGlob(glob), GlobError, part);
});

Deno.test("no glob takes long over any path", () => {
  // A backtracking matcher would need more than 10^20 steps for each of these.
  const path = "a".repeat(250);
  assertEquals(compileGlob("*a".repeat(30) + "*b").matches(path), false);
  assertEquals(
    compileGlob("**/".repeat(40) + "b").matches(Array.from({ length: 100 }, () => "a").join("/")),
    false,
  );
});

Deno.test("a place tells which directories are worth going into", () => {
  const cases: readonly (readonly [string, readonly string[], readonly string[]])[] = [
    ["*.ts", ["a", "a/b"], []],
    ["src/*.ts", ["src"], ["lib", "src/a"]],
    ["src/**/*.ts", ["src", "src/a/b"], ["lib", "lib/src"]],
    ["{src,lib/x}/a", ["src", "lib", "lib/x"], ["src/a", "lib/y", "x"]],
    ["a*/b", ["a", "ab"], ["b", "a/b"]],
    ["**/b/c", ["a", "b", "a/b"], []],
  ];
  for (const [glob, worth, useless] of cases) {
    const into = (path: string) =>
      path.split("/").reduce<GlobPlace | null>(
        (place, name) => place?.into(name) ?? null,
        compileGlob(glob).start,
      );
    for (const path of worth) assert(into(path) !== null, `${glob} below ${path}`);
    for (const path of useless) assertEquals(into(path), null, `${glob} below ${path}`);
  }
});

Deno.test("a glob knows whether it names hidden files", () => {
  const cases: readonly (readonly [string, boolean])[] = [
    [".env", true],
    [".github/**", true],
    ["**/.*", true],
    ["{a,.b}", true],
    ["*", false],
    ["a.b", false],
    ["./a", false],
    ["?env", false],
  ];
  for (const [glob, hidden] of cases) assertEquals(compileGlob(glob).namesHidden, hidden, glob);
});

Deno.test("compileGlob agrees with a plain backtracking matcher", () => {
  const naive = (glob: string, name: string): boolean => {
    if (glob === "") return name === "";
    if (glob[0] === "*") {
      return naive(glob.slice(1), name) || (name !== "" && naive(glob, name.slice(1)));
    }
    return name !== "" && (glob[0] === "?" || glob[0] === name[0]) &&
      naive(glob.slice(1), name.slice(1));
  };
  const random = new Random(3);
  const word = (alphabet: string, most: number) =>
    Array.from({ length: 1 + random.below(most) }, () => random.pick([...alphabet])).join("");
  let matched = 0;
  for (let round = 0; round < 5_000; round++) {
    const glob = word("ab*?", 7);
    const name = word("ab", 7);
    // `**` alone is a part of its own; on one name it means the same.
    assertEquals(compileGlob(glob).matches(name), naive(glob, name), `${glob} on ${name}`);
    if (naive(glob, name)) matched++;
  }
  assert(matched > 500);
});
