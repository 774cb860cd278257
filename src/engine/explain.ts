/** The reasoning behind a decision, for `policy explain` and the pipe's `explain`: the same judgement, shown. */

import type { ResolvedCapability } from "../core/capability.ts";
import type { CallRequest } from "../core/request.ts";
import type { Risk } from "../core/tool.ts";
import type { Decision, Verdict } from "../policy/rulebook.ts";
import { type Engine, judge } from "./execute.ts";

export interface Explained {
  readonly tool: string;
  readonly risk: Risk;
  readonly effect: Decision["effect"];
  readonly explanation: Readonly<Record<string, unknown>>;
}

/** Judges a request and runs nothing. Throws as `judge` does. */
export async function explain(engine: Engine, request: CallRequest): Promise<Explained> {
  const { tool, input, decision, grant } = await judge(engine, request);
  const { effect, risk } = decision;
  const { sandbox } = engine.rulebook.settings;
  return {
    tool: tool.name,
    risk,
    effect,
    explanation: {
      tool: tool.name,
      agent: request.agent,
      description: tool.describe(input),
      ...verdictShape(decision),
      risk,
      capabilities: decision.verdicts.map(({ capability, verdict }) => ({
        ...capabilityShape(capability),
        ...verdictShape(verdict),
      })),
      timeout_ms: grant.timeoutMs,
      layers: { runtime: "permission set of the thread", kernel: sandbox.kernel },
    },
  };
}

function verdictShape({ effect, code, reason, rule }: Verdict): Record<string, unknown> {
  return { effect, code, reason, rule };
}

/** In the words of the request: canonical paths may lie outside the workspace and stay inside. */
function capabilityShape(capability: ResolvedCapability): Record<string, unknown> {
  switch (capability.kind) {
    case "fs.read":
    case "fs.write":
      return { kind: capability.kind, path: capability.requested, tree: capability.tree };
    case "process.spawn":
      return {
        kind: capability.kind,
        argv: capability.argv,
        found: capability.program !== null,
        operands: capability.operands.map(({ requested }) => requested),
      };
    case "net.connect":
      return { kind: capability.kind, host: capability.host, port: capability.port };
    case "env.read":
      return { kind: capability.kind, name: capability.name };
  }
}
