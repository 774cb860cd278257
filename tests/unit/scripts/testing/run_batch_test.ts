import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { countsOf, failuresIn, runBatch } from "../../../../scripts/testing/run_batch.ts";
import { Workspace } from "../../../binary/toolgate.ts";

Deno.test("what Deno failed beyond its count is one more failed", () => {
  assertEquals(countsOf({ passed: 3, failed: 0 }, true), { passed: 3, failed: 0 });
  assertEquals(countsOf({ passed: 3, failed: 0 }, false), { passed: 3, failed: 1 });
  assertEquals(countsOf({ passed: 3, failed: 2 }, false), { passed: 3, failed: 2 });
  assertEquals(countsOf(null, false), { passed: 0, failed: 1 });
});

Deno.test("what failed and why is taken from between Deno's headings", () => {
  const said = "a ... ok\n\n ERRORS \n\na => ./a_test.ts:1:1\nerror: no\n\n FAILURES \n\n" +
    "a => ./a_test.ts:1:1\n\nFAILED | 1 passed | 1 failed (1ms)\n";
  assertEquals(failuresIn(said), "a => ./a_test.ts:1:1\nerror: no");
  assertEquals(failuresIn("ok | 1 passed | 0 failed (1ms)\n"), null);
});

Deno.test("a batch is counted, its failures told, and a filter leaves out what has another name", async () => {
  await using workspace = new Workspace({
    "good_test.ts": 'Deno.test("good", () => {}); Deno.test("better", () => {});',
    "bad_test.ts": 'Deno.test("bad", () => { throw new Error("this is why"); });',
    "broken_test.ts": 'throw new Error("it does not load");',
  });
  const settings = { root: workspace.root, filter: null, live: false, memory: null, shared: false };
  const both = await runBatch(["good_test.ts", "bad_test.ts"], settings);
  assertEquals(both.counts, { passed: 2, failed: 1 });
  assertEquals(both.files.map(({ path, passed }) => [path, passed]).toSorted(), [
    ["bad_test.ts", false],
    ["good_test.ts", true],
  ]);
  assertStringIncludes(both.failures, "this is why");
  const filtered = await runBatch(["good_test.ts", "bad_test.ts"], { ...settings, filter: "bett" });
  assertEquals([filtered.counts, filtered.failures], [{ passed: 1, failed: 0 }, ""]);
  const broken = await runBatch(["good_test.ts", "broken_test.ts"], settings);
  assert(broken.counts.failed > 0, JSON.stringify(broken));
  assertStringIncludes(broken.failures, "it does not load");
});

Deno.test("files that share their modules are told apart: what each imports is made once, what does not load fails alone", async () => {
  await using workspace = new Workspace({
    "shared.ts": 'export const loaded = ["once"];',
    "a_test.ts": 'import { loaded } from "./shared.ts";\n' +
      'Deno.test("a", () => { loaded.push("a"); });',
    "sub/b c#_test.ts": 'import { loaded } from "../shared.ts";\n' +
      'Deno.test("b", () => { if (loaded.join() !== "once,a") throw new Error(loaded.join()); });',
    "bad_test.ts": 'Deno.test("bad", () => { throw new Error("this is why"); });',
    "broken_test.ts": 'throw new Error("it does not load");',
    "last_test.ts": 'Deno.test("last", () => {});',
  });
  const settings = { root: workspace.root, filter: null, live: false, memory: null, shared: true };
  const good = await runBatch(["a_test.ts", "sub/b c#_test.ts"], settings);
  assertEquals([good.counts, good.failures], [{ passed: 2, failed: 0 }, ""]);
  assertEquals(good.files.map(({ path, passed }) => [path, passed]), [
    ["a_test.ts", true],
    ["sub/b c#_test.ts", true],
  ]);
  const bad = await runBatch(["bad_test.ts", "broken_test.ts", "last_test.ts"], settings);
  assertEquals(bad.counts, { passed: 1, failed: 2 });
  assertStringIncludes(bad.failures, "this is why");
  assertStringIncludes(bad.failures, "it does not load");
  assertEquals(bad.files.find(({ path }) => path === "last_test.ts")?.passed, true);
});
