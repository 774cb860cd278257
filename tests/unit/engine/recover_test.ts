import { assertEquals } from "@std/assert";
import type { ErrorCode } from "../../../src/core/errors.ts";
import {
  JSON_NULL,
  refusal,
  type Result,
  resultError,
  toJsonText,
} from "../../../src/core/result.ts";
import type { Tool } from "../../../src/core/tool.ts";
import { isRepeatable, runWithRetries, tryAlternatives } from "../../../src/engine/_recover.ts";
import type { Outcome } from "../../../src/engine/runner.ts";
import type { Grant } from "../../../src/policy/grant.ts";
import type { Recovery } from "../../../src/policy/model.ts";

const GRANT = { timeoutMs: 100, write: [], spawn: [] } as unknown as Grant;

function outcome(code: ErrorCode | null): Outcome {
  return { output: JSON_NULL, error: code === null ? null : resultError(code, "x"), usage: {} };
}

Deno.test("a call is tried again as often, as long and after as long a wait as the policy says", async () => {
  const both: Recovery = {
    timeout: { retries: 2, factor: 3 },
    network: { retries: 3, backoffMs: 10 },
  };
  const cases: readonly {
    readonly name: string;
    readonly recovery: Recovery;
    readonly codes: readonly (ErrorCode | null)[];
    readonly callerMs?: number;
    readonly limits: readonly number[];
    readonly pauses: readonly number[];
    readonly ends: ErrorCode | null;
  }[] = [
    { name: "success", recovery: both, codes: [null], limits: [100], pauses: [], ends: null },
    {
      name: "another error",
      recovery: both,
      codes: ["FILE_NOT_FOUND"],
      limits: [100],
      pauses: [],
      ends: "FILE_NOT_FOUND",
    },
    {
      name: "timeouts",
      recovery: both,
      codes: ["TIMEOUT", "TIMEOUT", null],
      limits: [100, 300, 900],
      pauses: [],
      ends: null,
    },
    {
      name: "too many",
      recovery: both,
      codes: ["TIMEOUT", "TIMEOUT", "TIMEOUT"],
      limits: [100, 300, 900],
      pauses: [],
      ends: "TIMEOUT",
    },
    {
      name: "never past the caller's limit",
      recovery: both,
      codes: ["TIMEOUT", "TIMEOUT"],
      callerMs: 200,
      limits: [100, 200],
      pauses: [],
      ends: "TIMEOUT",
    },
    {
      name: "the caller's own limit",
      recovery: both,
      codes: ["TIMEOUT"],
      callerMs: 100,
      limits: [100],
      pauses: [],
      ends: "TIMEOUT",
    },
    {
      name: "network",
      recovery: both,
      codes: ["NETWORK_ERROR", "NETWORK_ERROR", null],
      limits: [100, 100, 100],
      pauses: [10, 20],
      ends: null,
    },
    {
      name: "nothing wanted",
      recovery: {},
      codes: ["TIMEOUT"],
      limits: [100],
      pauses: [],
      ends: "TIMEOUT",
    },
  ];
  for (const { name, recovery, codes, callerMs = null, limits, pauses, ends } of cases) {
    const seen: number[] = [];
    const waited: number[] = [];
    const left = [...codes];
    const recovered = await runWithRetries(
      recovery,
      { grant: GRANT, callerMs },
      (grant) => {
        seen.push(grant.timeoutMs);
        return Promise.resolve(outcome(left.shift() ?? null));
      },
      (ms) => {
        waited.push(ms);
        return Promise.resolve(true);
      },
    );
    assertEquals(
      [seen, waited, recovered.outcome.error?.code ?? null],
      [limits, pauses, ends],
      name,
    );
    assertEquals(recovered.steps.length, limits.length - 1, name);
  }
});

Deno.test("what was found when the time ran out is an answer where the policy takes it", async () => {
  const partial = { ...outcome("TIMEOUT"), output: toJsonText({ matches: [1], truncated: true }) };
  for (
    const [degraded, given, code, steps] of [
      [true, partial, null, 1],
      [false, partial, "TIMEOUT", 0],
      [true, outcome("TIMEOUT"), "TIMEOUT", 0],
      [true, { ...partial, error: resultError("CANCELLED", "x") }, "CANCELLED", 0],
    ] as const
  ) {
    const recovered = await runWithRetries(
      { degraded },
      { grant: GRANT, callerMs: null },
      () => Promise.resolve(given),
      () => Promise.resolve(true),
    );
    assertEquals([recovered.outcome.error?.code ?? null, recovered.steps.length], [code, steps]);
  }
});

Deno.test("a call that is cancelled while it waits is not tried again", async () => {
  let runs = 0;
  const recovery = { network: { retries: 5, backoffMs: 1 } };
  await runWithRetries(recovery, { grant: GRANT, callerMs: null }, () => {
    runs++;
    return Promise.resolve(outcome("NETWORK_ERROR"));
  }, () => Promise.resolve(false));
  assertEquals(runs, 1);
});

Deno.test("only what looks can be made again", () => {
  const safe = { risk: "safe" } as Tool;
  assertEquals(isRepeatable(safe, GRANT), true);
  assertEquals(isRepeatable({ ...safe, risk: "moderate" }, GRANT), false);
  assertEquals(isRepeatable(safe, { ...GRANT, write: [{}] } as unknown as Grant), false);
  assertEquals(isRepeatable(safe, { ...GRANT, spawn: [{}] } as unknown as Grant), false);
});

Deno.test("alternatives are asked in their order, with the arguments that they know", async () => {
  const tools: Readonly<Record<string, Tool>> = Object.fromEntries(
    (["needs_more", "fails", "works"] as const).map((name) => [name, {
      name,
      input: {
        type: "object",
        properties: { path: { type: "string" }, more: { type: "string" } },
        required: name === "needs_more" ? ["more"] : [],
      },
    } as unknown as Tool]),
  );
  const asked: unknown[] = [];
  const call = (request: { readonly tool: string; readonly args: unknown }): Promise<Result> => {
    asked.push([request.tool, request.args]);
    const failed = refusal(request.tool, resultError("TIMEOUT", "x"));
    return Promise.resolve(
      request.tool === "works" ? { ...failed, success: true, error: null } : failed,
    );
  };
  const request = { tool: "first", args: { path: "a", odd: 1 } } as never;
  const engine = { tool: (name: string) => tools[name] as Tool, call };
  const failed = refusal("first", resultError("TIMEOUT", "x"));
  const result = await tryAlternatives(failed, request, ["needs_more", "fails", "works"], engine);
  assertEquals(asked, [["fails", { path: "a" }], ["works", { path: "a" }]]);
  assertEquals([result.tool, result.success, result.recovery], ["works", true, [
    { strategy: "alternative", because: "TIMEOUT", tool: "works" },
  ]]);
  for (const code of ["PATH_DENIED", "INVALID_ARGUMENTS", "CANCELLED", "FILE_NOT_FOUND"] as const) {
    const denied = refusal("first", resultError(code, "x"));
    assertEquals(await tryAlternatives(denied, request, ["works"], engine), denied);
  }
});
