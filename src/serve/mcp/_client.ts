/** The other side: what it can do, and what it is asked. */

import { isObject } from "../../core/json_value.ts";
import { type MessageId, notificationMessage, type Params, requestMessage } from "./messages.ts";

/** What a client said of itself in `initialize`. */
export interface ClientAbilities {
  readonly elicitation: boolean;
  readonly roots: boolean;
}

/** What is taken of a client that has not said what it can do. */
export const NO_ABILITIES: ClientAbilities = { elicitation: false, roots: false };

/** By the client's capabilities. Elicitation by form is what an empty object means; by URL alone is of no use here. */
export function abilitiesOf(capabilities: unknown): ClientAbilities {
  if (!isObject(capabilities)) return NO_ABILITIES;
  const { elicitation, roots } = capabilities;
  return {
    elicitation: isObject(elicitation) && (!("url" in elicitation) || "form" in elicitation),
    roots: isObject(roots),
  };
}

interface Asked {
  readonly resolve: (answer: Params | null) => void;
  readonly timer: number;
}

/** Asks the client, and hands its answers to those who asked. */
export class Client {
  readonly #write: (line: string) => void;
  readonly #asked = new Map<MessageId, Asked>();
  #last = 0;
  #gone = false;

  constructor(write: (line: string) => void) {
    this.#write = write;
  }

  /** Whether nobody will answer any more. */
  get gone(): boolean {
    return this.#gone;
  }

  /** Requests of ours that wait for an answer. */
  get waiting(): number {
    return this.#asked.size;
  }

  /** Asks; null where it fails, is refused, takes longer, or the client is gone. `cancelled` ends the wait. */
  ask(method: string, params: Params, ms: number): {
    readonly answer: Promise<Params | null>;
    readonly cancel: () => void;
  } {
    const id = `toolgate-${++this.#last}`;
    const { promise, resolve } = Promise.withResolvers<Params | null>();
    if (this.#gone) return { answer: Promise.resolve(null), cancel: () => {} };
    const giveUp = (reason: string) => {
      if (!this.#asked.has(id)) return;
      this.notify("notifications/cancelled", { requestId: id, reason });
      this.settle(id, null);
    };
    const timer = setTimeout(() => giveUp("it took too long"), Math.max(0, ms));
    this.#asked.set(id, { resolve, timer });
    this.#write(requestMessage(id, method, params));
    return { answer: promise, cancel: () => giveUp("the call was cancelled") };
  }

  /** The answer to a request of ours; what answers nothing is let go by. */
  settle(id: MessageId, answer: Params | null): void {
    const asked = this.#asked.get(id);
    if (asked === undefined) return;
    this.#asked.delete(id);
    clearTimeout(asked.timer);
    asked.resolve(answer);
  }

  notify(method: string, params: Params): void {
    this.#write(notificationMessage(method, params));
  }

  /** Nobody will answer any more. */
  close(): void {
    this.#gone = true;
    for (const id of [...this.#asked.keys()]) this.settle(id, null);
  }
}
