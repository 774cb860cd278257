import { assertEquals } from "@std/assert";
import { ToolError } from "../../../../src/core/errors.ts";
import type { FileInfo, ReadFiles } from "../../../../src/core/files.ts";
import { look, requireFile, requireNoLink, seenOnce } from "../../../../src/toolkit/git/place.ts";

Deno.test("a name is looked at once, whether something is there, nothing is, or it may not be seen", () => {
  const asked: string[] = [];
  const seen = seenOnce({
    find(path: string) {
      asked.push(path);
      if (path === "denied") throw new ToolError("PATH_DENIED", "not to be seen");
      return path === "there" ? { type: "file" } as FileInfo : null;
    },
  } as ReadFiles);
  for (let time = 0; time < 2; time++) {
    const found = ["there", "missing", "denied"].map((path) => look(seen, path)?.type ?? null);
    assertEquals(found, ["file", null, null]);
    for (const path of ["there", "missing", "denied"]) {
      requireNoLink("git_status", seen, path);
      requireFile("git_status", seen, path);
    }
  }
  assertEquals(asked, ["there", "missing", "denied"]);
});
