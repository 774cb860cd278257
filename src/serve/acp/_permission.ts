/** `session/request_permission` of ACP, as an approval. */

import { printable } from "../../core/printable.ts";
import type { CallRequest } from "../../core/request.ts";
import { JSON_NULL, resultError, toJsonText } from "../../core/result.ts";
import type { ApprovalAnswer, PendingApproval } from "../../engine/approvals/approvals.ts";
import type { StayingEngine } from "../../engine/create_engine.ts";
import type { Params } from "../mcp/messages.ts";

const TOOL = "request_permission";

interface Asked {
  readonly title?: unknown;
  readonly rawInput?: unknown;
}

interface Offered {
  readonly optionId?: unknown;
  readonly kind?: unknown;
}

/**
 * For what the agent itself does: nothing of it goes through here, so no policy agrees to it for anybody, and nothing can
 * hold the agent to the answer. Throws AUDIT_FAILED.
 */
export async function askLeave(
  { recorder, rulebook }: StayingEngine,
  { toolCall, options }: Params,
  { agent, ask }: {
    readonly agent: string;
    readonly ask: (pending: PendingApproval) => Promise<ApprovalAnswer>;
  },
): Promise<Params> {
  const { title, rawInput = null } = (toolCall ?? {}) as Asked;
  const what = typeof title === "string" ? printable(title, 400) : "something it does not name";
  const call: CallRequest = {
    ...{ id: null, tool: TOOL, args: { title: what }, agent, timeoutMs: null },
    ...{ preview: false, stream: false },
  };
  const record = recorder.begin(call);
  const named = { name: TOOL, describe: () => what };
  const asks = { effect: "ask", rule: null, risk: "moderate", verdicts: [] } as const;
  record.decided(named, call.args, asks);
  const { answer } = await ask({
    id: `ap_${crypto.randomUUID().replaceAll("-", "")}`,
    tool: TOOL,
    agent,
    description: what,
    risk: "moderate",
    reason: "the agent asks leave for what it does itself",
    preview: toJsonText(rawInput),
    onceBecause: "nothing holds an agent's own doings to what was agreed",
    expiresAt: Date.now() + rulebook.settings.approvals.expireMs,
  });
  const agreed = answer === "approved";
  const error = agreed ? null : resultError("APPROVAL_REJECTED", `${TOOL}: ${answer}`);
  record.ended({
    ...{ tool: TOOL, success: agreed, output: JSON_NULL, error },
    ...{ risk: "moderate", latencyMs: 0, usage: {} },
  });
  const kinds = agreed ? ["allow_once", "allow_always"] : ["reject_once", "reject_always"];
  const offered = Array.isArray(options) ? options as readonly Offered[] : [];
  const chosen = kinds.map((kind) => offered.find((one) => one.kind === kind))
    .find((one) => typeof one?.optionId === "string");
  if (chosen === undefined) return { outcome: { outcome: "cancelled" } };
  return { outcome: { outcome: "selected", optionId: chosen.optionId } };
}
