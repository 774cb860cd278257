/** What the policy has done about failures that may pass: another try with more time, another after a pause, another tool. */

import type { ErrorCode } from "../core/errors.ts";
import { parseArguments } from "../core/parse_arguments.ts";
import type { CallRequest } from "../core/request.ts";
import { JSON_NULL, type Result } from "../core/result.ts";
import type { Tool } from "../core/tool.ts";
import type { Grant } from "../policy/grant.ts";
import type { Recovery } from "../policy/model.ts";
import type { Outcome } from "./runner.ts";

/** One thing that was done, as the result tells it. */
export interface RecoveryStep {
  readonly strategy: "timeout" | "network" | "alternative" | "degraded";
  /** The error that led to it. */
  readonly because: ErrorCode;
  /** Of a further try: how long it could take. */
  readonly timeout_ms?: number;
  /** Of an alternative: the tool that answered. */
  readonly tool?: string;
}

/** How a call went after all, and what was done on the way, in the words of the result. */
export interface Recovered {
  readonly outcome: Outcome;
  readonly steps: readonly RecoveryStep[];
}

/** Whether a call can be made again without doing anything twice: it only looks. */
export function isRepeatable(tool: Tool, { write, spawn }: Grant): boolean {
  return tool.risk === "safe" && write.length + spawn.length === 0;
}

/**
 * Runs a repeatable call until it ends otherwise than by what the policy wants tried again. A caller's own time
 * limit is never passed. What was found by the last try may do as an answer. `pause` waits, and answers false where the call was cancelled meanwhile.
 */
export async function runWithRetries(
  { timeout, network, degraded }: Recovery,
  { grant, callerMs }: { readonly grant: Grant; readonly callerMs: number | null },
  run: (grant: Grant) => Outcome | Promise<Outcome>,
  pause: (ms: number) => Promise<boolean>,
): Promise<Recovered> {
  const steps: RecoveryStep[] = [];
  let timeouts = timeout?.retries ?? 0;
  let attempts = network?.retries ?? 0;
  let wait = network?.backoffMs ?? 0;
  let limit = grant.timeoutMs;
  for (;;) {
    const outcome = await run(limit === grant.timeoutMs ? grant : { ...grant, timeoutMs: limit });
    const code = outcome.error?.code;
    const longer = Math.min(Math.round(limit * (timeout?.factor ?? 1)), callerMs ?? Infinity);
    if (code === "TIMEOUT" && timeouts > 0 && longer > limit) {
      timeouts--;
      limit = longer;
      steps.push({ strategy: "timeout", because: code, timeout_ms: limit });
    } else if (code === "NETWORK_ERROR" && attempts > 0) {
      attempts--;
      if (!await pause(wait)) return { outcome, steps };
      wait *= 2;
      steps.push({ strategy: "network", because: code });
    } else if (code === "TIMEOUT" && degraded === true && outcome.output !== JSON_NULL) {
      steps.push({ strategy: "degraded", because: code });
      return { outcome: { ...outcome, error: null }, steps };
    } else {
      return { outcome, steps };
    }
  }
}

/** Failures that another tool may not meet: not those of the request, the policy or what was asked for. */
const PASSED_ON: ReadonlySet<ErrorCode> = new Set([
  "TIMEOUT",
  "RESOURCE_LIMIT",
  "EXECUTION_ERROR",
  "NETWORK_ERROR",
  "HTTP_ERROR",
  "PROVIDER_NOT_CONFIGURED",
  "COMMAND_NOT_FOUND",
]);

/**
 * Asks the tools that the policy names in the place of one that failed, in their order, with those arguments that
 * they know. Each goes the whole way through on its own. The first success answers; else the first failure stands.
 */
export async function tryAlternatives(
  failed: Result,
  request: CallRequest,
  alternatives: readonly string[],
  engine: {
    readonly tool: (name: string) => Tool | Promise<Tool>;
    readonly call: (request: CallRequest) => Promise<Result>;
  },
): Promise<Result> {
  const because = failed.error?.code;
  if (because === undefined || !PASSED_ON.has(because)) return failed;
  for (const name of alternatives) {
    const tool = await engine.tool(name);
    const known = Object.keys(tool.input.properties ?? {});
    const args = Object.fromEntries(
      Object.entries(request.args).filter(([key]) => known.includes(key)),
    );
    if ("problems" in parseArguments(tool.input, args)) continue;
    const result = await engine.call({ ...request, tool: name, args });
    if (!result.success) continue;
    const step: RecoveryStep = { strategy: "alternative", because, tool: tool.name };
    return { ...result, recovery: [...failed.recovery ?? [], step] };
  }
  return failed;
}
