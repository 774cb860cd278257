import { assert, assertEquals, assertRejects, assertThrows } from "@std/assert";
import { join, toFileUrl } from "@std/path";
import {
  HOT_CACHE,
  HOT_SCRIPT,
  hotParts,
  joinHotPath,
  writeProducer,
} from "../../../scripts/_hot_path.ts";

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

async function run(main: string): Promise<string> {
  const { stdout, stderr, success } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "--quiet", "-A", "--no-check", "--no-config", "--unstable-raw-imports", main],
    env: { NO_COLOR: "1" },
  }).output();
  const text = new TextDecoder();
  assert(success, text.decode(stderr));
  return text.decode(stdout);
}

Deno.test("hotParts() takes what entries and roots import statically, and no entry", () => {
  const parts = new Map(Object.entries(BUNDLE));
  const chunks = ["chunk-00000001.js", "chunk-00000002.js"];
  assertEquals(hotParts(parts, ["main.js"], []), chunks);
  assertEquals(hotParts(parts, ["main.js"], ["hot_tool"]), [...chunks, "hot_tool-00000003.js"]);
  assertThrows(
    () => hotParts(parts, ["main.js"], ["gone"]),
    Error,
    "no part of the bundle is named gone",
  );
});

Deno.test("joinHotPath() leaves the same program: one identity of each class, one evaluation of each part, in order", async () => {
  await withBundle(async (folder) => {
    const before = await run(join(folder, "main.js"));
    await joinHotPath(folder, ["main.js"], ["hot_tool"]);
    assertEquals(await run(join(folder, "main.js")), before);
    const names = [...Deno.readDirSync(folder)].map(({ name }) => name).sort();
    assertEquals(names, ["cold_tool-00000004.js", HOT_CACHE, "hot.js", HOT_SCRIPT, "main.js"]);
  });
});

Deno.test("joinHotPath(): parts of the script reach each other, cold ones and what modules have", async () => {
  await withBundle(async (folder) => {
    await joinHotPath(folder, ["main.js"], ["hot_tool"]);
    await Deno.writeTextFile(
      join(folder, "main.js"),
      'const{p2}=await import("./hot.js");console.log(JSON.stringify(await p2.ask()));',
    );
    const asked = JSON.parse(await run(join(folder, "main.js")));
    assertEquals(asked, ["cold v2d71", "v", true, true]);
  });
});

Deno.test("joinHotPath() refuses a root that is no part, and changes nothing", async () => {
  await withBundle(async (folder) => {
    await assertRejects(() => joinHotPath(folder, ["main.js"], ["gone"]), Error, "gone");
    for (const [name, text] of Object.entries(BUNDLE)) {
      assertEquals(await Deno.readTextFile(join(folder, name)), text);
    }
  });
});

Deno.test("a producer writes a cache that V8 takes for the script", async () => {
  await withBundle(async (folder) => {
    await joinHotPath(folder, ["main.js"], ["hot_tool"]);
    const cache = join(folder, HOT_CACHE);
    await run(await writeProducer(folder, "main.js", `${cache}.new`));
    await Deno.rename(`${cache}.new`, cache);
    assert((await Deno.stat(cache)).size > 500);
    const asks = join(folder, "asks.js");
    await Deno.writeTextFile(
      asks,
      `import{script}from${JSON.stringify(toFileUrl(join(folder, "hot.js")).href)};` +
        "console.log(script.cachedDataRejected);",
    );
    assertEquals(await run(asks), "false\n");
    await Deno.writeTextFile(
      join(folder, HOT_SCRIPT),
      `${await Deno.readTextFile(join(folder, HOT_SCRIPT))} `,
    );
    assertEquals(await run(asks), "true\n");
  });
});
