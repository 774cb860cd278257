/** One request of plain HTTP through the proxy, and its answer: the head made anew, the body framed anew. */

import { unframed } from "./_body.ts";
import type { Connection } from "./_connection.ts";
import { networkError } from "./_failure.ts";
import { framingOf, parseHead } from "./_head.ts";
import { KeyFilter } from "./_key_filter.ts";
import type { Reader } from "./_reader.ts";
import { Reader as AnswerReader } from "./_reader.ts";
import { endToEnd, requestFraming, type RequestHead, valuesOf } from "./_request.ts";

/** What is added on the way, and kept out of what comes back. */
export interface AddedHeader {
  readonly name: string;
  readonly value: string;
  /** What of the value nobody is to read. */
  readonly key: string;
}

/** Both ends of it. */
export interface Exchanged {
  readonly head: RequestHead;
  readonly path: string;
  /** As the Host header says it. */
  readonly authority: string;
  readonly added: AddedHeader | null;
  /** What the program sends behind the head. */
  readonly body: Reader;
  readonly client: Connection;
  readonly server: Connection;
  /** `host:port`, for messages. */
  readonly place: string;
  /** Counts, and throws where that is too many. */
  readonly count: (sent: number, received: number) => void;
  /** Called before the first byte of the answer: until then something else can be said in its place. */
  readonly onAnswer: () => void;
}

const encoder = new TextEncoder();
/** 1xx answers before the one that counts. */
const MOST_INTERIM = 8;
const latin = (text: string): Uint8Array => Uint8Array.from(text, (one) => one.charCodeAt(0));

/** Hands it on and its answer back; one request a connection. */
export async function forward(exchanged: Exchanged): Promise<void> {
  const { server, place } = exchanged;
  const answer = new AnswerReader(server, place);
  // A server may answer before it has read all: then its answer counts.
  const sending = sendRequest(exchanged).then(() => null, (error: unknown) => error);
  try {
    await returnAnswer(exchanged, answer);
  } catch (error) {
    if (!answer.heard) throw await sending ?? error;
    throw error;
  }
}

async function sendRequest(
  { head, path, authority, added, body, client, server, place, count }: Exchanged,
): Promise<void> {
  const framing = requestFraming(head);
  const besides = ["host", "expect", ...(added === null ? [] : [added.name, "accept-encoding"])];
  const lines = [
    `${head.method} ${path} HTTP/${head.version}`,
    `Host: ${authority}`,
    ...endToEnd(head.fields, besides).map(([name, value]) => `${name}: ${value}`),
    // What is compressed cannot be looked through for the key.
    ...(added === null ? [] : [`${added.name}: ${added.value}`, "Accept-Encoding: identity"]),
    ...(framing.kind === "chunked" ? ["Transfer-Encoding: chunked"] : []),
    "Connection: close",
  ];
  const sent = latin(`${lines.join("\r\n")}\r\n\r\n`);
  count(sent.length, 0);
  await server.write(sent);
  if (framing.kind === "none") return;
  if (valuesOf(head, "expect").some((one) => one.toLowerCase() === "100-continue")) {
    await client.write(encoder.encode("HTTP/1.1 100 Continue\r\n\r\n"));
  }
  for await (const piece of unframed(body, framing, place)) {
    count(piece.length, 0);
    if (framing.kind === "chunked") {
      await server.write(encoder.encode(`${piece.length.toString(16)}\r\n`));
    }
    await server.write(piece);
    if (framing.kind === "chunked") await server.write(encoder.encode("\r\n"));
  }
  if (framing.kind === "chunked") await server.write(encoder.encode("0\r\n\r\n"));
}

async function returnAnswer(
  { added, client, place, count, onAnswer }: Exchanged,
  answer: Reader,
): Promise<void> {
  const hide = added === null ? null : new KeyFilter(added.key);
  const give = async (bytes: Uint8Array): Promise<void> => {
    count(0, bytes.length);
    const shown = hide === null ? bytes : hide.next(bytes);
    if (shown.length > 0) await client.write(shown);
  };
  for (let interim = 0;; interim++) {
    if (interim > MOST_INTERIM) {
      throw networkError("protocol", place, "it answers without end that it will answer");
    }
    const text = (await answer.head()).replace(/(?:\r?\n){2}$/, "");
    const parsed = parseHead(text, place);
    const { status } = parsed;
    if (status === 101) throw networkError("protocol", place, "it changes the protocol");
    if (status < 200) continue;
    // What could be read in two ways is not handed on.
    framingOf(parsed, place);
    const [first = "", ...lines] = text.split(/\r?\n/);
    const fields = lines.map((line): readonly [string, string] => {
      const colon = line.indexOf(":");
      return [line.slice(0, colon), line.slice(colon + 1).trim()];
    });
    const framed = fields.filter(([name]) => name.toLowerCase() === "transfer-encoding");
    const kept = [...endToEnd(fields, []), ...framed, ["Connection", "close"] as const];
    onAnswer();
    const shown = [first, ...kept.map(([name, value]) => `${name}: ${value}`)];
    await give(latin(`${shown.join("\r\n")}\r\n\r\n`));
    break;
  }
  for (;;) {
    const piece = await answer.take(Infinity);
    if (piece === null) break;
    await give(piece);
  }
  const rest = hide?.end();
  if (rest !== undefined && rest.length > 0) await client.write(rest);
}
