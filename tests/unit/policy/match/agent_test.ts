import { assertEquals } from "@std/assert";
import { compileAgents, matchAgent } from "../../../../src/policy/match/agent.ts";

const matcher = compileAgents({
  "*": "any",
  "child-*": "child",
  "child-*-reader": "reader",
  "child-7": "seven",
  root: "root",
  "a\\*": "starred",
});

const CASES: readonly [agent: string, pattern: string][] = [
  ["root", "root"],
  ["rooted", "*"],
  ["child-7", "child-7"],
  ["child-8", "child-*"],
  ["child-", "child-*"],
  ["child-8-reader", "child-*-reader"],
  ["child-reader", "child-*"],
  ["Child-8", "*"],
  ["", "*"],
  ["a*", "a\\*"],
  ["constructor", "*"],
];

for (const [agent, pattern] of CASES) {
  Deno.test(`agent ${JSON.stringify(agent)} is held by ${pattern}`, () => {
    assertEquals(matchAgent(matcher, agent)?.pattern, pattern);
  });
}

Deno.test("an agent that no pattern names has no rule", () => {
  assertEquals(matchAgent(compileAgents({ root: 1 }), "toString"), null);
});

Deno.test("the most specific pattern wins in whatever order they stand", () => {
  assertEquals(matchAgent(compileAgents({ "a*": 1, "*": 2, "ab*": 3 }), "abc")?.rule, 3);
  assertEquals(matchAgent(compileAgents({ "ab*": 3, "*": 2, "a*": 1 }), "abc")?.rule, 3);
});
