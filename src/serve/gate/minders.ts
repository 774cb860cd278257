/**
 * Who is asked what a child agent, or the bearer of a token, wants agreed to. Both belong to who made them, not to a
 * connection: the one that they were made on is asked as long as it is there, then the one of the same maker that has asked
 * about them last.
 */

import type { ApprovalAnswer, Approver } from "../../engine/approvals/approvals.ts";

/** Connections of one maker that are kept in mind beside the first. */
const MOST_KEPT = 8;

/** They, as one who can be asked. */
export class Minders implements Approver {
  readonly #first: Approver;
  /** Who came last stands first. */
  #others: readonly Approver[] = [];

  /** `first`: of the connection that it was made on. */
  constructor(first: Approver) {
    this.#first = first;
  }

  /** Somebody of the same maker has asked about it, or about all. */
  add(approver: Approver): void {
    if (approver === this.#first) return;
    const others = this.#others.filter((one) => one !== approver && one.gone !== true);
    this.#others = [approver, ...others].slice(0, MOST_KEPT);
  }

  /** Each is asked once: who goes without an answer leaves it to the next. */
  async ask(
    ...[pending, withdrawn]: Parameters<Approver["ask"]>
  ): Promise<ApprovalAnswer> {
    const asked = new Set<Approver>();
    for (let one: Approver | undefined = this.#first;;) {
      asked.add(one);
      const answer: ApprovalAnswer = await one.ask(pending, withdrawn);
      if (one.gone !== true || answer.answer === "approved") return answer;
      one = this.#others.find((other) => other.gone !== true && !asked.has(other));
      if (one === undefined) return answer;
    }
  }
}
