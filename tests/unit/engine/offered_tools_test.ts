import { assertEquals } from "@std/assert";
import type { Tool } from "../../../src/core/tool.ts";
import { offeredTools } from "../../../src/engine/offered_tools.ts";
import type { Policy } from "../../../src/policy/model.ts";
import { pathRule } from "../policy/_fixtures.ts";
import { registryOf, toolOf, worldOf } from "./_stand_ins.ts";

const TOOLS: readonly Tool[] = [
  toolOf({ name: "reads", permission: "file_read" }),
  toolOf({ name: "writes", permission: "file_write", risk: "moderate" }),
  toolOf({ name: "harmless", permission: null }),
  toolOf({ name: "risky", permission: null, risk: "dangerous" }),
  toolOf({
    name: "stands",
    permission: null,
    standsFor: { tools: ["reads", "writes"], call: () => ({ tool: "reads", args: {} }) },
  }),
];

async function offered(agent: string, sections: Partial<Policy> = {}) {
  const { engine } = worldOf({
    registry: registryOf(...TOOLS),
    policies: [{
      paths: [pathRule("allow", ["**"])],
      risk: { allow: "moderate", ask: "moderate" },
      agents: { root: { permissions: ["all"] }, reader: { permissions: ["file_read"] } },
      ...sections,
    }],
  });
  return (await offeredTools(engine, agent)).map(({ name }) => name);
}

Deno.test("an agent is offered what the policy could allow it, in the registry's order", async () => {
  assertEquals(await offered("root"), ["reads", "writes", "harmless", "stands"]);
  assertEquals(await offered("reader"), ["reads", "harmless", "stands"]);
  assertEquals(await offered("root", { risk: { allow: "safe", ask: "dangerous" } }), [
    "reads",
    "writes",
    "harmless",
    "risky",
    "stands",
  ]);
});

Deno.test("another name for tools is offered where one of them is, and is not switched off", async () => {
  const off = { enabled: false };
  assertEquals(await offered("reader", { tools: { reads: off } }), ["harmless"]);
  assertEquals(await offered("root", { tools: { reads: off } }), ["writes", "harmless", "stands"]);
  assertEquals(await offered("root", { tools: { stands: off } }), ["reads", "writes", "harmless"]);
});
