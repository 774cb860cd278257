/** Who is asked when a single call needs somebody to agree: a flag, an earlier answer, or whoever sits at the terminal. */

import { printable } from "../../core/printable.ts";
import type {
  ApprovalAnswer,
  Approver,
  PendingApproval,
} from "../../engine/approvals/approvals.ts";
import { readInput } from "../../host/standard_input.ts";
import type { ApprovalStore, StoredApproval } from "../../host/storage/approval_store.ts";
import { complain } from "../stdio.ts";
import { previewText } from "../../engine/approvals/preview_text.ts";

/** By what ways a single call can be agreed to. */
export interface CallApproverOptions {
  /** `--approve`: whoever starts the program agrees to what it is started for, and not to words that nobody knew then. */
  readonly approve: boolean;
  /** `--approval ID`: agrees to exactly that action, which an earlier call asked for. */
  readonly approval: string | null;
  /** Where answers are kept between calls; null where there is no such place. */
  readonly store: () => ApprovalStore | null;
  readonly terminal: boolean;
}

/** Asked in this order: the flags, what was answered before, the terminal. */
export function createCallApprover(options: CallApproverOptions): Approver {
  return {
    async ask(pending) {
      if (options.approve && pending.whileRunning !== true) {
        return { answer: "approved", remember: "once" };
      }
      const store = options.store();
      if (options.approval !== null) return presented(pending, options.approval, store);
      const earlier = store?.take(pending.id) ?? null;
      // One that an older build remembered, of what cannot be remembered, is none.
      const stale = earlier?.remembered === true && pending.onceBecause !== null;
      if (stale) store?.remove(pending.id);
      if (earlier !== null && !stale) return answerOf(earlier);
      if (options.terminal) return await askTerminal(pending, store);
      store?.put(stored(pending, "pending"));
      return nobody(pending, store !== null);
    },
  };
}

/** A name that was given out is good once, and for nothing else than it was given out for. */
function presented(
  pending: PendingApproval,
  approval: string,
  store: ApprovalStore | null,
): ApprovalAnswer {
  if (approval === pending.id && store?.remove(approval) === true) {
    return { answer: "approved", remember: "once" };
  }
  store?.put(stored(pending, "pending"));
  const hint = approval === pending.id
    ? "that approval was used, has expired or was never asked for"
    : "the approval is for another action, or something of it has changed since";
  return { answer: "nobody", hint: `${hint}; this call asks for ${pending.id}` };
}

function answerOf(earlier: StoredApproval): ApprovalAnswer {
  return earlier.status === "approved"
    ? { answer: "approved", remember: "once" }
    : { answer: "rejected", reason: null };
}

function nobody({ id, whileRunning }: PendingApproval, kept: boolean): ApprovalAnswer {
  const named =
    `"toolgate approvals approve ${id}" agrees to it, or the same call with --approval ${id}`;
  if (whileRunning === true) {
    const hint = kept
      ? `what ran before it is done; ${named} (--approve does not, since its words were not known)`
      : "what ran before it is done, and there is no place for an answer: write its words into the line";
    return { answer: "nobody", hint };
  }
  const hint = kept
    ? `"toolgate approvals approve ${id}" agrees to it, or the same call with --approval ${id} or --approve`
    : "the same call with --approve agrees to it";
  return { answer: "nobody", hint };
}

function stored(
  { id, tool, agent, description, risk, onceBecause, expiresAt }: PendingApproval,
  status: StoredApproval["status"],
): StoredApproval {
  return { id, tool, agent, description, risk, onceBecause, expiresAt, status, remembered: false };
}

/** Nothing but a clear yes is one. */
async function askTerminal(
  pending: PendingApproval,
  store: ApprovalStore | null,
): Promise<ApprovalAnswer> {
  const { id, agent, description, risk, reason, preview, onceBecause, expiresAt } = pending;
  const once = store === null || onceBecause !== null;
  const { openScreen } = await import("../render/screen.ts");
  const { diffLine, styleOf } = await import("../render/style.ts");
  const style = styleOf(openScreen("stderr"));
  const shown = previewText(preview, (line) => diffLine(line, style));
  complain(
    [
      "",
      `${printable(description, 400)}`,
      `  asked by ${printable(agent, 80)}, risk ${risk}: ${printable(reason, 400)}`,
      ...(shown === "" ? [] : [shown]),
      ...(onceBecause === null ? [] : [`  It can be agreed to once only: ${onceBecause}.`]),
      once
        ? "Agree? [y]es, [N]o: "
        : "Agree? [y]es, once; [s]ession: to this very action for a while; [N]o: ",
    ].join("\n"),
  );
  const answer = (await readLine(expiresAt - Date.now()))?.trim().toLowerCase() ?? null;
  if (answer === null) return { answer: "expired" };
  if (["s", "session"].includes(answer) && store !== null && !once) {
    store.put({ ...stored(pending, "approved"), remembered: true });
    return { answer: "approved", remember: "session" };
  }
  if (["y", "yes"].includes(answer)) return { answer: "approved", remember: "once" };
  store?.remove(id);
  return { answer: "rejected", reason: "the person at the terminal said no" };
}

/** A line of standard input; null when the time is over, "" at its end. */
async function readLine(ms: number): Promise<string | null> {
  const { promise: expired, resolve } = Promise.withResolvers<"expired">();
  const timer = setTimeout(resolve, Math.max(0, ms), "expired" as const);
  const buffer = new Uint8Array(256);
  try {
    const count = await Promise.race([expired, readInput(buffer)]);
    if (count === "expired") return null;
    return new TextDecoder().decode(buffer.subarray(0, count ?? 0));
  } finally {
    clearTimeout(timer);
  }
}
