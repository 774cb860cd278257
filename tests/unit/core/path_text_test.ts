import { assertEquals } from "@std/assert";
import { basename, dirname } from "@std/path";
import { baseName, parentOf, siblingOf } from "../../../src/core/path_text.ts";

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
