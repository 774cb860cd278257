import { assertEquals } from "@std/assert";
import { colonOf, partsOf, plainPath } from "../../../../src/core/git/revision_words.ts";

Deno.test("git: a word is taken apart into what may name an object", () => {
  assertEquals(partsOf("main"), ["main"]);
  assertEquals(partsOf("^main"), ["^main", "main"]);
  assertEquals(partsOf("main^!"), ["main^!", "main"]);
  assertEquals(partsOf("main^-2"), ["main^-2", "main"]);
  assertEquals(partsOf("a..b"), ["a..b", "a", "b"]);
  assertEquals(partsOf("^a:x...b:y"), ["^a:x...b:y", "a:x...b:y", "a:x", "b:y"]);
});

Deno.test("git: a path begins at the first colon that is not within braces", () => {
  assertEquals(colonOf("main:a:b"), 4);
  assertEquals(colonOf(":0:a"), 0);
  assertEquals(colonOf("main@{12:00}:a"), 12);
  assertEquals(colonOf("main^{/a:b}"), -1);
  assertEquals(colonOf("main"), -1);
});

Deno.test("git: a path is made plain, unless it leads out", () => {
  assertEquals(plainPath("a/./b/../c"), "a/c");
  assertEquals(plainPath("/a/.."), "");
  assertEquals(plainPath("a/../.."), null);
});
