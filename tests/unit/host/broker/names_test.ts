import { assertEquals } from "@std/assert";
import { hasOddParts } from "../../../../src/host/broker/_names.ts";
import { Random } from "../../../random.ts";

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
