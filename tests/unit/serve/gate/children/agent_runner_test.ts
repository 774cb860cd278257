import { assertEquals } from "@std/assert";
import { ToolError } from "../../../../../src/core/errors.ts";
import { toJsonText } from "../../../../../src/core/result.ts";
import type { Category } from "../../../../../src/core/tool.ts";
import type { Job, StayingRunner } from "../../../../../src/engine/runner.ts";
import { withAgents } from "../../../../../src/serve/gate/children/agent_runner.ts";

const job = (category: Category, preview = false) =>
  ({
    tool: { name: "t", category },
    input: { a: 1 },
    preview,
    subject: { agent: "w" },
  }) as unknown as Job;

Deno.test("calls of agent tools are answered apart, and counts are those of the runner", async () => {
  const ran: string[] = [];
  let running = 3;
  const runner = {
    get running() {
      return running;
    },
    run: ({ tool, preview }: Job) => {
      ran.push(`${tool.category}${preview ? " preview" : ""}`);
      return { outcome: Promise.resolve({ output: "1", error: null, usage: {} }), cancel() {} };
    },
  } as unknown as StayingRunner;
  const calls: string[] = [];
  const both = withAgents(runner, (tool, input, signal, agent) => {
    calls.push(`${agent} ${tool} ${JSON.stringify(input)}`);
    if (calls.length === 2) return Promise.reject(new ToolError("AGENT_LIMIT", "so many"));
    const { promise, resolve } = Promise.withResolvers<unknown>();
    signal.addEventListener("abort", () => resolve("cancelled"));
    return calls.length === 3 ? promise : Promise.resolve({ ok: true });
  });
  const ask = (one: Job) => both.run(one, () => {});
  assertEquals((await ask(job("agent")).outcome).output, toJsonText({ ok: true }));
  assertEquals((await ask(job("agent")).outcome).error?.code, "AGENT_LIMIT");
  const waiting = ask(job("agent"));
  waiting.cancel();
  assertEquals((await waiting.outcome).output, toJsonText("cancelled"));
  await ask(job("agent", true)).outcome;
  await ask(job("fs")).outcome;
  assertEquals(ran, ["agent preview", "fs"]);
  assertEquals(calls, Array(3).fill('w t {"a":1}'));
  running = 5;
  assertEquals(both.running, 5);
});
