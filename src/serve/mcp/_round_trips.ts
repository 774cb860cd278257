/**
 * Approvals without requests of the server's own, as 2026-07-28 wants them ("Multi Round-Trip Requests"): the call is
 * answered with the question, and the client sends it again with the answer.
 */

import { createHash } from "node:crypto";
import { isObject } from "../../core/json_value.ts";
import type {
  ApprovalAnswer,
  Approver,
  PendingApproval,
} from "../../engine/approvals/approvals.ts";
import { hashData } from "../../engine/approvals/hash_data.ts";
import { Turns } from "../../engine/turns.ts";
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
  /** Of a line that runs, and goes on with the answer; null where the call is begun again. */
  readonly running:
    | { readonly trip: RoundTrip; readonly give: (answer: ApprovalAnswer) => void }
    | null;
}

/** Questions that wait at most; then the oldest is forgotten. */
const MOST_QUESTIONS = 1024;
/** The one request of `inputRequests`. */
const KEY = "approval";

/** Questions that wait for the client to come again with an answer. */
export class RoundTrips {
  readonly #questions = new Map<string, Question>();

  /**
   * One request, as an approver. `able` false: the client cannot ask anybody. Rejects with an RpcError for a `requestState`
   * that is not waited for: it was used, is too old, or is of another request.
   */
  async begin(method: string, params: Params, able: boolean): Promise<RoundTrip> {
    const { requestState, inputResponses } = params;
    const request = await requestOf(method, params);
    const ask: Ask = (pending, agreed, running) =>
      this.#put({ request, approval: pending.id, agreed, expiresAt: pending.expiresAt, running });
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
    const { running } = question;
    if (running !== null) {
      running.trip.goOn();
      running.give(isObject(response) ? answerOf(response) : UNANSWERED);
      return running.trip;
    }
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
      this.#take(oldest)?.running?.give({ answer: "expired" });
    }
    return state;
  }

  #take(state: string): Question | undefined {
    const question = this.#questions.get(state);
    this.#questions.delete(state);
    return question !== undefined && question.expiresAt > Date.now() ? question : undefined;
  }
}

/** Of all that a request is, in turns: its arguments may be 16 MiB. */
async function requestOf(method: string, params: Params): Promise<string> {
  const { name, uri, arguments: args } = params;
  const hash = createHash("sha256");
  await hashData(hash, [method, name, uri, args], new Turns());
  return hash.digest("hex");
}

/** Hands out a question; gives the state by which it is found again. */
type Ask = (
  pending: PendingApproval,
  agreed: ReadonlySet<string>,
  running: Question["running"],
) => string;

/** The request came again without an answer. */
const UNANSWERED: ApprovalAnswer = { answer: "rejected", reason: "the question was not answered" };

/**
 * Approves by asking in the answer: the client sends its request once more, with what was said. A call that has not begun
 * is begun again then; a line that runs waits, and its request is answered with what becomes of it.
 */
export class RoundTrip implements Approver {
  readonly #able: boolean;
  readonly #given: { readonly approval: string; readonly answer: ApprovalAnswer } | null;
  readonly #agreed: Set<string>;
  readonly #put: Ask;
  #question: Params | null = null;
  #asked = Promise.withResolvers<Params>();
  #result: Promise<Params | string> | null = null;
  #cancel: () => void = () => {};
  /** The last question of a line that runs. */
  #last: Promise<unknown> = Promise.resolve();

  constructor(
    able: boolean,
    given: { readonly approval: string; readonly answer: ApprovalAnswer } | null,
    agreed: ReadonlySet<string>,
    put: Ask,
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

  /** Whether an earlier request has begun the call. */
  get begun(): boolean {
    return this.#result !== null;
  }

  /** Ends what the request is about. */
  get cancel(): () => void {
    return this.#cancel;
  }

  /**
   * What this request is answered with: the result, or what is asked before there is one. `serve` is called for the first
   * of the requests that one call takes; `cancel` ends it.
   */
  turn(
    serve: () => Promise<Params | string>,
    cancel: () => void,
  ): Promise<Params | string> {
    if (this.#result === null) {
      this.#cancel = cancel;
      this.#result = serve();
      // Nobody may come for it.
      this.#result.catch(() => {});
    }
    return Promise.race([this.#result, this.#asked.promise]);
  }

  /** Its question was answered. */
  goOn(): void {
    this.#question = null;
    this.#asked = Promise.withResolvers();
  }

  ask(pending: PendingApproval, withdrawn?: AbortSignal): Promise<ApprovalAnswer> {
    return pending.whileRunning === true && this.#able
      ? this.#askWhileRunning(pending, withdrawn)
      : Promise.resolve(this.#answer(pending));
  }

  async #askWhileRunning(
    pending: PendingApproval,
    withdrawn: AbortSignal | undefined,
  ): Promise<ApprovalAnswer> {
    // One after the other: the answer to a request holds one question.
    const turn = this.#last.then(async (): Promise<ApprovalAnswer> => {
      const { promise, resolve } = Promise.withResolvers<ApprovalAnswer>();
      const timer = setTimeout(resolve, pending.expiresAt - Date.now(), { answer: "expired" });
      withdrawn?.addEventListener("abort", () => resolve({ answer: "cancelled" }));
      if (withdrawn?.aborted === true) resolve({ answer: "cancelled" });
      else {
        const running = { trip: this as RoundTrip, give: resolve };
        this.#asked.resolve(inputRequired(pending, this.#put(pending, this.#agreed, running)));
      }
      try {
        return await promise;
      } finally {
        clearTimeout(timer);
      }
    });
    this.#last = turn;
    return await turn;
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
    this.#question = inputRequired(pending, this.#put(pending, this.#agreed, null));
    return { answer: "nobody", hint: "the client was asked, and sends the call again" };
  }
}

function inputRequired(pending: PendingApproval, requestState: string): Params {
  return {
    resultType: "input_required",
    inputRequests: {
      [KEY]: { method: "elicitation/create", params: { mode: "form", ...elicitation(pending) } },
    },
    requestState,
  };
}
