import { assert, assertEquals, assertRejects, assertThrows } from "@std/assert";
import { join } from "@std/path";
import { BUNDLE, runModule, withBundle } from "./_bundle.ts";
import {
  joinScripts,
  scriptParts,
  type ScriptPlan,
  standAlone,
} from "../../../scripts/_compiled_scripts.ts";

/** esbuild says that its service has stopped when it has told it to: a machine that is busy sees it end in a later test. */
const STOPS_LATER = { sanitizeOps: false, sanitizeResources: false } as const;
const ONE: readonly ScriptPlan[] = [{ name: "hot", roots: ["main", "hot_tool"] }];
const TWO: readonly ScriptPlan[] = [{ name: "hot", roots: ["main"] }, {
  name: "more",
  roots: ["hot_tool", "cold_tool"],
}];

Deno.test("scriptParts() takes roots and what they import statically, and no entry; each part once", () => {
  const parts = new Map(Object.entries(BUNDLE));
  const of = (plans: readonly ScriptPlan[]) => scriptParts(parts, ["main.js"], plans);
  const chunks = ["chunk-00000001.js", "chunk-00000002.js"];
  assertEquals(of([{ name: "hot", roots: [] }]), [[]]);
  assertEquals(of([{ name: "hot", roots: ["main"] }]), [chunks]);
  assertEquals(of(ONE), [[...chunks, "hot_tool-00000003.js"]]);
  assertEquals(of(TWO), [chunks, ["cold_tool-00000004.js", "hot_tool-00000003.js"]]);
  const common: ScriptPlan = { name: "both", roots: ["hot_tool"], within: ["cold_tool"] };
  assertEquals(of([common, ...ONE]), [chunks, ["hot_tool-00000003.js"]]);
  for (const plan of [{ roots: ["gone"] }, { roots: ["main"], within: ["gone"] }]) {
    assertThrows(
      () => of([{ name: "hot", ...plan }]),
      Error,
      "no part of the bundle is named gone",
    );
  }
});

for (
  const [plans, left] of [
    [ONE, ["cold_tool-00000004.js", "hot.cache", "hot.js", "hot.txt", "main.js"]],
    [TWO, ["hot.cache", "hot.js", "hot.txt", "main.js", "more.cache", "more.js", "more.txt"]],
  ] as const
) {
  Deno.test(
    `joinScripts() leaves the same program: one identity of each class, one evaluation of each part, in order; scripts: ${plans.length}`,
    STOPS_LATER,
    async () => {
      await withBundle(async (folder) => {
        const before = await runModule([], join(folder, "main.js"));
        await joinScripts(folder, ["main.js"], plans);
        assertEquals(await runModule([], join(folder, "main.js")), before);
        assertEquals([...Deno.readDirSync(folder)].map(({ name }) => name).sort(), [...left]);
      });
    },
  );
}

Deno.test(
  "joinScripts(): parts of a script reach each other, cold ones and what modules have; who is outside takes all by one import",
  STOPS_LATER,
  async () => {
    await withBundle(async (folder) => {
      await joinScripts(folder, ["main.js"], ONE);
      const main = await Deno.readTextFile(join(folder, "main.js"));
      assertEquals(main.match(/import[^(;]*"\.\/hot\.js";/g), [
        'import{parts as $hot}from"./hot.js";',
      ]);
      assert(main.includes('from"./hot.js";const {a:x,b:y}=$hot[0];'), main);
      const hot = await Deno.readTextFile(join(folder, "hot.js"));
      const handedOut = [...hot.matchAll(/export const (\w+)/g)].map(([, name]) => name);
      assertEquals(handedOut, ["script", "parts"]);
      const script = await Deno.readTextFile(join(folder, "hot.txt"));
      assertEquals(script.match(/\$node\[[^\]]*\][^;,]*/g), ['$node["node:crypto"].createHash']);
      await Deno.writeTextFile(
        join(folder, "main.js"),
        'const{parts}=await import("./hot.js");console.log(JSON.stringify(await parts[2].ask()));',
      );
      const asked = JSON.parse(await runModule([], join(folder, "main.js")));
      assertEquals(asked, ["cold v2d71", "v", true, true]);
    });
  },
);

Deno.test(
  "joinScripts() refuses a root that is no part, and changes nothing",
  STOPS_LATER,
  async () => {
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
  },
);

Deno.test(
  "joinScripts() refuses a part that takes a module of Node's whole, since scripts have what is named",
  STOPS_LATER,
  async () => {
    await withBundle(async (folder) => {
      const path = join(folder, "hot_tool-00000003.js");
      const text = await Deno.readTextFile(path);
      await Deno.writeTextFile(path, `import*as n from"node:fs";n.statSync;${text}`);
      await assertRejects(
        () => joinScripts(folder, ["main.js"], ONE),
        Error,
        'import*as n from"node:fs"',
      );
    });
  },
);

Deno.test(
  "standAlone(): an entry has all that it takes at its start, and takes what comes later from where all do",
  STOPS_LATER,
  async () => {
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
      const said = JSON.parse(await runModule([], join(folder, alone)));
      assertEquals(said, ["v2d71", ["two"], "cold v2d71", ["two", "two", "cold"]]);
    });
  },
);
