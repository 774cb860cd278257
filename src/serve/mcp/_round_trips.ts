/**
 * Approvals without requests of the server's own, as 2026-07-28 wants them ("Multi Round-Trip Requests"): the call is
 * answered with the question, and the client sends it again with the answer.
 */

import { isObject } from "../../core/json_value.ts";
import { sha256 } from "../../core/sha256.ts";
import type {
  ApprovalAnswer,
  Approver,
  PendingApproval,
} from "../../engine/approvals/approvals.ts";
import { answerOf, elicitation, NOBODY } from "./_elicit.ts";
import { type Params, RPC, RpcError } from "./messages.ts";

/** A question that was handed out. */
interface Question {
  /** Of the request that it belongs to. */
  readonly request: string;
  readonly approval: string;
  /** What the same request was agreed to in earlier rounds. */
  readonly agreed: ReadonlySet<string>;
  /** Milliseconds since 1970. */
  readonly expiresAt: number;
}

/** Questions that wait at most; then the oldest is forgotten. */
const MOST_QUESTIONS = 1024;
/** The one request of `inputRequests`. */
const KEY = "approval";

/** Questions that wait for the client to come again with an answer. */
export class RoundTrips {
  readonly #questions = new Map<string, Question>();

  /**
   * One request, as an approver. `able` false: the client cannot ask anybody. Throws an RpcError for a `requestState`
   * that is not waited for: it was used, is too old, or is of another request.
   */
  begin(method: string, params: Params, able: boolean): RoundTrip {
    const { name, uri, arguments: args, requestState, inputResponses } = params;
    const request = sha256(JSON.stringify([method, name, uri, args]));
    const ask = (pending: PendingApproval, agreed: ReadonlySet<string>) =>
      this.#put({ request, approval: pending.id, agreed, expiresAt: pending.expiresAt });
    if (requestState === undefined) return new RoundTrip(able, null, new Set(), ask);
    const question = typeof requestState === "string" ? this.#take(requestState) : undefined;
    if (question?.request !== request) {
      throw new RpcError(
        RPC.invalidParams,
        "requestState: not one that is waited for (used, expired, or of another request); " +
          "send the request again without it",
      );
    }
    const response = isObject(inputResponses) ? inputResponses[KEY] : undefined;
    const answer = isObject(response)
      ? { approval: question.approval, answer: answerOf(response) }
      : null;
    return new RoundTrip(able, answer, question.agreed, ask);
  }

  /** The state by which it is found again, once. */
  #put(question: Question): string {
    const state = crypto.randomUUID();
    this.#questions.set(state, question);
    const [oldest] = this.#questions.keys();
    if (this.#questions.size > MOST_QUESTIONS && oldest !== undefined) {
      this.#questions.delete(oldest);
    }
    return state;
  }

  #take(state: string): Question | undefined {
    const question = this.#questions.get(state);
    this.#questions.delete(state);
    return question !== undefined && question.expiresAt > Date.now() ? question : undefined;
  }
}

/** Approves by asking in the answer: the client sends its request once more, with what was said. */
export class RoundTrip implements Approver {
  readonly #able: boolean;
  readonly #given: { readonly approval: string; readonly answer: ApprovalAnswer } | null;
  readonly #agreed: Set<string>;
  readonly #put: (pending: PendingApproval, agreed: ReadonlySet<string>) => string;
  #question: Params | null = null;

  constructor(
    able: boolean,
    given: { readonly approval: string; readonly answer: ApprovalAnswer } | null,
    agreed: ReadonlySet<string>,
    put: (pending: PendingApproval, agreed: ReadonlySet<string>) => string,
  ) {
    this.#able = able;
    this.#given = given;
    this.#agreed = new Set(agreed);
    this.#put = put;
  }

  /** The result that the request is answered with where something was asked: an `InputRequiredResult`. */
  get question(): Params | null {
    return this.#question;
  }

  ask(pending: PendingApproval): Promise<ApprovalAnswer> {
    return Promise.resolve(this.#answer(pending));
  }

  #answer(pending: PendingApproval): ApprovalAnswer {
    // Agreed to in an earlier round of this very request.
    if (this.#agreed.has(pending.id)) return { answer: "approved", remember: "once" };
    if (this.#given?.approval === pending.id) {
      const { answer } = this.#given;
      if (answer.answer === "approved") this.#agreed.add(pending.id);
      return answer;
    }
    if (!this.#able) return NOBODY;
    this.#question = {
      resultType: "input_required",
      inputRequests: {
        [KEY]: { method: "elicitation/create", params: { mode: "form", ...elicitation(pending) } },
      },
      requestState: this.#put(pending, this.#agreed),
    };
    return { answer: "nobody", hint: "the client was asked, and sends the call again" };
  }
}
