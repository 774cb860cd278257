/** Asking over the pipe: an event goes out, the request waits, and an operation answers. */

import type { RequestId } from "../core/request.ts";
import type { ApprovalAnswer, Approver, PendingApproval } from "../engine/approvals/approvals.ts";

interface OpenApproval {
  readonly request: RequestId;
  readonly onceBecause: string | null;
  readonly answer: (answer: ApprovalAnswer) => void;
}

/** Asks over the pipe, and hands the answers to those who wait. */
export class PipeApprovals {
  readonly #write: (line: string) => void;
  readonly #open = new Map<string, OpenApproval[]>();
  #waiting = 0;
  #closed = false;

  constructor(write: (line: string) => void) {
    this.#write = write;
  }

  /** How many requests wait for somebody to agree. */
  get waiting(): number {
    return this.#waiting;
  }

  approverOf(request: RequestId): Approver {
    return { ask: (pending) => this.#ask(request, pending) };
  }

  /** Answers all requests that wait for this very action. Null where none does. */
  answer(
    approval: string,
    answer: ApprovalAnswer,
  ): { readonly onceBecause: string | null } | null {
    const open = this.#open.get(approval);
    if (open === undefined) return null;
    this.#open.delete(approval);
    for (const one of open) one.answer(answer);
    return { onceBecause: open[0]?.onceBecause ?? null };
  }

  /** Ends the waiting of one request. */
  cancel(request: RequestId): void {
    for (const open of this.#open.values()) {
      for (const one of open.filter((known) => known.request === request)) {
        one.answer({ answer: "cancelled" });
      }
    }
  }

  /** Nobody can answer any more. */
  close(): void {
    this.#closed = true;
    for (const open of [...this.#open.values()]) for (const one of open) one.answer(NOBODY);
  }

  async #ask(request: RequestId, pending: PendingApproval): Promise<ApprovalAnswer> {
    if (this.#closed) return NOBODY;
    const { id, tool, agent, description, risk, reason, preview, onceBecause, expiresAt } = pending;
    const { promise, resolve } = Promise.withResolvers<ApprovalAnswer>();
    const one: OpenApproval = { request, onceBecause, answer: resolve };
    this.#open.set(id, [...this.#open.get(id) ?? [], one]);
    this.#waiting++;
    const timer = setTimeout(resolve, expiresAt - Date.now(), { answer: "expired" });
    const event = JSON.stringify({
      event: "approval_required",
      approval: id,
      tool,
      agent,
      description,
      risk,
      reason,
      expires_at: new Date(expiresAt).toISOString(),
      // How long an approval of it can hold.
      remember: onceBecause === null ? ["once", "session"] : ["once"],
      ...(onceBecause === null ? {} : { once_because: onceBecause }),
    });
    this.#write(`{"id":${request ?? "null"},${event.slice(1, -1)},"preview":${preview}}`);
    try {
      return await promise;
    } finally {
      clearTimeout(timer);
      this.#waiting--;
      const rest = (this.#open.get(id) ?? []).filter((known) => known !== one);
      if (rest.length === 0) this.#open.delete(id);
      else this.#open.set(id, rest);
    }
  }
}

const NOBODY: ApprovalAnswer = {
  answer: "nobody",
  hint: "the input has ended, so nobody can agree to it any more",
};
