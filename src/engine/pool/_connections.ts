/** What a thread that connects asks: the policy of each connection, the main thread of each name. */

import type { ConnectCapability } from "../../core/capability.ts";
import { ToolError } from "../../core/errors.ts";
import type { Resolved } from "../../host/network/resolve.ts";
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
      ? `${verdict.reason}; it was led there, and nobody was asked`
      : verdict.reason,
    { rule: verdict?.rule ?? null },
  );
}

/** Names that are being looked up, on the thread that asks. */
export class LookUps {
  readonly #send: (request: number, host: string) => void;
  readonly #waiting = new Map<number, (resolved: Resolved) => void>();
  #last = 0;

  constructor(send: (request: number, host: string) => void) {
    this.#send = send;
  }

  ask(host: string): Promise<Resolved> {
    const request = ++this.#last;
    const { promise, resolve } = Promise.withResolvers<Resolved>();
    this.#waiting.set(request, resolve);
    this.#send(request, host);
    return promise;
  }

  settle(request: number, resolved: Resolved): void {
    this.#waiting.get(request)?.(resolved);
    this.#waiting.delete(request);
  }
}
