/** What a module's thread tells of its module: a value, or why there is none, without paths outside the workspace. */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import type { FromModule, ModuleSetup } from "../../../../src/engine/modules/_module_thread.ts";

const THREAD = import.meta.resolve("../../../../src/engine/modules/module_worker.ts");

async function answer(code: string, parts: Partial<ModuleSetup> = {}): Promise<FromModule> {
  const worker = new Worker(THREAD, { type: "module", deno: { permissions: "none" } });
  const { port1, port2 } = new MessageChannel();
  try {
    const told = Promise.withResolvers<FromModule>();
    port1.onmessage = ({ data }) => told.resolve(data);
    worker.onerror = (event) => {
      event.preventDefault();
      told.resolve({ kind: "thrown", message: `nobody caught ${event.message}` });
    };
    const setup: ModuleSetup = {
      code,
      file: "tools/say.ts",
      entry: "default",
      args: { text: "hello" },
      tool: "say",
      env: { KEY: "value" },
      workspace: "/w/project",
      endsAt: Date.now() + 60_000,
      port: port2,
      ...parts,
    };
    worker.postMessage(setup, [port2]);
    return await told.promise;
  } finally {
    port1.close();
    worker.terminate();
  }
}

Deno.test("what a module's function gives is its answer, as JSON", async () => {
  const cases: readonly (readonly [string, string])[] = [
    ["export default (args) => args;", '{"text":"hello"}'],
    ["export default async () => [1, null];", "[1,null]"],
    ["export default () => {};", "null"],
    [
      "export default (_, { tool, preview, env, signal }) => [tool, preview, env, signal.aborted];",
      '["say",false,{"KEY":"value"},false]',
    ],
  ];
  for (const [code, json] of cases) assertEquals(await answer(code), { kind: "value", json }, code);
  const preview = "export const preview = (_, { preview }) => preview; export default () => 1;";
  assertEquals(await answer(preview, { entry: "preview" }), { kind: "value", json: "true" });
});

Deno.test("why there is no answer is told by where it went wrong", async () => {
  const cases: readonly (readonly [string, FromModule["kind"], string])[] = [
    ["export default 7;", "no entry", ""],
    ["export const other = () => 1;", "no entry", ""],
    ["export default ((;", "not loaded", "tools/say.ts:1:18"],
    ['throw new Error("at once");', "not loaded", "at once"],
    ['export default () => { throw new TypeError("odd"); };', "thrown", "TypeError: odd"],
    ['export default () => Promise.reject("a text");', "thrown", "a text"],
    ["export default () => 1n;", "no value", "BigInt"],
    ["export default () => { const a = {}; a.a = a; return a; };", "no value", "circular"],
    [
      'export default () => Deno.readTextFileSync("/etc/passwd");',
      "thrown",
      "NotCapable",
    ],
  ];
  for (const [code, kind, words] of cases) {
    const told = await answer(code);
    assertEquals(told.kind, kind, `${code}: ${JSON.stringify(told)}`);
    if ("message" in told) assertStringIncludes(told.message, words, code);
  }
});

Deno.test("messages name the module and its lines, and no path outside the workspace", async () => {
  const told = await answer(
    '\n\nexport default () => { throw new Error("in /w/project/a and /home/b"); };',
  );
  assert(told.kind === "thrown");
  assertStringIncludes(told.message, "tools/say.ts:3:");
  assertStringIncludes(told.message, "in a and …");
  assert(!told.message.includes("data:"), told.message);
  const long = await answer('export default () => { throw new Error("x".repeat(100000)); };');
  assert(long.kind === "thrown" && long.message.length < 3_000);
  const nasty = await answer("export default () => { throw { toString() { throw 1; } }; };");
  assertEquals(nasty, { kind: "thrown", message: "it threw what cannot be told" });
});

Deno.test("a module hears when its time is nearly over", async () => {
  // It may be over before the module is loaded.
  const code = `export default (_, { signal }) => signal.aborted ? "heard" :
    new Promise((resolve) => signal.addEventListener("abort", () => resolve("heard")));`;
  assertEquals(await answer(code, { endsAt: Date.now() + 1 }), { kind: "value", json: '"heard"' });
});

Deno.test("a module cannot answer in the thread's place by what it changes of the language", async () => {
  const code = `JSON.stringify = () => '"forged"';
    MessagePort.prototype.postMessage = () => {};
    export default () => "own";`;
  assertEquals(await answer(code), { kind: "value", json: '"own"' });
});
