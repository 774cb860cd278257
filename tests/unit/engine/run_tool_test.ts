import { assertEquals, assertStringIncludes } from "@std/assert";
import { ToolError } from "../../../src/core/errors.ts";
import { toJsonText } from "../../../src/core/result.ts";
import type { Tool, ToolContext } from "../../../src/core/tool.ts";
import { describeFailure, runTool } from "../../../src/engine/run_tool.ts";
import { toolOf } from "./_stand_ins.ts";

const CONTEXT = {} as ToolContext;

/** Usage as it stands when the tool has ended. */
function outcomeOf(tool: Tool, preview = false) {
  let steps = 0;
  const counted: Tool = {
    ...tool,
    run: async (...given) => {
      steps++;
      return await tool.run(...given);
    },
  };
  return runTool(counted, { path: "a" }, CONTEXT, { preview, usage: () => ({ steps }) });
}

Deno.test("what a tool answers is the output as JSON, whether it waits or not", async () => {
  const cases: readonly (readonly [Partial<Tool>, string])[] = [
    [{ run: () => ({ a: [1, "ä"] }) }, '{"a":[1,"ä"]}'],
    [{ run: () => Promise.resolve({ late: true }) }, '{"late":true}'],
    [{ run: (input) => ({ input }) }, '{"input":{"path":"a"}}'],
  ];
  for (const [parts, output] of cases) {
    const { error, usage, ...rest } = await outcomeOf(toolOf(parts));
    assertEquals([String(rest.output), error, usage], [output, null, { steps: 1 }]);
  }
});

Deno.test("a tool that does its work at once has its outcome at once, and one that waits has it later", () => {
  const options = { preview: false, usage: () => ({}) };
  const thrower = () => {
    throw new ToolError("FILE_NOT_FOUND", "no");
  };
  for (const run of [() => ({ a: 1 }), thrower]) {
    assertEquals(runTool(toolOf({ run }), {}, CONTEXT, options) instanceof Promise, false);
  }
  const later = runTool(toolOf({ run: () => Promise.resolve(1) }), {}, CONTEXT, options);
  assertEquals(later instanceof Promise, true);
});

Deno.test("a preview runs the tool's preview, and the tool itself only where it has none", async () => {
  const run = () => ({ ran: true });
  const preview = () => ({ shown: true });
  const both = await outcomeOf(toolOf({ run, preview }), true);
  assertEquals([both.output, both.usage], ['{"shown":true}', { steps: 0 }]);
  assertEquals((await outcomeOf(toolOf({ run }), true)).output, toJsonText({ ran: true }));
  assertEquals((await outcomeOf(toolOf({ run, preview }))).output, toJsonText({ ran: true }));
});

Deno.test("what a tool throws is its error, with the output that it had by then", async () => {
  const partial = new ToolError("TIMEOUT", "too long", { output: { matches: [1] } });
  for (
    const [thrown, code, output] of [
      [partial, "TIMEOUT", '{"matches":[1]}'],
      [new ToolError("FILE_NOT_FOUND", "no"), "FILE_NOT_FOUND", "null"],
      [new TypeError("odd"), "EXECUTION_ERROR", "null"],
    ] as const
  ) {
    const thrower = () => {
      throw thrown;
    };
    for (const run of [thrower, () => Promise.reject(thrown)]) {
      const outcome = await outcomeOf(toolOf({ run }));
      assertEquals([outcome.error?.code, outcome.output], [code, output]);
      assertEquals(outcome.usage, { steps: 1 });
    }
  }
});

Deno.test("a refusal by a lower layer says which, and nothing of what the runtime says", () => {
  const secret = "Requires read access to /home/somebody/key";
  const cases: readonly (readonly [unknown, string, string])[] = [
    [new Deno.errors.NotCapable(secret), "NATIVE_DENIED", "permission set"],
    [new Deno.errors.PermissionDenied(secret), "NATIVE_DENIED", "operating system"],
    [new Error(`cannot read "${"/home/somebody/key"}"`), "EXECUTION_ERROR", "Error: cannot read"],
    [new Error("at file:///home/somebody/x.ts:1:2"), "EXECUTION_ERROR", "…"],
    [{ not: "an error" }, "EXECUTION_ERROR", "look: "],
    [new Error("x".repeat(10_000)), "EXECUTION_ERROR", "Error: xx"],
  ];
  for (const [thrown, code, part] of cases) {
    const error = describeFailure("look", thrown);
    assertEquals(error.code, code);
    assertStringIncludes(error.message, part);
    assertEquals(error.message.includes("somebody"), false, error.message);
    assertEquals(error.message.length < 600, true);
  }
});
