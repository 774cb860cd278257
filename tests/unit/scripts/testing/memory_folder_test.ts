import { assertEquals } from "@std/assert";
import { inMemory, openMemoryFolder } from "../../../../scripts/testing/memory_folder.ts";
import { runBatch } from "../../../../scripts/testing/run_batch.ts";
import { Workspace } from "../../../binary/toolgate.ts";

Deno.test("what a batch of tests leaves in the memory folder is gone with it", async () => {
  await using folder = await openMemoryFolder();
  // Whoever may not mount has none: the batch then runs as without it.
  const path = folder?.path ?? Deno.makeTempDirSync();
  await using workspace = new Workspace({
    "a_test.ts": 'Deno.test("a", () => Deno.writeTextFileSync(Deno.makeTempFileSync(), "left"));' +
      `Deno.test("b", () => {
        const mine = Deno.env.get("TMPDIR") ?? "";
        if (mine !== ${JSON.stringify(folder?.path ?? Deno.env.get("TMPDIR") ?? "")}) {
          throw new Error(mine);
        }
      });`,
  });
  const { counts, said } = await runBatch(["a_test.ts"], {
    root: workspace.root,
    filter: null,
    live: false,
    shared: false,
    memory: folder?.path ?? null,
  });
  assertEquals(counts, { passed: 2, failed: 0 }, said);
  assertEquals([...Deno.readDirSync(path)], []);
  if (folder === null) Deno.removeSync(path);
});

Deno.test("a program in memory gets its words, and is what answers", async () => {
  await using folder = await openMemoryFolder();
  if (folder === null) return;
  const words = ["-c", 'printf "%s|" "$0" "$@"; exit 7', "two words", "", "$x"];
  const { program, args } = inMemory(folder.path, "sh", words);
  const { code, stdout } = await new Deno.Command(program, { args: [...args] }).output();
  assertEquals(new TextDecoder().decode(stdout), "two words||$x|");
  assertEquals(code, 7);
});
