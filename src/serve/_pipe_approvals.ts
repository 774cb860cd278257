/** Asking over the pipe: an event goes out, the request waits, and an operation answers. */

import type { RequestId } from "../core/request.ts";
import type { ApprovalAnswer, Approver, PendingApproval } from "../engine/approvals/approvals.ts";

interface OpenApproval {
  /** Null where it is another's, who asks here because he was let in by who is asked. */
  readonly request: RequestId;
  readonly others: boolean;
  readonly onceBecause: string | null;
  readonly answer: (answer: ApprovalAnswer) => void;
}

/** What an approver is asked with, beside the question. */
interface Asking {
  readonly request: RequestId;
  readonly others: boolean;
  /** Aborted where nobody waits for the answer any more. */
  readonly withdrawn: AbortSignal | null;
}

/** Asks over the pipe, and hands the answers to those who wait. */
export class PipeApprovals {
  readonly #write: (line: string) => void;
  readonly #above: Approver | null;
  readonly #open = new Map<string, OpenApproval[]>();
  /** Requests whose question goes to somebody else: how to end their waiting. */
  readonly #elsewhere = new Map<AbortController, RequestId>();
  #waiting = 0;
  #onThreads = 0;
  #closed = false;
  /** For those whom who is at the other end has let in. */
  readonly forOthers: Approver;

  /** `above`: who is asked in place of who is at the other end, and may answer alone; null where nobody is. */
  constructor(write: (line: string) => void, above: Approver | null = null) {
    this.#write = write;
    this.#above = above;
    const isClosed = () => this.#closed;
    this.forOthers = above ?? {
      ask: (pending, withdrawn) =>
        this.#ask(pending, { request: null, others: true, withdrawn: withdrawn ?? null }),
      get gone() {
        return isClosed();
      },
    };
  }

  /** How many requests of its own wait for somebody to agree. */
  get waiting(): number {
    return this.#waiting;
  }

  /** How many of them wait on a thread, with a line that runs. */
  get onThreads(): number {
    return this.#onThreads;
  }

  approverOf(request: RequestId): Approver {
    const above = this.#above;
    return {
      ask: (pending, withdrawn) =>
        this.#counted(
          pending,
          above === null
            ? this.#ask(pending, { request, others: false, withdrawn: withdrawn ?? null })
            : this.#askAbove(above, request, pending, withdrawn),
        ),
    };
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
      for (const one of open.filter((known) => !known.others && known.request === request)) {
        one.answer({ answer: "cancelled" });
      }
    }
    for (const [controller, of] of this.#elsewhere) if (of === request) controller.abort();
  }

  /** Who is at the other end says nothing more: where he is who answers, nobody does. */
  endInput(): void {
    if (this.#above === null) this.close();
  }

  /** Nobody waits any more, and nobody answers. */
  close(): void {
    this.#closed = true;
    for (const open of [...this.#open.values()]) {
      for (const one of open) one.answer(one.others ? MAKER_GONE : NOBODY);
    }
    for (const controller of this.#elsewhere.keys()) controller.abort();
  }

  async #counted(
    { whileRunning }: PendingApproval,
    answer: Promise<ApprovalAnswer>,
  ): Promise<ApprovalAnswer> {
    this.#waiting++;
    if (whileRunning === true) this.#onThreads++;
    try {
      return await answer;
    } finally {
      this.#waiting--;
      if (whileRunning === true) this.#onThreads--;
    }
  }

  async #askAbove(
    above: Approver,
    request: RequestId,
    pending: PendingApproval,
    withdrawn: AbortSignal | undefined,
  ): Promise<ApprovalAnswer> {
    if (this.#closed) return NOBODY;
    const controller = new AbortController();
    withdrawn?.addEventListener("abort", () => controller.abort());
    this.#elsewhere.set(controller, request);
    try {
      return await above.ask(pending, controller.signal);
    } finally {
      this.#elsewhere.delete(controller);
    }
  }

  async #ask(
    pending: PendingApproval,
    { request, others, withdrawn }: Asking,
  ): Promise<ApprovalAnswer> {
    if (this.#closed) return others ? MAKER_GONE : NOBODY;
    const { id, tool, agent, description, risk, reason, preview, onceBecause, expiresAt } = pending;
    const { whileRunning } = pending;
    const { promise, resolve } = Promise.withResolvers<ApprovalAnswer>();
    const one: OpenApproval = { request, others, onceBecause, answer: resolve };
    this.#open.set(id, [...this.#open.get(id) ?? [], one]);
    const timer = setTimeout(resolve, expiresAt - Date.now(), { answer: "expired" });
    const withdraw = () => resolve({ answer: "cancelled" });
    withdrawn?.addEventListener("abort", withdraw);
    if (withdrawn?.aborted === true) withdraw();
    const event = JSON.stringify({
      event: "approval_required",
      approval: id,
      tool,
      agent,
      description,
      risk,
      reason,
      expires_at: new Date(expiresAt).toISOString(),
      ...(whileRunning === undefined ? {} : { while_running: true }),
      // How long an approval of it can hold.
      remember: onceBecause === null ? ["once", "session"] : ["once"],
      ...(onceBecause === null ? {} : { once_because: onceBecause }),
    });
    this.#write(`{"id":${request ?? "null"},${event.slice(1, -1)},"preview":${preview}}`);
    try {
      return await promise;
    } finally {
      clearTimeout(timer);
      withdrawn?.removeEventListener("abort", withdraw);
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

const MAKER_GONE: ApprovalAnswer = {
  answer: "nobody",
  hint:
    "who let this agent in is not connected, and nobody else can agree to it; a connection of theirs that has sent " +
    '{"op":"gate"} (for child agents: list_active_agents) is asked when the call is sent again',
};
