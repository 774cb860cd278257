/** Approvals as MCP elicitations: the client shows the question to whoever sits there. */

import { isObject } from "../../core/json_value.ts";
import { printable } from "../../core/printable.ts";
import type {
  ApprovalAnswer,
  Approver,
  PendingApproval,
} from "../../engine/approvals/approvals.ts";
import { previewText } from "../../engine/approvals/preview_text.ts";
import type { Client } from "./_client.ts";
import type { Params } from "./messages.ts";

/** Characters of a preview that go with the question. */
const LONGEST_PREVIEW = 4_000;

/** A client that declares no elicitation. */
export const NOBODY: ApprovalAnswer = {
  answer: "nobody",
  hint:
    "this MCP client cannot ask anybody (no elicitation); a person must change the policy, or do it by hand",
};

/** `able` false: the client cannot ask anybody, and the call says so. `onAsk` is told how to end the wait. */
export function createElicitor(
  client: Client,
  able: boolean,
  onAsk: (cancel: () => void) => void,
): Approver {
  return {
    async ask(pending, withdrawn) {
      if (!able) return NOBODY;
      const ms = pending.expiresAt - Date.now();
      const { answer, cancel } = client.ask("elicitation/create", elicitation(pending), ms);
      let cancelled = false;
      const end = () => {
        cancelled = true;
        cancel();
      };
      onAsk(end);
      withdrawn?.addEventListener("abort", end);
      const said = await answer;
      if (cancelled) return { answer: "cancelled" };
      return said === null ? { answer: "expired" } : answerOf(said);
    },
  };
}

/** Params of `elicitation/create`. */
export function elicitation(pending: PendingApproval): Params {
  const once = pending.onceBecause !== null;
  return {
    message: question(pending),
    requestedSchema: {
      type: "object",
      properties: {
        decision: {
          type: "string",
          title: "Agree?",
          description: once
            ? "once: to this call. no: it is not done."
            : "once: to this call. session: to this very action for a while. no: it is not done.",
          enum: once ? ["no", "once"] : ["no", "once", "session"],
          default: "no",
        },
      },
      required: ["decision"],
    },
  };
}

/** Nothing but a clear yes is one. */
export function answerOf({ action, content }: Params): ApprovalAnswer {
  const decision = action === "accept" && isObject(content) ? content["decision"] : null;
  return decision === "once" || decision === "session"
    ? { answer: "approved", remember: decision }
    : { answer: "rejected", reason: action === "cancel" ? "the question was closed" : null };
}

function question(
  { description, agent, risk, reason, preview, onceBecause }: PendingApproval,
): string {
  const shown = previewText(preview, (line) => line);
  const cut = shown.length > LONGEST_PREVIEW ? `${shown.slice(0, LONGEST_PREVIEW)}…` : shown;
  return [
    `${printable(description, 400)}?`,
    `Asked by ${printable(agent, 80)}; risk ${risk}: ${printable(reason, 400)}`,
    ...(onceBecause === null ? [] : [`It can be agreed to once only: ${onceBecause}.`]),
    ...(cut === "" ? [] : ["", cut]),
  ].join("\n");
}
