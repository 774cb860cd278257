/** One connection of a program to the proxy: what it asks for, where that is, and the bytes both ways. */

import { ToolError } from "../../core/errors.ts";
import { printable } from "../../core/printable.ts";
import type { Connection } from "./_connection.ts";
import type { Dial } from "./_dial.ts";
import { type AddedHeader, forward } from "./_forward.ts";
import { PLACES, type ProxyRoute, type ProxySecret } from "./proxy_route.ts";
import { placeText, type ProxyTraffic, reach, type ReachParts } from "./_reach.ts";
import { Reader } from "./_reader.ts";
import {
  absoluteTarget,
  authorityOf,
  BadRequest,
  type Destination,
  parseRequest,
  requestFraming,
  type RequestHead,
} from "./_request.ts";
import { tunnel } from "./_tunnel.ts";
import { REPLY, SOCKS_VERSION, socksReply, socksRequest } from "./_socks.ts";

/** What it takes. */
export interface ConnectionParts {
  readonly client: Connection;
  readonly controller: AbortController;
  readonly route: ProxyRoute;
  /** `PLACES.proxy`, or the number of the secret to whose stand-in it came. */
  readonly place: number;
  readonly traffic: ProxyTraffic;
  readonly resolve: ReachParts["resolve"];
  readonly authorities: readonly string[];
  readonly dial: Dial;
}

/** How long a request's head, and reaching its host, may take. */
const BEGIN_MS = 30_000;
const LINGER_MS = 1_000;
/** Ports of http and https. */
const HTTP = 80;
const HTTPS = 443;

/** Answered in the words of whoever asks: HTTP or SOCKS. */
export class ProxyConnection {
  readonly #parts: ConnectionParts;
  readonly #reader: Reader;
  /** `performance.now()` */
  lastActive = performance.now();

  constructor(parts: ConnectionParts) {
    this.#parts = parts;
    this.#reader = new Reader(parts.client, "the program");
  }

  end(): void {
    this.#parts.controller.abort("ended");
  }

  /** Until it has ended. Never rejects. */
  async serve(): Promise<void> {
    const beginning = setTimeout(() => this.end(), BEGIN_MS);
    const begun = () => clearTimeout(beginning);
    try {
      const { place, route } = this.#parts;
      const isProxy = place === PLACES.proxy;
      const secret = isProxy ? null : route.secrets[place - 1] ?? null;
      const first = await this.#reader.peek();
      if (first === SOCKS_VERSION && isProxy) await this.#socks(begun);
      else if (first !== null && (isProxy || secret !== null)) await this.#http(secret, begun);
    } catch {
      // Whoever is not there any more is told nothing.
    } finally {
      begun();
      this.end();
    }
  }

  async #socks(begun: () => void): Promise<void> {
    const { client } = this.#parts;
    const to = await socksRequest(this.#reader, client);
    if (to === null) return;
    let server: Connection;
    try {
      server = await this.#reach(to, {});
    } catch (error) {
      await client.write(socksReply(replyTo(error)));
      await this.#linger();
      return;
    }
    begun();
    await client.write(socksReply(REPLY.granted));
    await this.#tunnel(server, placeText(to));
  }

  async #http(standsFor: ProxySecret | null, begun: () => void): Promise<void> {
    const { client } = this.#parts;
    let isAnswered = false;
    try {
      const head = parseRequest(await this.#reader.head());
      if (head.method === "CONNECT" && standsFor === null) {
        const to = authorityOf(head.target);
        const server = await this.#reach(to, {});
        begun();
        isAnswered = true;
        await client.write(encoder.encode("HTTP/1.1 200 Connection established\r\n\r\n"));
        await this.#tunnel(server, placeText(to));
        return;
      }
      if (head.method === "CONNECT" || head.method === "TRACE") {
        throw new BadRequest("no such request goes through here");
      }
      requestFraming(head);
      const { to, path, secret } = this.#destinationOf(head, standsFor);
      const { method } = head;
      const added = secret === null ? null : addedBy(secret);
      const server = await this.#reach(to, { method, secure: secret !== null });
      begun();
      const place = placeText(to);
      await forward({
        head,
        path,
        authority: authorityText(to, secret === null ? HTTP : HTTPS),
        added,
        body: this.#reader,
        client,
        server,
        place,
        count: (sent, received) => this.#count(place, sent, received),
        onAnswer: () => isAnswered = true,
      });
      await this.#linger();
    } catch (error) {
      if (isAnswered) return;
      await client.write(refusal(error));
      await this.#linger();
    }
  }

  /** What is closed while something comes in loses what was sent (RFC 9112, 9.6): it is read away for a moment. */
  async #linger(): Promise<void> {
    const timer = setTimeout(() => this.end(), LINGER_MS);
    try {
      await this.#parts.client.closeWrite();
      while (await this.#reader.take(Infinity) !== null);
    } finally {
      clearTimeout(timer);
    }
  }

  /** A request for plain HTTP of a host that a key is for goes there as one to its stand-in does. */
  #destinationOf(head: RequestHead, standsFor: ProxySecret | null): {
    readonly to: Destination;
    readonly path: string;
    readonly secret: ProxySecret | null;
  } {
    if (standsFor !== null) {
      if (!head.target.startsWith("/")) throw new BadRequest("it does not ask for a path");
      return { to: standsFor, path: head.target, secret: standsFor };
    }
    const { path, ...to } = absoluteTarget(head);
    const secret = this.#parts.route.secrets.find(({ host }) => host === to.host) ?? null;
    return secret === null || to.port !== HTTP
      ? { to, path, secret: null }
      : { to: secret, path, secret };
  }

  #reach(
    destination: Destination,
    how: { readonly method?: string; readonly secure?: boolean },
  ): Promise<Connection> {
    const { route: { judge }, controller: { signal } } = this.#parts;
    return reach({ ...this.#parts, judge, signal }, destination, how);
  }

  async #tunnel(server: Connection, place: string): Promise<void> {
    await tunnel({
      client: this.#parts.client,
      from: this.#reader,
      server,
      place,
      count: (sent, received) => this.#count(place, sent, received),
    });
  }

  #count(place: string, sent: number, received: number): void {
    this.lastActive = performance.now();
    this.#parts.traffic.count(place, sent, received);
  }
}

const encoder = new TextEncoder();

/** Throws PROVIDER_NOT_CONFIGURED where the key is not there. */
function addedBy({ host, header, value, key }: ProxySecret): AddedHeader {
  if (value !== null && key !== null) return { name: header, value, key };
  throw new ToolError(
    "PROVIDER_NOT_CONFIGURED",
    `the key for ${host} is not there: secrets of the policy says where it should be`,
  );
}

/** Without the port that its scheme has by itself. */
function authorityText({ host, port }: Destination, usual: number): string {
  return port === usual
    ? placeText({ host, port }).replace(/:\d+$/, "")
    : placeText({ host, port });
}

/** RFC 9110, 15: the status, and a line that says why. */
function refusal(error: unknown): Uint8Array {
  const [status, text] = error instanceof BadRequest
    ? ["400 Bad Request", `this request cannot be judged: ${error.message}`] as const
    : error instanceof ToolError && error.code === "NETWORK_DENIED"
    ? ["403 Forbidden", error.message] as const
    : error instanceof ToolError
    ? ["502 Bad Gateway", error.message] as const
    : ["502 Bad Gateway", "it cannot be reached"] as const;
  const body = encoder.encode(`Toolgate: ${printable(text, 2000)}\n`);
  const head = [
    `HTTP/1.1 ${status}`,
    "Content-Type: text/plain; charset=utf-8",
    `Content-Length: ${body.length}`,
    "Connection: close",
  ];
  return Uint8Array.of(...encoder.encode(`${head.join("\r\n")}\r\n\r\n`), ...body);
}

function replyTo(error: unknown): number {
  if (!(error instanceof ToolError)) return REPLY.failure;
  if (error.code === "NETWORK_DENIED") return REPLY.refusedByRule;
  return error.details?.["reason"] === "refused" ? REPLY.refused : REPLY.unreachable;
}
