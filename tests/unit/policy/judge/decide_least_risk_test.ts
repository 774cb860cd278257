import { check } from "./_decide_cases.ts";
import { ALL } from "./_decide_cases.ts";
import { commandRule, rulebook, RUNNER, spawn } from "../_fixtures.ts";
import { assertEquals } from "@std/assert";

const POLICY = {
  paths: [ALL],
  commands: [commandRule("allow", ["*"])],
  risk: { allow: "safe", ask: "moderate" },
} as const;

check([
  {
    name: "least risk: a harmless command of a tool that says it is moderate is asked for",
    policies: [POLICY],
    subject: { leastRisk: "moderate" },
    capabilities: [spawn(["cat", "x"])],
    expect: ["ask", "APPROVAL_REQUIRED", "risk"],
  },
  {
    name: "least risk: a dangerous command of a tool that says it is safe is dangerous",
    policies: [POLICY],
    subject: { leastRisk: "safe" },
    capabilities: [spawn(["rm", "-rf", "x"])],
    expect: ["deny", "RISK_DENIED", "risk"],
  },
  {
    name: "least risk: a harmless command of a tool that says it is safe runs",
    policies: [POLICY],
    subject: { leastRisk: "safe" },
    capabilities: [spawn(["cat", "x"])],
    expect: ["allow"],
  },
  {
    name: "least risk: the policy's own word for the tool counts",
    policies: [{ ...POLICY, tools: { [RUNNER.tool]: { risk: "safe" } } }],
    subject: { leastRisk: "dangerous" },
    capabilities: [spawn(["cat", "x"])],
    expect: ["allow"],
  },
], RUNNER);

Deno.test("a tool whose least risk is never let run is not offered", () => {
  const subject = { ...RUNNER, leastRisk: "dangerous" } as const;
  assertEquals(rulebook([POLICY]).offers(subject), false);
  assertEquals(rulebook([POLICY]).offers({ ...subject, leastRisk: "moderate" }), true);
});
