import { assert, assertEquals } from "@std/assert";
import { join, toFileUrl } from "@std/path";
import { writeProducer } from "../../../scripts/_cache_producer.ts";
import { joinScripts, scriptFiles, type ScriptPlan } from "../../../scripts/_compiled_scripts.ts";
import { runModule, withBundle } from "./_bundle.ts";

const ONE: readonly ScriptPlan[] = [{ name: "hot", roots: ["main", "hot_tool"] }];
const TWO: readonly ScriptPlan[] = [
  { name: "hot", roots: ["main"] },
  { name: "more", roots: ["hot_tool", "cold_tool"] },
];

Deno.test("a producer writes caches of all scripts that V8 takes for them", async () => {
  await withBundle(async (folder) => {
    await joinScripts(folder, ["main.js"], TWO);
    const output = join(folder, "made");
    await Deno.mkdir(output);
    await runModule([], await writeProducer(folder, "main.js", TWO), "all", output);
    for (const { name } of TWO) {
      const files = scriptFiles(name);
      const script = join(folder, files.text);
      await Deno.rename(join(output, files.cache), join(folder, files.cache));
      assert((await Deno.stat(join(folder, files.cache))).size > 500);
      const asks = join(folder, "asks.js");
      await Deno.writeTextFile(
        asks,
        `import{script}from${JSON.stringify(toFileUrl(join(folder, files.module)).href)};` +
          "console.log(script.cachedDataRejected);",
      );
      assertEquals(await runModule([], asks), "false\n");
      await Deno.writeTextFile(script, `${await Deno.readTextFile(script)} `);
      assertEquals(await runModule([], asks), "true\n");
    }
  });
});

Deno.test("a producer with other flags of V8 writes the cache of one as its own", async () => {
  await withBundle(async (folder) => {
    await joinScripts(folder, ["main.js"], ONE);
    const producer = await writeProducer(folder, "main.js", ONE);
    const made = join(folder, "made");
    await Deno.mkdir(made);
    await runModule(["--v8-flags=--no-sparkplug"], producer, "all", made);
    const cache = join(made, "hot.cache");
    const rejected = async (path: string) => {
      const asks = join(folder, "asks.js");
      const text = JSON.stringify(await Deno.readTextFile(join(folder, scriptFiles("hot").text)));
      await Deno.writeTextFile(
        asks,
        `import{Script}from"node:vm";const cachedData=Deno.readFileSync(${JSON.stringify(path)});` +
          `console.log(new Script(${text},{filename:"hot.txt",cachedData}).cachedDataRejected);`,
      );
      return await runModule([], asks);
    };
    assertEquals(await rejected(cache), "true\n");
    await runModule([], producer, "", made, "hot");
    assertEquals(await rejected(join(made, "hot.cache.plain")), "false\n");
  });
});

Deno.test("a producer compiles what nothing has run, as far as its flags say", async () => {
  await withBundle(async (folder) => {
    await joinScripts(folder, ["main.js"], ONE);
    const producer = await writeProducer(folder, "main.js", ONE);
    const sizes: number[] = [];
    for (const flags of [[], ["--v8-flags=--no-lazy"]]) {
      const made = join(folder, `made${sizes.length}`);
      await Deno.mkdir(made);
      assertEquals(await runModule(flags, producer, "", made, "hot", "compiled"), "");
      const cache = join(made, "hot.cache");
      sizes.push((await Deno.stat(cache)).size);
      await runModule([], producer, "", made, "hot");
      // What was compiled stays so in the cache that is written for other flags.
      assertEquals((await Deno.stat(`${cache}.plain`)).size, sizes.at(-1));
    }
    const [lazy = 0, whole = 0] = sizes;
    assert(lazy > 0 && whole > lazy, `${lazy} and ${whole} bytes`);
  });
});
