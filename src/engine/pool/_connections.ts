/** What a thread that connects asks: the policy of each connection, the main thread of each name. */

import type { ConnectCapability } from "../../core/capability.ts";
import { ToolError } from "../../core/errors.ts";
import type { Rulebook, Subject } from "../../policy/rulebook.ts";

/**
 * Throws NETWORK_DENIED unless the policies allow the connection, or somebody was asked for it: then it is one of
 * `granted` (`host:port`), and only a denial speaks.
 */
export function judgeConnection(
  rulebook: Rulebook,
  subject: Subject,
  granted: readonly string[],
  connection: ConnectCapability,
): void {
  const { verdicts } = rulebook.decide(subject, [connection]);
  const verdict = verdicts[0]?.verdict;
  const agreed = granted.includes(`${connection.host}:${connection.port}`);
  if (verdict?.effect === "allow" || (verdict?.effect === "ask" && agreed)) return;
  throw new ToolError(
    "NETWORK_DENIED",
    verdict === undefined
      ? "no policy speaks of it"
      : verdict.effect === "ask"
      ? `${verdict.reason}; ${UNASKED[connection.by ?? "tool"]}`
      : verdict.reason,
    { rule: verdict?.rule ?? null },
  );
}

/** Connections that a thread has let through are so many at most, before it forgets them all. */
const MOST_KNOWN = 500;

/** Judges as {@linkcode judgeConnection}, and the same once: a rulebook says the same to the same question. */
export class JudgedConnections {
  readonly #rulebook: Rulebook;
  /** What was let through, in JSON. */
  readonly #known = new Set<string>();

  constructor(rulebook: Rulebook) {
    this.#rulebook = rulebook;
  }

  /** Throws NETWORK_DENIED. */
  judge(subject: Subject, granted: readonly string[], connection: ConnectCapability): void {
    const question = JSON.stringify([subject, granted, connection]);
    if (this.#known.has(question)) return;
    judgeConnection(this.#rulebook, subject, granted, connection);
    if (this.#known.size >= MOST_KNOWN) this.#known.clear();
    this.#known.add(question);
  }
}

/** Why nobody was asked for what a rule wants somebody to agree to. */
const UNASKED = {
  tool: "it was led there, and nobody was asked",
  program:
    "nobody was asked: a program is not stopped for that while it runs, and a command is asked for that names the host",
} as const;

/** What the main thread was asked, on the thread that asks: what a name stands for, say. */
export class Questions<Q, A> {
  readonly #send: (request: number, question: Q) => void;
  readonly #waiting = new Map<number, (answer: A) => void>();
  #last = 0;

  constructor(send: (request: number, question: Q) => void) {
    this.#send = send;
  }

  ask(question: Q): Promise<A> {
    const request = ++this.#last;
    const { promise, resolve } = Promise.withResolvers<A>();
    this.#waiting.set(request, resolve);
    this.#send(request, question);
    return promise;
  }

  settle(request: number, answer: A): void {
    this.#waiting.get(request)?.(answer);
    this.#waiting.delete(request);
  }
}
