import { assertEquals } from "@std/assert";
import { CoveredFolders } from "../../../../src/host/broker/_covered_folders.ts";

Deno.test("what lies in a folder that is read whole is covered, at any depth, and a file of a rule of its own is not", () => {
  const covered = new CoveredFolders(["/w/src", "/w/file", "/usr"]);
  const rows: readonly (readonly [string, boolean, boolean])[] = [
    ["/w/src/a", true, false],
    ["/w/src/deep/er/a", true, false],
    ["/w/src", false, true],
    ["/w/srcs/a", false, false],
    ["/w/file", false, true],
    ["/w/file/below", true, false],
    ["/w/a", false, false],
    ["/usr/lib/a", true, false],
    ["/a", false, false],
  ];
  // What was found is kept.
  for (let round = 0; round < 2; round++) {
    for (const [path, holds, has] of rows) {
      assertEquals([covered.holds(path), covered.has(path)], [holds, has], path);
    }
  }
});

Deno.test("a folder that is no longer what it was covers nothing, also where that was asked before", () => {
  const covered = new CoveredFolders(["/w/a", "/w/a/b"]);
  assertEquals([covered.holds("/w/a/b/c"), covered.holds("/w/a/x")], [true, true]);
  covered.remove("/w/elsewhere");
  covered.remove("/w/a");
  assertEquals([covered.holds("/w/a/b/c"), covered.holds("/w/a/x")], [true, false]);
  covered.remove("/w/a/b");
  assertEquals([covered.holds("/w/a/b/c"), covered.has("/w/a/b")], [false, false]);
});

Deno.test("folders without number are each what they are", () => {
  const covered = new CoveredFolders(["/w/even"]);
  for (let round = 0; round < 2; round++) {
    for (let at = 0; at < 5000; at++) {
      const folder = at % 2 === 0 ? "even" : "odd";
      assertEquals(covered.holds(`/w/${folder}/${at}/a`), folder === "even");
    }
  }
});
