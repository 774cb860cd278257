/** A sample of the everyday lines of `deno task bench`: what works does what bash does, and what must be denied is. */

import { assert, assertEquals } from "@std/assert";
import { everyday, renderEveryday } from "../bench/everyday/everyday.ts";
import { BINARY } from "./toolgate.ts";

Deno.test("everyday lines of git over a history, with approvals given: none is wrong, none hangs", async () => {
  const wanted = { project: "history", policy: "default", every: 29 };
  const verdicts = await everyday(BINARY, wanted);
  const worse = verdicts.filter(({ outcome }) => !["works", "refused"].includes(outcome));
  assertEquals(worse, []);
  const work = verdicts.filter(({ kind }) => kind === "works");
  const done = work.filter(({ outcome }) => outcome === "works");
  assert(done.length >= 0.8 * work.length, renderEveryday(verdicts));
  assert(verdicts.some(({ kind }) => kind === "denied"), "something must be denied");
});
