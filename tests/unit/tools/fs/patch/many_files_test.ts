import { assertEquals, assertThrows } from "@std/assert";
import { ToolError } from "../../../../../src/core/errors.ts";
import { parsePatch } from "../../../../../src/tools/fs/patch/parse.ts";

Deno.test("a patch of more files than are looked at is refused", () => {
  const of = (files: number) => "diff --git a/a b/a\ndeleted file mode 100644\n".repeat(files);
  assertEquals(parsePatch(of(5_000)).length, 5_000);
  assertThrows(() => parsePatch(of(5_001)), ToolError, "more than 5000 files");
});
