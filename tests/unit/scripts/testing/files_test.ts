import { assertEquals, assertThrows } from "@std/assert";
import { join } from "@std/path";
import { findTests, partOf, timed } from "../../../../scripts/testing/files.ts";
import { Workspace } from "../../../binary/toolgate.ts";

Deno.test("the tests of a file, of a folder, of all: sorted, each once", async () => {
  await using workspace = new Workspace({
    "tests/unit/b/x_test.ts": "",
    "tests/unit/b/_shared.ts": "",
    "tests/unit/a_test.ts": "",
    "tests/binary/c_test.ts": "",
  });
  const cases: readonly (readonly [readonly string[], readonly string[]])[] = [
    [["tests"], ["tests/binary/c_test.ts", "tests/unit/a_test.ts", "tests/unit/b/x_test.ts"]],
    [["./tests/unit/"], ["tests/unit/a_test.ts", "tests/unit/b/x_test.ts"]],
    [["tests/unit/b/x_test.ts", "tests/unit/b"], ["tests/unit/b/x_test.ts"]],
  ];
  for (const [paths, expected] of cases) assertEquals(findTests(workspace.root, paths), expected);
  Deno.mkdirSync(join(workspace.root, "empty"));
  for (const path of ["tests/unti", "tests/unit/b/_shared.ts", "empty", "tests/unit/a_test.ts/b"]) {
    assertThrows(() => findTests(workspace.root, ["tests", path]), Error, `${path}: no tests`);
  }
});

Deno.test("a file belongs to one part, and takes as long as last time", () => {
  assertEquals(partOf("tests/unit/core/x_test.ts"), "unit");
  assertEquals(partOf("tests/attacks/x_test.ts"), "binary");
  assertEquals(partOf("tests/binary/x_test.ts"), "binary");
  assertEquals(timed("tests/unit/x_test.ts", { "tests/unit/x_test.ts": 12 }).seconds, 12);
  assertEquals(timed("tests/unit/x_test.ts", {}).seconds, 0.3);
});
