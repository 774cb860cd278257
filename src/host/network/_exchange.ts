/** One request and its answer over one connection: HTTP/1.1. */

import { type Body, readBody } from "./_body.ts";
import type { Connection } from "./_connection.ts";
import { networkError } from "./_failure.ts";
import { framingOf, type Head, listed, parseHead } from "./_head.ts";
import { Reader } from "./_reader.ts";

/** What is sent. Names and values were checked. */
export interface Outgoing {
  readonly method: string;
  /** Path and query. */
  readonly target: string;
  readonly headers: readonly (readonly [string, string])[];
  readonly body: Uint8Array | null;
}

/** What came back. */
export interface Exchange {
  readonly head: Head;
  readonly body: Body;
  /** Nothing is left on the connection, and the server keeps it open: it can take another request. */
  readonly reusable: boolean;
}

/** 1xx answers before the one that counts (RFC 9110, 15.2). */
const MOST_INTERIM = 8;

/**
 * Throws NETWORK_ERROR, or the reason of the signal that the connection is bound to. The connection is closed unless it is
 * `reusable`.
 */
export async function exchange(
  connection: Connection,
  request: Outgoing,
  { limit, place, isRedirect, onHeard }: {
    readonly limit: number;
    readonly place: string;
    /** The body of such an answer is left unread. */
    readonly isRedirect: (head: Head) => boolean;
    /** Told when the first byte of an answer is there. */
    readonly onHeard: () => void;
  },
): Promise<Exchange> {
  const reader = new Reader(connection, place, onHeard);
  let reusable = false;
  // A server may answer and close before it has read all: its answer counts.
  const sending = connection.write(encode(request)).then(() => null, (error: unknown) => error);
  try {
    const head = await readHead(reader, place);
    const framing = framingOf(head, place);
    const body = isRedirect(head) ? { bytes: new Uint8Array(), truncated: false } : await readBody(
      reader,
      framing,
      { limit, place, codings: listed(head.fields.get("content-encoding")) },
    );
    reusable = request.body === null && head.persistent && framing.kind !== "close" &&
      (framing.kind === "none" || !isRedirect(head)) && !body.truncated && reader.isEmpty &&
      await sending === null;
    return { head, body, reusable };
  } catch (error) {
    if (!reader.heard) throw await sending ?? error;
    throw error;
  } finally {
    if (!reusable) connection.close();
  }
}

async function readHead(reader: Reader, place: string): Promise<Head> {
  for (let interim = 0; interim <= MOST_INTERIM; interim++) {
    const head = parseHead((await reader.head()).replace(/(?:\r?\n){2}$/, ""), place);
    if (head.status === 101) throw networkError("protocol", place, "it changes the protocol");
    if (head.status >= 200) return head;
  }
  throw networkError("protocol", place, "it answers without end that it will answer");
}

function encode({ method, target, headers, body }: Outgoing): Uint8Array {
  const lines = [
    `${method} ${target} HTTP/1.1`,
    ...headers.map(([name, value]) => `${name}: ${value}`),
  ];
  const head = new TextEncoder().encode(`${lines.join("\r\n")}\r\n\r\n`);
  if (body === null) return head;
  const whole = new Uint8Array(head.length + body.length);
  whole.set(head);
  whole.set(body, head.length);
  return whole;
}
