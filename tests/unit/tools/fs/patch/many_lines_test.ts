/** A patch of more lines than are looked at is refused, before they are. */

import { assertEquals, assertThrows } from "@std/assert";
import { ToolError } from "../../../../../src/core/errors.ts";
import { parsePatch } from "../../../../../src/tools/fs/patch/parse.ts";

const adding = (lines: number) =>
  `*** Begin Patch\n*** Add File: a\n${"+a\n".repeat(lines)}*** End Patch\n`;

Deno.test("a patch has 200,000 lines at the most", () => {
  assertEquals(parsePatch(adding(199_000)).length, 1);
  const error = assertThrows(() => parsePatch(adding(200_000)), ToolError, "200000 lines");
  assertEquals(error.code, "PATCH_FAILED");
});
