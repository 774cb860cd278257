import { assertEquals, assertThrows } from "@std/assert";
import { ToolError } from "../../../src/core/errors.ts";
import { PolicyBudgets } from "../../../src/engine/budgets.ts";
import { DelegatedBudget } from "../../../src/engine/delegated_budget.ts";

const ALIVE = () => {};

Deno.test("what is spent of a part counts for all above it, and the first that is empty ends it", () => {
  const policies = new PolicyBudgets((agent) => ({ root: 100, "child-1": 50 })[agent] ?? null);
  const child = new DelegatedBudget({
    agent: "child-1",
    tokens: 40,
    above: policies,
    maker: "root",
    policies,
    alive: ALIVE,
  });
  const below = new DelegatedBudget({
    agent: "child-1-1",
    tokens: null,
    above: child,
    maker: "child-1",
    policies,
    alive: ALIVE,
  });
  below.charge("child-1-1", 30);
  assertEquals(child.report(), [{ agent: "child-1", spent: 30, budget: 40 }]);
  assertEquals(below.report(), [{ agent: "child-1-1", spent: 30, budget: null }]);
  assertEquals(policies.report().map(({ agent, spent }) => `${agent} ${spent}`), [
    "root 30",
    "child-1 30",
    "child-1-1 30",
  ]);
  // Its maker's part is empty, whatever is left of its own.
  assertThrows(() => below.charge("child-1-1", 11), ToolError, "41 tokens of the 40");
  assertThrows(() => child.charge("child-1", 0), ToolError, "41 tokens of the 40");
  // What its maker spends himself leaves less for it.
  const late = new DelegatedBudget({
    agent: "root",
    tokens: 1000,
    above: policies,
    maker: "root",
    policies: null,
    alive: ALIVE,
  });
  policies.charge("root", 59);
  assertThrows(() => late.charge("root", 1), ToolError, "101 tokens of the 100");
  // The name that a request gives is nothing to go by.
  assertThrows(() => late.charge("somebody", 0), ToolError);
});

Deno.test("nothing is charged, and nothing done, with what is over", () => {
  const policies = new PolicyBudgets(() => null);
  const over = new DelegatedBudget({
    agent: "a",
    tokens: null,
    above: policies,
    maker: "root",
    policies,
    alive: () => {
      throw new ToolError("PERMISSION_DENIED", "over");
    },
  });
  assertThrows(() => over.charge("a", 5), ToolError, "over");
  assertEquals(policies.report(), []);
});
