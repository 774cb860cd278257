/** One request of plain HTTP through the proxy, and its answer: the head made anew, the body framed anew. */

import { joinedBytes } from "../../core/bytes.ts";
import { unframed } from "./_body.ts";
import type { Connection } from "./_connection.ts";
import { networkError } from "./_failure.ts";
import { type Framing, framingOf, type Head, listed, parseHead } from "./_head.ts";
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
/** What asks for an answer that cannot be looked through for a key: compressed, or cut where the program likes. */
const UNSEEN = ["accept-encoding", "range", "if-range"];
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
  const besides = ["host", "expect", ...(added === null ? [] : [added.name, ...UNSEEN])];
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
  { head: asked, added, client, place, count, onAnswer }: Exchanged,
  answer: Reader,
): Promise<void> {
  const give = async (bytes: Uint8Array): Promise<void> => {
    count(0, bytes.length);
    await client.write(bytes);
  };
  for (let interim = 0; interim <= MOST_INTERIM; interim++) {
    const text = (await answer.head()).replace(/(?:\r?\n){2}$/, "");
    const parsed = parseHead(text, place);
    if (parsed.status === 101) throw networkError("protocol", place, "it changes the protocol");
    if (parsed.status < 200) continue;
    // What could be read in two ways is not handed on.
    const framing = framingOf(parsed, place);
    if (added !== null) requirePlain(parsed, place);
    onAnswer();
    const head = latin(shownHead(text));
    if (added === null) {
      await give(head);
      for (;;) {
        const piece = await answer.take(Infinity);
        if (piece === null) return;
        await give(piece);
      }
    }
    const hide = new KeyFilter(added.key);
    await give(joinedBytes([hide.next(head), hide.end()]));
    if (asked.method !== "HEAD") await giveHidden(answer, framing, { key: added.key, place, give });
    return;
  }
  throw networkError("protocol", place, "it answers without end that it will answer");
}

/** The head of an answer as it is handed on. */
function shownHead(text: string): string {
  const [first = "", ...lines] = text.split(/\r?\n/);
  const fields = lines.map((line): readonly [string, string] => {
    const colon = line.indexOf(":");
    return [line.slice(0, colon), line.slice(colon + 1).trim()];
  });
  const framed = fields.filter(([name]) => name.toLowerCase() === "transfer-encoding");
  const kept = [...endToEnd(fields, []), ...framed, ["Connection", "close"] as const];
  const shown = [first, ...kept.map(([name, value]) => `${name}: ${value}`)];
  return `${shown.join("\r\n")}\r\n\r\n`;
}

/** Throws NETWORK_ERROR for an answer that is compressed, which was not asked for. */
function requirePlain({ fields }: Head, place: string): void {
  const codings = listed(fields.get("content-encoding"));
  if (codings.every((coding) => coding.toLowerCase() === "identity")) return;
  throw networkError(
    "compression",
    place,
    "its answer is compressed, which was not asked for: it cannot be looked through for the key",
  );
}

/** The body without the key: looked through without its chunks, which may part the key, and framed anew without trailers. */
async function giveHidden(
  answer: Reader,
  framing: Framing,
  { key, place, give }: {
    readonly key: string;
    readonly place: string;
    readonly give: (bytes: Uint8Array) => Promise<void>;
  },
): Promise<void> {
  const hide = new KeyFilter(key);
  const isChunked = framing.kind === "chunked";
  const put = async (bytes: Uint8Array): Promise<void> => {
    if (bytes.length === 0) return;
    if (!isChunked) return await give(bytes);
    const length = encoder.encode(`${bytes.length.toString(16)}\r\n`);
    await give(joinedBytes([length, bytes, encoder.encode("\r\n")]));
  };
  for await (const piece of unframed(answer, framing, place)) await put(hide.next(piece));
  await put(hide.end());
  if (isChunked) await give(encoder.encode("0\r\n\r\n"));
}
