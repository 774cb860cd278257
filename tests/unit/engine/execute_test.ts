/** The one way through: what stops a call before it runs, what is written down and when, and what is answered. */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import type { CallRequest } from "../../../src/core/request.ts";
import { ToolError } from "../../../src/core/errors.ts";
import { resultError, toJsonText } from "../../../src/core/result.ts";
import { execute } from "../../../src/engine/execute.ts";
import type { Outcome } from "../../../src/engine/runner.ts";
import type { Policy } from "../../../src/policy/model.ts";
import { canonical, pathRule, WORKSPACE } from "../policy/_fixtures.ts";
import {
  answering,
  FOLLOW,
  NOTHING,
  registryOf,
  requestOf,
  resolverOf,
  toolOf,
  type World,
  worldOf,
} from "./_stand_ins.ts";

const OPEN: Partial<Policy> = {
  risk: { allow: "moderate", ask: "dangerous" },
  paths: [pathRule("allow", ["**"]), pathRule("deny", ["shut/**"]), pathRule("ask", ["asked/**"])],
  agents: { root: { permissions: ["all"] }, kid: { permissions: ["all"], tokens: 10 } },
};

function openWorld(options: Parameters<typeof worldOf>[0] = {}): World {
  return worldOf({ policies: [OPEN], ...options });
}

function failed(code: NonNullable<Outcome["error"]>["code"]): Outcome {
  return { ...NOTHING, error: resultError(code, `it ended with ${code}`) };
}

Deno.test("a call is decided, written down, run and written down again, in this order", async () => {
  const { engine, steps, jobs } = openWorld({
    run: () => Promise.resolve({ ...NOTHING, output: toJsonText({ a: 1 }), usage: { bytes: 3 } }),
  });
  const result = await execute(engine, requestOf("look", { args: { path: "b" } }), FOLLOW);
  assertEquals(steps, ["begin", "decided allow", "run look", "ended OK"]);
  const { latencyMs, ...rest } = result;
  assertEquals(rest, {
    tool: "look",
    success: true,
    output: toJsonText({ a: 1 }),
    error: null,
    risk: "safe",
    usage: { bytes: 3 },
  });
  assert(latencyMs >= 0);
  assertEquals(jobs[0]?.grant.read.map(({ requested }) => requested), ["b"]);
  assertEquals(jobs[0]?.subject.agent, "root");
});

Deno.test("what is refused runs nothing, is written down, and is counted under its own name", async () => {
  const cases: readonly (readonly [
    name: string,
    request: Partial<CallRequest> & { readonly tool?: string },
    code: string,
    steps: readonly string[],
  ])[] = [
    ["unknown", { tool: "loook" }, "UNKNOWN_TOOL", []],
    ["arguments", { args: { path: 7 } }, "INVALID_ARGUMENTS", []],
    ["unknown argument", { args: { paht: "a" } }, "INVALID_ARGUMENTS", []],
    ["denied", { args: { path: "shut/a" } }, "PATH_DENIED", ["decided deny"]],
    ["permission", { agent: "nobody" }, "PERMISSION_DENIED", ["decided deny"]],
    ["asked for", { args: { path: "asked/a" } }, "APPROVAL_REQUIRED", ["decided ask"]],
    ["tokens", { agent: "kid", tokens: 11 }, "RESOURCE_LIMIT", []],
  ];
  for (const [name, { tool = "look", ...parts }, code, between] of cases) {
    const { engine, steps, jobs } = openWorld();
    const result = await execute(engine, requestOf(tool, parts), FOLLOW);
    assertEquals(result.error?.code, code, name);
    assertEquals([result.success, result.output, jobs.length], [false, "null", 0], name);
    assertEquals(steps, ["begin", ...between, `ended ${code}`], name);
    assertEquals(Object.keys(engine.metrics.report()), [tool], name);
    assertEquals(engine.metrics.report()[tool]?.errors, { [code]: 1 }, name);
  }
});

Deno.test("what cannot be written down does not run", async () => {
  const { engine, jobs, steps } = openWorld({
    unrecordable: new ToolError("AUDIT_FAILED", "the log is full; nothing was run"),
  });
  const result = await execute(engine, requestOf("look"), FOLLOW);
  assertEquals([result.error?.code, jobs.length], ["AUDIT_FAILED", 0]);
  assertEquals(steps, ["begin", "ended AUDIT_FAILED"]);
});

Deno.test("a call that is agreed to runs as it was agreed to; one that is not, not at all", async () => {
  const args = { path: "asked/a" };
  const agreed = openWorld();
  const yes = answering({ answer: "approved", remember: "once" });
  assertEquals((await execute(agreed.engine, requestOf("look", { args }), yes.follow)).error, null);
  assertEquals(agreed.steps, ["begin", "decided ask", "approval approved", "run look", "ended OK"]);
  assertEquals(yes.asked.map(({ tool, agent, description }) => [tool, agent, description]), [
    ["look", "root", "Look"],
  ]);
  const refused = openWorld();
  const no = answering({ answer: "rejected", reason: "not today" });
  const result = await execute(refused.engine, requestOf("look", { args }), no.follow);
  assertEquals([result.error?.code, refused.jobs.length], ["APPROVAL_REJECTED", 0]);
  assertStringIncludes(result.error?.message ?? "", "not today");
  assertEquals(refused.steps, [
    "begin",
    "decided ask",
    "approval rejected",
    "ended APPROVAL_REJECTED",
  ]);
});

Deno.test("nobody is asked about a preview: what would have to be asked for is refused", async () => {
  const { engine, jobs } = openWorld();
  const { follow, asked } = answering({ answer: "approved", remember: "once" });
  const request = requestOf("look", { args: { path: "asked/a" }, preview: true });
  const result = await execute(engine, request, follow);
  assertEquals([result.error?.code, asked, jobs], ["APPROVAL_REQUIRED", [], []]);
});

Deno.test("the preview for an approver is run as one, and only that", async () => {
  const preview = () => ({});
  const registry = registryOf(toolOf({
    preview,
    capabilities: () => [{ kind: "fs.write", path: "asked/a", tree: false }],
  }));
  const { engine, jobs } = openWorld({
    registry,
    run: ({ preview }) => Promise.resolve({ ...NOTHING, output: toJsonText({ preview }) }),
  });
  const { follow, asked } = answering({ answer: "rejected", reason: null });
  await execute(engine, requestOf("look"), follow);
  assertEquals(asked.map(({ preview }) => preview), [toJsonText({ preview: true })]);
  assertEquals(jobs.map(({ preview, stream }) => [preview, stream]), [[true, false]]);
});

Deno.test("execute never throws: whatever is thrown on the way is the answer, without paths", async () => {
  const thrown: readonly (readonly [unknown, string])[] = [
    [new ToolError("FILE_NOT_FOUND", "a is not there"), "FILE_NOT_FOUND"],
    [new Deno.errors.NotCapable("no"), "NATIVE_DENIED"],
    [new Error("cannot open /home/somebody/secret"), "EXECUTION_ERROR"],
    ["a text", "EXECUTION_ERROR"],
  ];
  for (const [error, code] of thrown) {
    const { engine, steps } = openWorld({ run: () => Promise.reject(error) });
    const result = await execute(engine, requestOf("look"), FOLLOW);
    assertEquals(result.error?.code, code);
    assert(!(result.error?.message ?? "").includes("/home"), result.error?.message);
    assertEquals(steps.at(-1), `ended ${code}`);
    const later = openWorld({
      parts: {
        runner: {
          run: () => {
            throw error;
          },
          close: () => Promise.resolve(),
        },
      },
    });
    assertEquals((await execute(later.engine, requestOf("look"), FOLLOW)).error?.code, code);
  }
});

Deno.test("calls run in the order in which they came, though some take longer to judge", async () => {
  const slow = Promise.withResolvers<readonly { kind: "fs.read"; path: string; tree: boolean }[]>();
  const registry = registryOf(
    toolOf({ name: "slow", capabilities: () => slow.promise }),
    toolOf({ name: "quick" }),
  );
  const { engine, jobs } = openWorld({ registry });
  const both = [
    execute(engine, requestOf("slow"), FOLLOW),
    execute(engine, requestOf("quick"), FOLLOW),
  ];
  await new Promise((resolve) => setTimeout(resolve, 0));
  assertEquals(jobs.length, 0);
  slow.resolve([{ kind: "fs.read", path: "a", tree: false }]);
  await Promise.all(both);
  assertEquals(jobs.map(({ tool }) => tool.name), ["slow", "quick"]);
});

Deno.test("the way to cancel is the runner's", async () => {
  const { engine, steps } = openWorld({
    run: () => new Promise((resolve) => setTimeout(resolve, 0, failed("CANCELLED"))),
  });
  const onRunning = (cancel: () => void) => cancel();
  const result = await execute(engine, requestOf("look"), { ...FOLLOW, onRunning });
  assertEquals(result.error?.code, "CANCELLED");
  assert(steps.includes("cancel look"), steps.join());
});

Deno.test("a call that only looks is tried again as the policy says, one that writes is not", async () => {
  const recovery = { timeout: { retries: 2, factor: 2 } };
  const policies = [{ ...OPEN, recovery, timeouts: { default: 100, killGrace: null } }];
  const run = () => Promise.resolve(failed("TIMEOUT"));
  const reading = worldOf({ policies, run });
  const result = await execute(reading.engine, requestOf("look"), FOLLOW);
  assertEquals(reading.jobs.map(({ grant }) => grant.timeoutMs), [100, 200, 400]);
  assertEquals([result.error?.code, result.recovery?.length], ["TIMEOUT", 2]);
  // It is one call to whoever counts and whoever keeps the log.
  assertEquals(reading.engine.metrics.report()["look"]?.calls, 1);
  assertEquals(reading.steps.filter((step) => step.startsWith("ended")), ["ended TIMEOUT"]);
  const registry = registryOf(
    toolOf({
      risk: "moderate",
      capabilities: () => [{ kind: "fs.write", path: "a", tree: false }],
    }),
  );
  const writing = worldOf({ policies, run, registry });
  await execute(writing.engine, requestOf("look"), FOLLOW);
  assertEquals(writing.jobs.length, 1);
});

Deno.test("a call that waits to be tried again can be cancelled", async () => {
  const recovery = { network: { retries: 3, backoffMs: 3_600_000 } };
  const { engine, jobs } = worldOf({
    policies: [{ ...OPEN, recovery }],
    run: () => Promise.resolve(failed("NETWORK_ERROR")),
  });
  let times = 0;
  const onRunning = (cancel: () => void) => {
    // First the run, then the wait.
    if (++times === 2) cancel();
  };
  const result = await execute(engine, requestOf("look"), { ...FOLLOW, onRunning });
  assertEquals([result.error?.code, jobs.length], ["NETWORK_ERROR", 1]);
});

Deno.test("where a call fails its alternatives are asked, each judged, written down and counted", async () => {
  const policies = [{ ...OPEN, recovery: { alternatives: { look: ["peek"] } } }];
  const registry = registryOf(toolOf(), toolOf({ name: "peek" }));
  const run = ({ tool }: { readonly tool: { readonly name: string } }) =>
    Promise.resolve(tool.name === "look" ? failed("TIMEOUT") : NOTHING);
  const { engine, steps } = worldOf({ policies, registry, run });
  const result = await execute(engine, requestOf("look"), FOLLOW);
  assertEquals([result.tool, result.success], ["peek", true]);
  assertEquals(steps.filter((step) => /^(run|ended)/.test(step)), [
    "run look",
    "ended TIMEOUT",
    "run peek",
    "ended OK",
  ]);
  assertEquals(Object.keys(engine.metrics.report()), ["look", "peek"]);
  // What the policy refuses is not got round by another tool.
  const denied = worldOf({ policies, registry });
  await execute(denied.engine, requestOf("look", { args: { path: "shut/a" } }), FOLLOW);
  assertEquals(denied.jobs, []);
});

Deno.test("an observer hears of each call once, and of its end", async () => {
  const heard: unknown[] = [];
  const telemetry = {
    begin: ({ tool }: CallRequest) => {
      heard.push(tool);
      return { ended: ({ error }: { readonly error: unknown }) => heard.push(error) };
    },
  };
  const { engine } = openWorld({ parts: { telemetry } });
  await execute(engine, requestOf("look"), FOLLOW);
  await execute(engine, requestOf("nothing"), FOLLOW);
  assertEquals(heard.slice(0, 3), ["look", null, "nothing"]);
  assertEquals(heard.length, 4);
});

Deno.test("a call of a program that is not there names it", async () => {
  const registry = registryOf(toolOf({
    name: "start",
    risk: "moderate",
    permission: "code_execution",
    capabilities: () => [{ kind: "process.spawn", argv: ["nowhere"], cwd: "." }],
  }));
  const commands = [{
    effect: "allow" as const,
    patterns: ["nowhere"],
    exact: false,
    examples: { match: [], notMatch: [] },
  }];
  const { engine, jobs } = worldOf({
    policies: [{ ...OPEN, commands }],
    registry,
    parts: {
      resolver: resolverOf((capabilities) =>
        capabilities.flatMap((one) =>
          one.kind === "process.spawn"
            ? [{ ...one, cwd: canonical(WORKSPACE), program: null, operands: [] }]
            : []
        )
      ),
    },
  });
  const result = await execute(engine, requestOf("start"), FOLLOW);
  assertEquals([result.error?.code, jobs.length], ["COMMAND_NOT_FOUND", 0]);
  assertStringIncludes(result.error?.message ?? "", "nowhere");
});
