import { assertEquals } from "@std/assert";
import {
  isThere,
  namesIn,
  realPath,
  textIn,
} from "../../../../src/engine/worktrees/what_is_there.ts";

Deno.test("worktrees: what cannot be seen is not there, and nothing is thrown", () => {
  const folder = Deno.realPathSync(Deno.makeTempDirSync());
  try {
    Deno.writeTextFileSync(`${folder}/file`, "text");
    Deno.symlinkSync("nowhere", `${folder}/dangling`);
    Deno.symlinkSync("file", `${folder}/link`);
    const seen = (path: string) => [isThere(path), namesIn(path).toSorted(), textIn(path)];
    assertEquals(seen(folder), [true, ["dangling", "file", "link"], ""]);
    assertEquals(seen(`${folder}/file`), [true, [], "text"]);
    assertEquals(seen(`${folder}/link`), [true, [], "text"]);
    assertEquals(seen(`${folder}/dangling`), [true, [], ""]);
    assertEquals(seen(`${folder}/none`), [false, [], ""]);
    assertEquals(seen(`${folder}/file/below`), [false, [], ""]);
    assertEquals(realPath(`${folder}/link`), `${folder}/file`);
    assertEquals(realPath(`${folder}/dangling`), null);
  } finally {
    Deno.removeSync(folder, { recursive: true });
  }
});
