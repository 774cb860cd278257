import { assert, assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import { zstdDecompressSync } from "node:zlib";
import { runModule, withBundle } from "./_bundle.ts";
import { joinScripts, type ScriptPlan } from "../../../scripts/_compiled_scripts.ts";
import { packScript } from "../../../scripts/_packed_scripts.ts";

/** esbuild says that its service has stopped when it has told it to: a machine that is busy sees it end in a later test. */
const STOPS_LATER = { sanitizeOps: false, sanitizeResources: false } as const;
const PLANS: readonly ScriptPlan[] = [{ name: "hot", roots: ["main"] }, {
  name: "seldom",
  roots: ["hot_tool", "cold_tool"],
}];

for (const cached of [false, true]) {
  Deno.test(
    `packScript() leaves the same program, which reads nothing of the script but what is compressed; with a cache: ${cached}`,
    STOPS_LATER,
    async () => {
      await withBundle(async (folder) => {
        const before = await runModule([], join(folder, "main.js"));
        await joinScripts(folder, ["main.js"], PLANS);
        // No cache of V8's: it is handed over, not taken, and the script is compiled.
        const cache = new Uint8Array(cached ? 5_000 : 0).fill(7);
        await Deno.writeFile(join(folder, "seldom.cache"), cache);
        const text = await Deno.readFile(join(folder, "seldom.txt"));
        await packScript(folder, "seldom");
        await Deno.remove(join(folder, "seldom.txt"));
        if (cached) await Deno.remove(join(folder, "seldom.cache"));
        assertEquals(await runModule([], join(folder, "main.js")), before);
        const unpacked = (name: string) =>
          new Uint8Array(zstdDecompressSync(Deno.readFileSync(join(folder, name))));
        assertEquals(unpacked("seldom.txt.zst"), text);
        if (cached) assertEquals(unpacked("seldom.cache.zst"), cache);
        const module = await Deno.readTextFile(join(folder, "seldom.js"));
        assertStringIncludes(module, `chunkSize:${text.length}}`);
        assert(!(await Deno.readTextFile(join(folder, "hot.js"))).includes("zst"));
      });
    },
  );
}

Deno.test(
  "packScript() refuses a module that reads its script otherwise",
  STOPS_LATER,
  async () => {
    await withBundle(async (folder) => {
      await joinScripts(folder, ["main.js"], PLANS);
      await packScript(folder, "seldom");
      await assertRejects(() => packScript(folder, "seldom"), Error, "in another way");
    });
  },
);
