/** What judging a request comes to, without any effect: the tool and input that are meant, the decision, the grant. */

import { assert, assertEquals, assertRejects, assertThrows } from "@std/assert";
import { ToolError } from "../../../../src/core/errors.ts";
import type { Tool } from "../../../../src/core/tool.ts";
import { decideCall, subjectOf } from "../../../../src/engine/judge/decide_call.ts";
import type { Policy } from "../../../../src/policy/model.ts";
import { pathRule } from "../../policy/_fixtures.ts";
import { registryOf, requestOf, toolOf, worldOf } from "../_stand_ins.ts";

const OPEN: Partial<Policy> = {
  risk: { allow: "moderate", ask: "dangerous" },
  paths: [pathRule("allow", ["**"]), pathRule("deny", ["shut/**"])],
  agents: { root: { permissions: ["all"] } },
  timeouts: { default: 1000, killGrace: null },
};

/** Engines remember their tools, so that all but the first call of one is judged at once. */
async function loaded(tool: Tool, sections: Partial<Policy> = OPEN) {
  const registry = registryOf(tool);
  await registry.loadAll();
  return worldOf({ policies: [sections], registry }).engine;
}

Deno.test("a request of a tool that is loaded is judged at once, others when it is", async () => {
  const engine = await loaded(toolOf());
  const judged = decideCall(engine, requestOf("look", { args: { path: "b" } }));
  assert(!(judged instanceof Promise));
  assertEquals([judged.tool.name, judged.input, judged.decision.effect], [
    "look",
    { path: "b" },
    "allow",
  ]);
  assertEquals(judged.grant.read.map(({ requested }) => requested), ["b"]);
  const finding = Promise.resolve([{ kind: "fs.read", path: "shut/a", tree: false }] as const);
  const waiting = decideCall(
    await loaded(toolOf({ capabilities: () => finding })),
    requestOf("look"),
  );
  assert(waiting instanceof Promise);
  assertEquals((await waiting).decision.code, "PATH_DENIED");
});

Deno.test("defaults are filled in before anything is asked of the tool", async () => {
  const seen: unknown[] = [];
  const engine = await loaded(toolOf({
    input: {
      type: "object",
      properties: { path: { type: "string", default: "here" } },
    } as Tool["input"],
    check: (input) => seen.push(["check", input]),
    capabilities: (input) => {
      seen.push(["capabilities", input]);
      return [];
    },
  }));
  await decideCall(engine, requestOf("look"));
  assertEquals(seen, [["check", { path: "here" }], ["capabilities", { path: "here" }]]);
});

Deno.test("what makes no sense is refused before capabilities are asked for", async () => {
  const tool = toolOf({
    check: () => {
      throw new ToolError("INVALID_ARGUMENTS", "look: never");
    },
    capabilities: () => {
      throw new Error("asked");
    },
  });
  for (const args of [{}, { paht: "a" }, { path: 1 }]) {
    const engine = await loaded(tool);
    const error = assertThrows(() => decideCall(engine, requestOf("look", { args })), ToolError);
    assertEquals(error.code, "INVALID_ARGUMENTS");
  }
  const engine = await loaded(toolOf());
  const unknown = await assertRejects(
    async () => await decideCall(engine, requestOf("lok")),
    ToolError,
  );
  assertEquals(unknown.code, "UNKNOWN_TOOL");
});

Deno.test("the time of a call is the policy's, or less where the caller says so", async () => {
  const sections = { ...OPEN, tools: { look: { timeoutMs: 500 } } };
  const cases = [[OPEN, null, 1000], [OPEN, 10, 10], [OPEN, 9999, 1000], [sections, null, 500], [
    sections,
    600,
    500,
  ]] as const;
  for (const [policy, timeoutMs, expected] of cases) {
    const { grant } = await decideCall(
      await loaded(toolOf(), policy),
      requestOf("look", { timeoutMs }),
    );
    assertEquals(grant.timeoutMs, expected);
  }
});

Deno.test("a preview is judged as the input that it would run with", async () => {
  const tool = toolOf({
    dryRun: (input) => ({ ...input as object, path: "dry" }),
  });
  const engine = await loaded(tool);
  const args = { path: "wet" };
  const dry = await decideCall(engine, requestOf("look", { args, preview: true }));
  assertEquals([dry.input, dry.grant.read[0]?.requested], [{ path: "dry" }, "dry"]);
  assertEquals((await decideCall(engine, requestOf("look", { args }))).input, args);
});

Deno.test("a tool that stands for another is judged as that, by the stricter of the two names", async () => {
  const other = toolOf({ name: "other", permission: null });
  const named = toolOf({
    name: "named",
    permission: null,
    standsFor: { tools: ["other"], call: () => ({ tool: "other", args: { path: "meant" } }) },
  });
  const judgedUnder = async (tools: Policy["tools"]) => {
    const registry = registryOf(other, named);
    const { engine } = worldOf({ policies: [{ ...OPEN, tools }], registry });
    return await decideCall(engine, requestOf("named"));
  };
  const open = await judgedUnder(null);
  assertEquals([open.tool.name, open.input, open.decision.effect], [
    "other",
    { path: "meant" },
    "allow",
  ]);
  const cases = [
    [{ named: { risk: "dangerous" } }, "ask"],
    [{ other: { risk: "dangerous" } }, "ask"],
    [{ named: { enabled: false } }, "deny"],
    [{ named: { enabled: false }, other: { risk: "dangerous" } }, "deny"],
    [{ named: { risk: "dangerous" }, other: { enabled: false } }, "deny"],
  ] as const;
  for (const [tools, effect] of cases) {
    const judged = await judgedUnder(tools);
    assertEquals(judged.decision.effect, effect, JSON.stringify(tools));
    // What it needs is shown, whoever decides.
    assertEquals(judged.decision.verdicts.length, 1);
  }
});

Deno.test("what the policy is asked about a tool is what the tool says, risk at least so much where it says that", () => {
  assertEquals(subjectOf(toolOf(), "kid"), {
    tool: "look",
    agent: "kid",
    risk: "safe",
    permission: "file_read",
    riskOfPrograms: false,
  });
  const { leastRisk, riskOfPrograms } = subjectOf(
    toolOf({ leastRisk: "moderate", riskOfPrograms: true }),
    "root",
  );
  assertEquals([leastRisk, riskOfPrograms], ["moderate", true]);
});
