/**
 * `subscriptions/listen` (MCP 2026-07-28): streams of changes. Nothing that this server lists changes while it runs,
 * so it agrees to no kind of notification, and keeps the stream open as the client wants it.
 */

import { isObject } from "../../core/json_value.ts";
import { type MessageId, type Params, RPC, RpcError } from "./messages.ts";

const SUBSCRIPTION = "io.modelcontextprotocol/subscriptionId";
/** Streams that are open at once. */
const MOST_STREAMS = 64;

/** Requests to hear of changes, which stay open until they are cancelled. */
export class Subscriptions {
  readonly #open = new Set<MessageId>();

  has(id: MessageId): boolean {
    return this.#open.has(id);
  }

  /** Params of the acknowledgement, the first message of a stream. */
  open(id: MessageId, { notifications }: Params): Params {
    if (!isObject(notifications)) {
      throw new RpcError(RPC.invalidParams, "notifications: an object that says which are wanted");
    }
    if (this.#open.size >= MOST_STREAMS) {
      throw new RpcError(RPC.invalidParams, `${MOST_STREAMS} streams are open; cancel one first`);
    }
    this.#open.add(id);
    return { _meta: { [SUBSCRIPTION]: id }, notifications: {} };
  }

  /** The client is done with it, and expects no answer. */
  cancel(id: MessageId): void {
    this.#open.delete(id);
  }

  /** Ends all of them: the result of each. */
  *close(): Iterable<readonly [MessageId, Params]> {
    for (const id of this.#open) yield [id, { _meta: { [SUBSCRIPTION]: id } }];
    this.#open.clear();
  }
}
