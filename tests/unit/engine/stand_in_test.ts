/** Calls of a tool that stands for others: judged, run and counted as the others', and held by the policy on both. */

import { assertEquals, assertStringIncludes } from "@std/assert";
import type { CallRequest } from "../../../src/core/request.ts";
import { type CommandEngine, createEngine } from "../../../src/engine/create_engine.ts";
import { execute } from "../../../src/engine/execute.ts";
import { explain } from "../../../src/engine/judge/explain.ts";
import type { Policy } from "../../../src/policy/model.ts";
import { createRegistry } from "../../../src/tools/registry.ts";
import { canonical, pathRule, policy, WORKSPACE } from "../policy/_fixtures.ts";
import { FOLLOW, noLog, requestOf, type World, worldOf as standIn } from "./_stand_ins.ts";

const ALLOWED: Partial<Policy> = {
  risk: { allow: "moderate", ask: "dangerous" },
  paths: [pathRule("allow", ["**"])],
  agents: {
    root: { permissions: ["all"] },
    reader: { permissions: ["file_read"] },
  },
};

/** An engine of all tools whose runner only keeps what it is given. */
function worldOf(sections: Partial<Policy> = {}): World {
  return standIn({ registry: createRegistry(), policies: [{ ...ALLOWED, ...sections }] });
}

function request(args: CallRequest["args"], agent = "root"): CallRequest {
  return requestOf("file", { args, agent });
}

Deno.test("a call of file runs and counts as the tool that is meant, and answers under its own name", async () => {
  const { engine, jobs } = worldOf();
  const result = await execute(engine, request({ operation: "read", path: "a" }), FOLLOW);
  assertEquals([result.tool, result.success, result.risk], ["file", true, "safe"]);
  const [job] = jobs;
  assertEquals([job?.tool.name, job?.input], ["read_file", { path: "a", encoding: "utf-8" }]);
  assertEquals(job?.grant.read.map(({ requested }) => requested), ["a"]);
  assertEquals(job?.grant.write, []);
  assertEquals(Object.keys(engine.metrics.report()), ["read_file"]);
});

Deno.test("file needs the permission of the tool that is meant, and no other", async () => {
  const { engine, jobs } = worldOf();
  const read = request({ operation: "read", path: "a" }, "reader");
  assertEquals((await execute(engine, read, FOLLOW)).error, null);
  const write = request({ operation: "write", path: "a", content: "x" }, "reader");
  const refused = await execute(engine, write, FOLLOW);
  assertEquals([refused.tool, refused.error?.code], ["file", "PERMISSION_DENIED"]);
  assertStringIncludes(refused.error?.message ?? "", "file_write");
  assertEquals(jobs.length, 1);
});

Deno.test("a policy on either name holds", async () => {
  const write = { operation: "write", path: "a", content: "x" };
  const cases: readonly (readonly [Partial<Policy>, string | null])[] = [
    [{}, null],
    [{ tools: { write_file: { enabled: false } } }, "TOOL_DENIED"],
    [{ tools: { file: { enabled: false } } }, "TOOL_DENIED"],
    [{ tools: { file: { risk: "dangerous" } } }, "APPROVAL_REQUIRED"],
    [{ tools: { write_file: { risk: "dangerous" } } }, "APPROVAL_REQUIRED"],
    [{ paths: [pathRule("allow", ["**"], ["read"])] }, "PATH_DENIED"],
  ];
  for (const [sections, code] of cases) {
    const { engine, jobs } = worldOf(sections);
    const result = await execute(engine, request(write), FOLLOW);
    assertEquals(result.error?.code ?? null, code, JSON.stringify(sections));
    // Whoever is asked sees a preview, which changes nothing.
    assertEquals(jobs.filter(({ preview }) => !preview).length, code === null ? 1 : 0);
  }
});

// The layers that it tells of are tried through the C library, which stays loaded.
Deno.test("what explain shows is the judgement of the tool that is meant", {
  sanitizeResources: false,
}, async () => {
  const { engine, jobs } = worldOf();
  const commandEngine: CommandEngine = {
    ...engine,
    policies: [],
    offered: () => Promise.resolve([]),
    boundaryOf: () => ({ read: [], write: [], connect: [], spawn: null }),
  };
  const { tool, explanation } = await explain(
    commandEngine,
    request({ operation: "write", path: "a", content: "x" }),
  );
  assertEquals([tool, explanation.description], ["write_file", "Write file: a"]);
  assertEquals(jobs, []);
});

Deno.test("arguments that make no sense are refused in the words of the tool that is meant", async () => {
  const { engine, jobs } = worldOf();
  const cases: readonly (readonly [CallRequest["args"], string])[] = [
    [{}, "file: operation: missing"],
    [{ operation: "reed", path: "a" }, 'Did you mean "read"?'],
    [{ operation: "read" }, "read_file: path: missing"],
    [{ operation: "read", path: "a", start_line: 0 }, "read_file: start_line"],
    [{ operation: "read", path: "a", content: "x" }, "operation read has no use for it"],
    [{ operation: "write", path: "a" }, "write_file: content: missing"],
    [{ operation: "list", glob: "*", pattern: "*" }, "pattern: given twice"],
  ];
  for (const [args, part] of cases) {
    const { error } = await execute(engine, request(args), FOLLOW);
    assertEquals(error?.code, "INVALID_ARGUMENTS", JSON.stringify(args));
    assertStringIncludes(error?.message ?? "", part);
  }
  assertEquals(jobs, []);
});

Deno.test("file is offered to whom a tool is that it stands for", async () => {
  const workspace = canonical(WORKSPACE);
  const engine = createEngine({
    policies: [{ source: "p", policy: policy(ALLOWED), workspace }],
    workspace,
    sealed: false,
    audit: noLog,
  });
  for (const [agent, isOffered] of [["root", true], ["reader", true], ["nobody", false]] as const) {
    const names = (await engine.offered(agent)).map(({ name }) => name);
    assertEquals(names.includes("file"), isOffered, agent);
    assertEquals(names.includes("read_file"), isOffered, agent);
  }
  await engine.runner.close();
});
