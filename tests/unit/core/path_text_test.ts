import { assertEquals } from "@std/assert";
import { basename, dirname } from "@std/path";
import { baseName, hasOddParts, parentOf, siblingOf } from "../../../src/core/path_text.ts";
import { Random } from "../../random.ts";

Deno.test("baseName is all behind the last slash", () => {
  const cases = [["a", "a"], ["a/b", "b"], ["/a/b.c", "b.c"], ["/a", "a"], ["a/", ""], ["/", ""]];
  for (const [path = "", name = ""] of cases) assertEquals(baseName(path), name, path);
});

Deno.test("parentOf is the folder of an absolute path, the root its own", () => {
  const cases = [["/a/b", "/a"], ["/a", "/"], ["/", "/"], ["/a b/c\n/d", "/a b/c\n"]];
  for (const [path = "", folder = ""] of cases) assertEquals(parentOf(path), folder, path);
});

Deno.test("siblingOf stays in the folder", () => {
  assertEquals(siblingOf("/a/b", "b.bak"), "/a/b.bak");
  assertEquals(siblingOf("/b", "b.bak"), "/b.bak");
});

Deno.test("canonical paths are parted as the standard library parts them", () => {
  for (const path of ["/x", "/x/y", "/x/y.z/..a", "/x/ /.hidden", "/ü/é"]) {
    assertEquals([parentOf(path), baseName(path)], [dirname(path), basename(path)], path);
  }
});

/** The same, said otherwise. */
const ODD_PARTS = /\/(?:\.{0,2})(?:\/|$)/;

Deno.test("parts that change a path are seen wherever they stand, and names that begin with dots are none", () => {
  const rows: readonly (readonly [string, boolean])[] = [
    ["/", true],
    ["/a", false],
    ["/a/", true],
    ["//a", true],
    ["/a//b", true],
    ["/.", true],
    ["/./a", true],
    ["/a/.", true],
    ["/..", true],
    ["/a/../b", true],
    ["/a/..", true],
    ["/.a", false],
    ["/..a", false],
    ["/a.", false],
    ["/a..", false],
    ["/...", false],
    ["/.a/..b/c.", false],
    ["/a.b/.é", false],
  ];
  for (const [path, odd] of rows) assertEquals(hasOddParts(path), odd, path);
  const random = new Random(13);
  for (let count = 0; count < 20_000; count++) {
    const path = `/${
      Array.from({ length: random.below(8) }, () => random.pick([..."//..aé"])).join("")
    }`;
    assertEquals(hasOddParts(path), ODD_PARTS.test(path), path);
  }
});
