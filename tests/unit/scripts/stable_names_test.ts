import { assertEquals, assertNotEquals, assertThrows } from "@std/assert";
import { stableNames } from "../../../scripts/_stable_names.ts";

/** A bundle as the bundler makes it, with the hashes that some place gives. */
function bundle(hash: (name: string) => string): Map<string, string> {
  const [a, b, c, d] = ["a", "b", "c", "d"].map(hash);
  return new Map([
    ["main.js", `import{x}from"./chunk-${a}.js";await import("./tool-${d}.js");"./other.js"`],
    [`chunk-${a}.js`, `import"./chunk-${b}.js";export const x="./chunk-ZZZZZZZZ.js";`],
    // Two that differ by nothing but what they import.
    [`chunk-${b}.js`, `import"./chunk-${c}.js";`],
    [`chunk-${c}.js`, `import"./tool-${d}.js";`],
    // A circle.
    [`tool-${d}.js`, `const f=()=>import("./chunk-${a}.js");`],
  ]);
}

const here = bundle((name) => name.toUpperCase().repeat(8));
const there = bundle((name) => `${name.toUpperCase()}1234567`);

Deno.test("stableNames() gives the same names and texts whatever the bundler's were", () => {
  const sorted = (texts: ReadonlyMap<string, string>) =>
    [...stableNames(texts).values()].sort((a, b) => a.name < b.name ? -1 : 1);
  assertEquals(sorted(here), sorted(there));
  assertEquals(new Set(sorted(here).map(({ name }) => name)).size, here.size);
});

Deno.test("stableNames() has every part name those that it named, and touches nothing else", () => {
  const renamed = stableNames(here);
  for (const [old, text] of here) {
    const expected = text.replaceAll(/"\.\/([^"]+)"/g, (whole, name) => {
      const to = renamed.get(name);
      return to === undefined ? whole : `"./${to.name}"`;
    });
    assertEquals(renamed.get(old)?.text, expected);
  }
  assertEquals(renamed.get("main.js")?.name, "main.js");
});

Deno.test("stableNames() gives a part another name when something else is in it", () => {
  const [name] = [...here.keys()].slice(-1) as [string];
  const changed = new Map(here).set(name, "const f=1;");
  assertNotEquals(stableNames(changed).get(name)?.name, stableNames(here).get(name)?.name);
});

Deno.test("stableNames() refuses two parts that nothing tells apart", () => {
  const same = new Map([["chunk-AAAAAAAA.js", "1"], ["chunk-BBBBBBBB.js", "1"]]);
  assertThrows(() => stableNames(same), Error, "the same");
});
