import { assert, assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { ToolError } from "../../../../src/core/errors.ts";
import type { CallRequest } from "../../../../src/core/request.ts";
import { execute } from "../../../../src/engine/execute.ts";
import { explain } from "../../../../src/engine/judge/explain.ts";
import type { Policy } from "../../../../src/policy/model.ts";
import { Workspace } from "../../../binary/toolgate.ts";
import { commandRule, pathRule } from "../../policy/_fixtures.ts";
import { FOLLOW, openEngine, requestOf } from "../_stand_ins.ts";

/** The C library is opened once a process and never closed. */
const LIBRARY_STAYS = { sanitizeResources: false };

const OPEN: Partial<Policy> = {
  risk: { allow: "moderate", ask: "dangerous" },
  paths: [
    pathRule("allow", ["**"]),
    pathRule("deny", ["shut/**"], ["read", "write"], { reason: "it is shut" }),
    pathRule("ask", ["asked/**"]),
  ],
  commands: [commandRule("allow", ["cat", "no-such-program"])],
  agents: { root: { permissions: ["all"] }, reader: { permissions: ["file_read"] } },
  timeouts: { default: 123_400, killGrace: null },
};

// deno-lint-ignore no-explicit-any
type Loose = any;

async function explained(request: CallRequest, ...policies: readonly Partial<Policy>[]) {
  await using workspace = new Workspace({ "a": "x" });
  const engine = openEngine(workspace.root, ...(policies.length === 0 ? [OPEN] : policies));
  try {
    const { tool, risk, effect, explanation } = await explain(engine, request);
    return { tool, risk, effect, root: workspace.root, explanation: explanation as Loose };
  } finally {
    await engine.runner.close();
  }
}

function reading(path: string, parts: Partial<CallRequest> = {}): CallRequest {
  return requestOf("read_file", { args: { path }, ...parts });
}

Deno.test("what explain says is what a call would be answered", LIBRARY_STAYS, async () => {
  const requests = [
    reading("a"),
    reading("shut/a"),
    reading("asked/a"),
    reading("../outside"),
    reading("a", { agent: "nobody" }),
    requestOf("write_file", { args: { path: "b", content: "" }, agent: "reader" }),
    requestOf("run_command", { args: { argv: ["cat", "a"] } }),
    requestOf("run_command", { args: { argv: ["no-such-program"] } }),
    requestOf("run_command", { args: { argv: ["rm", "a"] } }),
  ];
  await using workspace = new Workspace({ "a": "x" });
  for (const request of requests) {
    const engine = openEngine(workspace.root, OPEN);
    const { effect, explanation } = await explain(engine, request);
    const { error } = await execute(engine, request, FOLLOW);
    await engine.runner.close();
    const words = JSON.stringify(request.args);
    assertEquals(effect === "allow", error === null, `${words} ${error?.message}`);
    if (error !== null) assertEquals((explanation as Loose).code, error.code, words);
    if (effect === "deny") {
      assertStringIncludes(error?.message ?? "", (explanation as Loose).reason, words);
    }
  }
});

Deno.test(
  "an explanation names the rules that spoke, who may, what is asked and how long",
  LIBRARY_STAYS,
  async () => {
    const { tool, risk, effect, explanation } = await explained(reading("shut/a"));
    assertEquals([tool, risk, effect], ["read_file", "safe", "deny"]);
    const { code, reason, rule, permission, approval, timeout_ms, layers, capabilities } =
      explanation;
    assertEquals([code, rule?.index, timeout_ms], ["PATH_DENIED", "paths[1]", 123_400]);
    assert(reason.includes("it is shut"), reason);
    assertEquals(permission.group, "file_read");
    assertEquals(approval, { asked: false });
    assertEquals(layers, { policy: ["p1.yaml"], below: "nothing runs" });
    assertEquals(capabilities.length, 1);
    const [{ path, effect: own, rules }] = capabilities;
    assertEquals([path, own], ["shut/a", "deny"]);
    const matching = rules[0].policies[0].matching.map(({ index }: Loose) => index);
    assertEquals(matching.toSorted(), ["paths[0]", "paths[1]"]);
    assert(JSON.stringify(explanation.would_be_allowed_by) !== "[]");
  },
);

Deno.test("what must be agreed to says how, and what would hold it", LIBRARY_STAYS, async () => {
  const { effect, explanation, root } = await explained(reading("asked/a"));
  assertEquals([effect, explanation.approval.asked], ["ask", true]);
  assert(explanation.approval.how.includes("approvals approve"), explanation.approval.how);
  assertEquals(explanation.approval.expire_ms, 300_000);
  assert(Array.isArray(explanation.layers.landlock.rules));
  assertEquals(JSON.stringify(explanation.layers).includes(root), false);
});

Deno.test(
  "no more than twenty rules of one policy are shown, and the rest are counted",
  LIBRARY_STAYS,
  async () => {
    const paths = Array.from({ length: 25 }, () => pathRule("allow", ["**"]));
    const { explanation } = await explained(reading("a"), { ...OPEN, paths });
    const [finding] = explanation.capabilities[0].rules[0].policies;
    assertEquals([finding.matching.length, finding.more], [20, 5]);
  },
);

Deno.test(
  "commands, hosts and variables are shown as they were asked for",
  LIBRARY_STAYS,
  async () => {
    const { explanation } = await explained(
      requestOf("run_command", { args: { command: "X=1 cat a" } }),
    );
    const kinds = explanation.capabilities.map(({ kind }: Loose) => kind);
    assert(kinds.includes("process.spawn") && kinds.includes("env.read"), kinds.join());
    const command = explanation.capabilities.find(({ kind }: Loose) => kind === "process.spawn");
    assertEquals([command.argv, command.found], [["cat", "a"], true]);
    const variable = explanation.capabilities.find(({ kind }: Loose) => kind === "env.read");
    assertEquals(variable.name, "X");
  },
);

Deno.test("explain throws what judging throws", LIBRARY_STAYS, async () => {
  const cases = [[requestOf("no_such"), "UNKNOWN_TOOL"], [
    requestOf("read_file"),
    "INVALID_ARGUMENTS",
  ]] as const;
  for (const [request, code] of cases) {
    assertEquals((await assertRejects(() => explained(request), ToolError)).code, code);
  }
});

Deno.test(
  "of thousands of capabilities the first are told, and how many are not",
  LIBRARY_STAYS,
  async () => {
    const argv = ["cat", ...Array.from({ length: 1_500 }, (_, at) => `f${at}`)];
    const { effect, explanation } = await explained(requestOf("run_command", { args: { argv } }));
    assertEquals(effect, "allow");
    assertEquals(explanation.capabilities.length, 1_000);
    assertEquals(explanation.capabilities_left_out, 501);
  },
);

Deno.test(
  "of megabytes of arguments an explanation tells what tells them apart",
  LIBRARY_STAYS,
  async () => {
    const { explanation } = await explained({
      ...requestOf("run_command"),
      args: { argv: ["cat", "x".repeat(100_000), ...Array(2_000).fill("y")] },
    });
    assert(
      JSON.stringify(explanation).length < 400_000,
      String(JSON.stringify(explanation).length),
    );
    const { argv } = explanation.capabilities.find(({ kind }: Loose) => kind === "process.spawn");
    assertEquals(argv[1], `${"x".repeat(1_000)}… [100000 characters]`);
    assertEquals([argv.length, argv.at(-1)], [1_001, "[1002 more]"]);
  },
);

Deno.test(
  "what is judged only when a line runs is no part of what is allowed, and is said so",
  LIBRARY_STAYS,
  async () => {
    const later = async (args: Record<string, unknown>) =>
      (await explained(requestOf("run_command", { args }))).explanation.judged_later !== undefined;
    const open = [
      "X=cat; $X a",
      'cat "$X"',
      "cat <$X",
      'eval "$X"',
      ". ./a",
      "if cat a; then cat $X; fi",
    ];
    for (const command of open) assertEquals(await later({ command }), true, command);
    const known = [
      "cat a",
      "eval 'cat a'",
      "cat a >b && cat b",
      "for x in 1 2; do cat a; done",
      "rm $X",
    ];
    for (const command of known) assertEquals(await later({ command }), false, command);
    assertEquals(await later({ argv: ["cat", "$X"] }), false);
  },
);
