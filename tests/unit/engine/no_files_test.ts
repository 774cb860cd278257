import { assertEquals, assertThrows } from "@std/assert";
import { ToolError } from "../../../src/core/errors.ts";
import { NO_FILES, NO_SYNTAX } from "../../../src/engine/_no_files.ts";

Deno.test("each handle of a call that is given no files refuses", () => {
  const { settle, ...files } = NO_FILES;
  settle();
  const handles = Object.entries({ ...files, ...NO_SYNTAX });
  assertEquals(handles.length >= 15, true, `${handles.length} handles`);
  for (const [name, handle] of handles) {
    const error = assertThrows(() => (handle as () => unknown)(), ToolError, "no files", name);
    assertEquals(error.code, "PATH_DENIED", name);
  }
});
