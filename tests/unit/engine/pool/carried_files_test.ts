import { assert, assertEquals } from "@std/assert";
import { carriedFiles, filesFromSource } from "../../../../src/engine/pool/carried_files.ts";
import { openCarried, withEmbedded } from "../../../../src/host/carried/carried.ts";
import { BOUNDARY } from "./_pool_parts.ts";

Deno.test("what runs from source has what builds carry from its packages", async () => {
  const files = await filesFromSource();
  assert(files !== null);
  assertEquals([...files], [...await carriedFiles()]);
  const read = await openCarried(null, files)();
  for (const name of files.keys()) assert(read(name).length > 10_000, name);
  assertEquals(read("no such part").length, 0);
  // Its threads may read these files, and no others beside them.
  const { read: paths } = withEmbedded(BOUNDARY, files);
  assertEquals(paths.length, BOUNDARY.read.length + files.size);
  assert(paths.slice(BOUNDARY.read.length).every((path) => path.endsWith(".wasm")));
  assertEquals(withEmbedded(BOUNDARY, null), BOUNDARY);
});
