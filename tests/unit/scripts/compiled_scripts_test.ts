import { assert, assertEquals, assertRejects, assertThrows } from "@std/assert";
import { join, toFileUrl } from "@std/path";
import {
  joinScripts,
  scriptFiles,
  scriptParts,
  type ScriptPlan,
  standAlone,
  writeProducer,
} from "../../../scripts/_compiled_scripts.ts";

/** A bundle as `deno bundle --code-splitting --minify` writes them: parts with hashes, names shortened. */
const BUNDLE: Readonly<Record<string, string>> = {
  "main.js": 'import{a as x,b as y}from"./chunk-00000001.js";import"./chunk-00000002.js";' +
    'const{c}=await import("./hot_tool-00000003.js"),d=await import("./cold_tool-00000004.js");' +
    "console.log(JSON.stringify([x(),new y instanceof y,c(),d.default(),d.same(new y),globalThis.order]));",
  "chunk-00000001.js":
    'import{a as f}from"./chunk-00000002.js";import{createHash as h}from"node:crypto";' +
    'function g(){return f+h("sha256").update("x").digest("hex").slice(0,4)}class K{}export{g as a,K as b};',
  "chunk-00000002.js": '(globalThis.order??=[]).push("two");var v="v";export{v as a};',
  "hot_tool-00000003.js": 'import{b as k}from"./chunk-00000001.js";' +
    'async function q(){const m=await import("./cold_tool-00000004.js");' +
    'const n=await import("./chunk-00000002.js");' +
    'return[m.default(),n.a,m.same(new k),import.meta.resolve("./x.js").endsWith("/x.js")]}' +
    "var r=()=>typeof q;export{r as c,q as ask};",
  "cold_tool-00000004.js":
    'import{a as z,b as w}from"./chunk-00000001.js";export{a as again}from"./chunk-00000002.js";' +
    'globalThis.order.push("cold");function p(){return"cold "+z()}function s(o){return o instanceof w}' +
    "export{p as default,s as same};",
};

async function withBundle(body: (folder: string) => Promise<void>): Promise<void> {
  const folder = await Deno.makeTempDir({ prefix: "toolgate-hot-" });
  try {
    for (const [name, text] of Object.entries(BUNDLE)) {
      await Deno.writeTextFile(join(folder, name), text);
    }
    await body(folder);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

const ONE: readonly ScriptPlan[] = [{ name: "hot", roots: ["hot_tool"] }];
const TWO: readonly ScriptPlan[] = [{ name: "hot", roots: [] }, {
  name: "more",
  roots: ["hot_tool", "cold_tool"],
}];

async function run(main: string, ...args: string[]): Promise<string> {
  return await runWith([], main, ...args);
}

/** `flags`: further ones of the runtime. */
async function runWith(flags: readonly string[], main: string, ...args: string[]): Promise<string> {
  const { stdout, stderr, success } = await new Deno.Command(Deno.execPath(), {
    args: [
      "run",
      ...flags,
      "--quiet",
      "-A",
      "--no-check",
      "--no-config",
      "--unstable-raw-imports",
      main,
      ...args,
    ],
    env: { NO_COLOR: "1" },
  }).output();
  const text = new TextDecoder();
  assert(success, text.decode(stderr));
  return text.decode(stdout);
}

Deno.test("scriptParts() takes what entries and roots import statically, and no entry; each part once", () => {
  const parts = new Map(Object.entries(BUNDLE));
  const of = (plans: readonly ScriptPlan[]) => scriptParts(parts, ["main.js"], plans);
  const chunks = ["chunk-00000001.js", "chunk-00000002.js"];
  assertEquals(of([{ name: "hot", roots: [] }]), [chunks]);
  assertEquals(of(ONE), [[...chunks, "hot_tool-00000003.js"]]);
  assertEquals(of(TWO), [chunks, ["cold_tool-00000004.js", "hot_tool-00000003.js"]]);
  assertThrows(
    () => of([{ name: "hot", roots: ["gone"] }]),
    Error,
    "no part of the bundle is named gone",
  );
});

for (
  const [plans, left] of [
    [ONE, ["cold_tool-00000004.js", "hot.cache", "hot.js", "hot.txt", "main.js"]],
    [TWO, ["hot.cache", "hot.js", "hot.txt", "main.js", "more.cache", "more.js", "more.txt"]],
  ] as const
) {
  Deno.test(`joinScripts() leaves the same program: one identity of each class, one evaluation of each part, in order; scripts: ${plans.length}`, async () => {
    await withBundle(async (folder) => {
      const before = await run(join(folder, "main.js"));
      await joinScripts(folder, ["main.js"], plans);
      assertEquals(await run(join(folder, "main.js")), before);
      assertEquals([...Deno.readDirSync(folder)].map(({ name }) => name).sort(), [...left]);
    });
  });
}

Deno.test("joinScripts(): parts of a script reach each other, cold ones and what modules have; who is outside takes all by one import", async () => {
  await withBundle(async (folder) => {
    await joinScripts(folder, ["main.js"], ONE);
    const main = await Deno.readTextFile(join(folder, "main.js"));
    assertEquals(main.match(/import[^(;]*"\.\/hot\.js";/g), [
      'import{p0_a as x,p0_b as y}from"./hot.js";',
    ]);
    await Deno.writeTextFile(
      join(folder, "main.js"),
      'const{p2}=await import("./hot.js");console.log(JSON.stringify(await p2.ask()));',
    );
    const asked = JSON.parse(await run(join(folder, "main.js")));
    assertEquals(asked, ["cold v2d71", "v", true, true]);
  });
});

Deno.test("joinScripts() refuses a root that is no part, and changes nothing", async () => {
  await withBundle(async (folder) => {
    await assertRejects(
      () => joinScripts(folder, ["main.js"], [{ name: "hot", roots: ["gone"] }]),
      Error,
      "gone",
    );
    for (const [name, text] of Object.entries(BUNDLE)) {
      assertEquals(await Deno.readTextFile(join(folder, name)), text);
    }
  });
});

Deno.test("standAlone(): an entry has all that it takes at its start, and takes what comes later from where all do", async () => {
  await withBundle(async (folder) => {
    const alone = "alone.js";
    await Deno.writeTextFile(
      join(folder, alone),
      'import{a as g}from"./chunk-00000001.js";const early=[...globalThis.order];' +
        'const d=await import("./cold_tool-00000004.js");' +
        "console.log(JSON.stringify([g(),early,d.default(),globalThis.order]));",
    );
    await standAlone(folder, alone);
    await joinScripts(folder, ["main.js"], ONE);
    const text = await Deno.readTextFile(join(folder, alone));
    assertEquals(text.match(/(?:from|import)\s*"\.[^"]*"/g), null, text);
    // What comes later has its own of what the entry has: the second "two" is another's.
    const said = JSON.parse(await run(join(folder, alone)));
    assertEquals(said, ["v2d71", ["two"], "cold v2d71", ["two", "two", "cold"]]);
  });
});

for (const { name } of TWO) {
  Deno.test(`a producer writes a cache that V8 takes for the script ${name}`, async () => {
    await withBundle(async (folder) => {
      await joinScripts(folder, ["main.js"], TWO);
      const files = scriptFiles(name);
      const [cache, script] = [join(folder, files.cache), join(folder, files.text)];
      await run(await writeProducer(folder, "main.js", TWO), name, `${cache}.new`);
      await Deno.rename(`${cache}.new`, cache);
      assert((await Deno.stat(cache)).size > 500);
      const asks = join(folder, "asks.js");
      await Deno.writeTextFile(
        asks,
        `import{script}from${JSON.stringify(toFileUrl(join(folder, files.module)).href)};` +
          "console.log(script.cachedDataRejected);",
      );
      assertEquals(await run(asks), "false\n");
      await Deno.writeTextFile(script, `${await Deno.readTextFile(script)} `);
      assertEquals(await run(asks), "true\n");
    });
  });
}

Deno.test("a producer with other flags of V8 writes the cache of one as its own", async () => {
  await withBundle(async (folder) => {
    await joinScripts(folder, ["main.js"], ONE);
    const producer = await writeProducer(folder, "main.js", ONE);
    const cache = join(folder, "hot.other");
    await runWith(["--v8-flags=--no-sparkplug"], producer, "hot", cache);
    const rejected = async (path: string) => {
      const asks = join(folder, "asks.js");
      const text = JSON.stringify(await Deno.readTextFile(join(folder, scriptFiles("hot").text)));
      await Deno.writeTextFile(
        asks,
        `import{Script}from"node:vm";const cachedData=Deno.readFileSync(${JSON.stringify(path)});` +
          `console.log(new Script(${text},{filename:"hot.txt",cachedData}).cachedDataRejected);`,
      );
      return await run(asks);
    };
    assertEquals(await rejected(cache), "true\n");
    await run(producer, "hot", `${cache}.plain`, cache);
    assertEquals(await rejected(`${cache}.plain`), "false\n");
  });
});
