import { assertEquals, assertThrows } from "@std/assert";
import { PolicyConflict } from "../../../src/policy/compile_rulebook.ts";
import type { ChildrenRule } from "../../../src/policy/model.ts";
import { rulebook } from "./_fixtures.ts";

const RULE: ChildrenRule = {
  command: ["agent", "{task}"],
  protocol: "ndjson",
  isolation: "worktree",
  max: 4,
  depth: 2,
  timeout: 60_000,
};
const of = (...rules: readonly (ChildrenRule | null)[]) =>
  rulebook(rules.map((children) => children === null ? {} : { children })).settings.children;

Deno.test("a further policy has fewer children, less deep, for less long, and none of its own", () => {
  assertEquals(of(null), null);
  assertEquals(of(RULE, null), RULE);
  assertEquals(of(RULE, { ...RULE, max: 9, depth: 1, timeout: 90_000 }), { ...RULE, depth: 1 });
  assertEquals(of(RULE, { ...RULE, isolation: "clone" })?.isolation, "clone");
  assertEquals(of({ ...RULE, isolation: "clone" }, RULE)?.isolation, "clone");
  assertEquals(of(RULE, { ...RULE, max: 1 }, { ...RULE, timeout: 5 })?.timeout, 5);
  assertThrows(() => of(null, RULE), PolicyConflict, "starts none");
  assertThrows(() => of(RULE, { ...RULE, command: ["other"] }), PolicyConflict, "starts another");
  assertThrows(() => of(RULE, { ...RULE, protocol: "acp" }), PolicyConflict, "starts another");
});

Deno.test("agent tools are offered where the policy has children", () => {
  const subject = {
    tool: "spawn_child_agent",
    agent: "root",
    risk: "moderate",
    permission: "agent_spawn",
    riskOfPrograms: false,
  } as const;
  assertEquals(rulebook([{}]).offers(subject), false);
  assertEquals(rulebook([{ children: RULE }]).offers(subject), true);
});
