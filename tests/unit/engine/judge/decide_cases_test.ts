import { assertEquals, assertStringIncludes } from "@std/assert";
import { decideCases } from "../../../../src/engine/judge/decide_cases.ts";
import type { PolicyCase } from "../../../../src/policy/cases.ts";
import type { Policy } from "../../../../src/policy/model.ts";
import { Workspace } from "../../../binary/toolgate.ts";
import { pathRule } from "../../policy/_fixtures.ts";
import { openEngine } from "../_stand_ins.ts";

const FIRST: Partial<Policy> = {
  risk: { allow: "moderate", ask: "dangerous" },
  paths: [pathRule("allow", ["**"]), pathRule("deny", ["shut/**"]), pathRule("ask", ["never/**"])],
  agents: { root: { permissions: ["all"] } },
};
const SECOND: Partial<Policy> = { paths: [pathRule("allow", ["**"], ["read"])] };

function read(path: string, expected: Omit<PolicyCase, "tool" | "args">): PolicyCase {
  return { tool: "read_file", args: { path }, ...expected };
}

async function report(cases: readonly PolicyCase[], counted = 2) {
  await using workspace = new Workspace();
  const engine = openEngine(workspace.root, FIRST, SECOND);
  const { failures, missed, rules } = await decideCases(engine, cases, counted);
  await engine.runner.close();
  return {
    wrong: failures.map(({ index, wrong }) => [index, ...wrong]),
    reasons: failures.map(({ actual }) => actual.reason),
    missed: missed.map(({ index }) => index),
    rules,
  };
}

Deno.test("a case passes where all that it expects is so; what it leaves out is not looked at", async () => {
  const { wrong } = await report([
    read("a", { effect: "allow" }),
    read("a", { effect: "allow", rule: "paths[0]", risk: "safe" }),
    read("a", { effect: "allow", rule: "p1.yaml paths[0]" }),
    read("shut/a", { effect: "deny", code: "PATH_DENIED", rule: "p1.yaml paths[1]" }),
    { tool: "write_file", args: { path: "a", content: "" }, effect: "deny" },
    { tool: "read_file", args: { path: "a" }, agent: "kid", effect: "deny" },
    { tool: "no_such", effect: "deny", code: "UNKNOWN_TOOL" },
  ]);
  assertEquals(wrong, []);
});

Deno.test("what is not as expected is named, all of it", async () => {
  const { wrong, reasons } = await report([
    read("shut/a", { effect: "allow" }),
    read("a", { effect: "deny", code: "PATH_DENIED", rule: "paths[1]", risk: "moderate" }),
    read("shut/a", { effect: "deny", rule: "p2.yaml paths[1]" }),
    // A rule of the same ending is another one.
    read("shut/a", { effect: "deny", rule: "aths[1]" }),
    // A request that no policy was asked about proves nothing.
    { tool: "raed_file", args: { path: "a" }, effect: "deny" },
    { tool: "read_file", args: {}, effect: "deny", code: "PATH_DENIED" },
  ]);
  assertEquals(wrong, [
    [0, "effect"],
    [1, "effect", "code", "rule", "risk"],
    [2, "rule"],
    [3, "rule"],
    [4, "case"],
    [5, "case"],
  ]);
  assertStringIncludes(reasons[4] ?? "", "read_file");
});

Deno.test("rules that no case came upon are named, of the policies that count", async () => {
  const all = [read("a", { effect: "allow" }), read("shut/a", { effect: "deny" })];
  assertEquals(await report(all).then(({ missed, rules }) => [missed, rules]), [["paths[2]"], 4]);
  const none = await report([], 1);
  assertEquals([none.missed, none.rules], [["paths[1]", "paths[2]", "paths[0]"], 3]);
  const refused: PolicyCase = { tool: "no_such", effect: "deny", code: "UNKNOWN_TOOL" };
  assertEquals((await report([refused])).missed.length, 4);
});
