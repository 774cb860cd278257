import { assertEquals } from "@std/assert";
import { isWithin } from "../../../src/sandbox/within.ts";

Deno.test("isWithin compares whole names", () => {
  const cases: readonly (readonly [string, string, boolean])[] = [
    ["/a", "/a", true],
    ["/a", "/a/b", true],
    ["/a", "/ab", false],
    ["/a", "/", false],
    ["/", "/a", true],
    ["/", "/", true],
    ["/a/b", "/a", false],
    ["/a/b", "/a/bc/d", false],
  ];
  for (const [directory, path, expected] of cases) {
    assertEquals(isWithin(directory, path), expected, `${directory} ${path}`);
  }
});
