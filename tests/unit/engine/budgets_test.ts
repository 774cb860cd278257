import { assertEquals, assertThrows } from "@std/assert";
import { ToolError } from "../../../src/core/errors.ts";
import { PolicyBudgets } from "../../../src/engine/budgets.ts";
import { rulebook } from "../policy/_fixtures.ts";

Deno.test("tokens add up until an agent's budget is spent, and then nothing more goes", () => {
  const budgets = new PolicyBudgets((agent) => agent === "kid" ? 100 : null);
  budgets.charge("kid", 60);
  budgets.charge("kid", 40);
  budgets.charge("kid", 0);
  assertThrows(() => budgets.charge("kid", 1), ToolError, "101 tokens of the 100");
  assertThrows(() => budgets.charge("kid", 0), ToolError);
  budgets.charge("root", 1e12);
  assertEquals(budgets.report(), [
    { agent: "kid", spent: 101, budget: 100 },
    { agent: "root", spent: 1e12, budget: null },
  ]);
});

Deno.test("names of agents cannot fill the memory", () => {
  const budgets = new PolicyBudgets(() => null);
  for (let i = 0; i < 10_000; i++) budgets.charge(`a${i}`, 1);
  assertThrows(() => budgets.charge("one more", 1), ToolError);
  budgets.charge("a5", 1);
});

Deno.test("the least of all policies' budgets counts", () => {
  const agents = (tokens?: number) => ({
    agents: {
      "kid-*": { permissions: ["all"] as const, ...(tokens === undefined ? {} : { tokens }) },
    },
  });
  const both = rulebook([agents(500), agents(300), agents()]);
  assertEquals([both.tokensOf("kid-1"), both.tokensOf("root")], [300, null]);
});
