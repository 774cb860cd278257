/**
 * The one door: every connection of Toolgate's own goes through it. A host is judged by its name, looked up once, judged
 * by what it stands for, and exactly that is dialled. Redirects are judged anew.
 */

import type { ConnectCapability } from "../../core/capability.ts";
import type { Ending } from "../../core/ending.ts";
import { ToolError } from "../../core/errors.ts";
import type { Network, WebAnswer, WebRequest, WebSettings } from "../../core/network.ts";
import { printable } from "../../core/printable.ts";
import type { Limits } from "../../core/tool.ts";
import { addressOf, placeOf } from "../../core/web_address.ts";
import { AnswerCache } from "./_cache.ts";
import { connect, type Connection, type Destination } from "./_connection.ts";
import { addressesOf, type Dial } from "./_dial.ts";
import { type Exchange, exchange, type Outgoing } from "./_exchange.ts";
import { Deadline } from "./_deadline.ts";
import { networkError } from "./_failure.ts";
import type { Head } from "./_head.ts";
import {
  accepted,
  candidatesOf,
  conditionsOf,
  connectionOf,
  type Hop,
  locationOf,
  mayHelp,
  productOf,
  redirectedTo,
  shownHeaders,
} from "./_hop.ts";
import { KeptConnections } from "./_kept.ts";
import { allows, parseRobots, type Robots, ROBOTS_LIMIT } from "./_robots.ts";
import { throughProxy } from "./_upstream.ts";
import {
  errorWithoutKey,
  hideKey,
  originOf,
  providerOrigins,
  type Secret,
  withKey,
  withoutKey,
} from "./_secret.ts";
import type { Resolved } from "./resolve.ts";
import type { WebParts } from "./web_parts.ts";

/** What the door of one call asks others. */
export interface DoorCall {
  /** Throws NETWORK_DENIED. Asked before a name is looked up, and again with its addresses. */
  readonly judge: (connection: ConnectCapability) => void;
  readonly resolve: (host: string) => Promise<Resolved>;
  /** Aborted with the reason "TIMEOUT", or with any other for a cancellation. */
  readonly signal: Ending;
  readonly limits: Pick<Limits, "response">;
  readonly count: (name: string, amount: number) => void;
}

/** Redirects that are followed. */
const MOST_REDIRECTS = 5;
/** How long robots.txt of a host is remembered (RFC 9309, 2.4). */
const ROBOTS_MS = 24 * 60 * 60 * 1000;
const MOST_ROBOTS = 500;
/** Seconds that a server may keep Toolgate away. */
const LONGEST_WAIT = 3600;

/** The part of the door that outlives a call: what it remembers. One a thread. */
export class Door {
  readonly #web: WebSettings;
  readonly #parts: WebParts;
  readonly #dial: Dial;
  readonly #cache: AnswerCache;
  readonly #kept: KeptConnections;
  readonly #robots = new Map<string, { readonly robots: Robots | null; readonly since: number }>();
  readonly #providers: ReadonlySet<string>;
  /** Origins that asked to be left alone, and until when. */
  readonly #heldOff = new Map<string, number>();

  constructor(
    web: WebSettings,
    parts: WebParts,
    dial: Dial = connect,
    kept = new KeptConnections(),
  ) {
    this.#kept = kept;
    this.#web = web;
    this.#parts = parts;
    this.#dial = dial;
    this.#cache = new AnswerCache(web.cache);
    this.#providers = providerOrigins(web);
  }

  /** The door as one call sees it. */
  open(call: DoorCall): Network {
    return {
      fetch: (request) => this.#fetch(call, request),
      holdOff: (url, seconds) => this.#holdOff(new URL(url).origin, seconds),
    };
  }

  #holdOff(origin: string, seconds: number): void {
    if (!(seconds > 0)) return;
    this.#heldOff.set(origin, Date.now() + Math.min(seconds, LONGEST_WAIT) * 1000);
  }

  /** Throws HTTP_ERROR with what a server says to whoever comes too soon. */
  #requireWelcome(url: URL): void {
    const left = (this.#heldOff.get(url.origin) ?? 0) - Date.now();
    if (left <= 0) {
      this.#heldOff.delete(url.origin);
      return;
    }
    const seconds = Math.ceil(left / 1000);
    throw new ToolError(
      "HTTP_ERROR",
      `${placeOf(url)}: it asked to be left alone for ${seconds} s`,
      {
        details: { status: 429, retry_after_s: seconds },
      },
    );
  }

  async #fetch(call: DoorCall, request: WebRequest): Promise<WebAnswer> {
    const url = addressOf(request.url);
    const secret = this.#secretOf(request, url);
    const timer = new Deadline(call.signal, request.timeoutMs ?? null);
    try {
      return await this.#follow({ ...call, signal: timer.signal }, request, url, secret);
    } catch (error) {
      throw timer.signal.aborted ? timer.error(url) : errorWithoutKey(error, secret);
    } finally {
      timer.close();
    }
  }

  async #follow(
    call: DoorCall,
    request: WebRequest,
    first: URL,
    secret: Secret | null,
  ): Promise<WebAnswer> {
    const redirects: string[] = [];
    let url = first;
    let { method = "GET", body = null } = request;
    for (;;) {
      const own = url.origin === first.origin;
      // Whoever it is led to gets nothing that was meant for whom it was asked of.
      const headers = { accept: "*/*", ...(own ? request.headers : accepted(request.headers)) };
      const provider = own && request.provider === true && this.#providers.has(url.origin);
      const hop: Hop = { url, method, headers, body, provider, secret: own ? secret : null };
      if (request.robots === true) await this.#askRobots(call, hop);
      const found = await this.#ask(call, hop, request.cache === true && secret === null);
      const { head, bytes, truncated, fromCache } = found;
      const location = locationOf(head);
      if (location === null) {
        return {
          status: head.status,
          url: hideKey(url.href, secret),
          redirects,
          headers: shownHeaders(head, secret),
          body: secret === null ? bytes : withoutKey(bytes, secret.key),
          truncated,
          fromCache,
        };
      }
      const next = redirectedTo(location, url, secret);
      if (redirects.length === MOST_REDIRECTS) {
        const why = `it leads on after ${MOST_REDIRECTS} redirects`;
        throw networkError("redirect", placeOf(url), why);
      }
      redirects.push(hideKey(next.href, secret));
      if (head.status === 303 || (head.status < 303 && method === "POST")) {
        method = "GET";
        body = null;
      }
      url = next;
    }
  }

  /** Throws NETWORK_DENIED where the host's robots.txt disallows the path. */
  async #askRobots(call: DoorCall, { url, method, headers: _, ...hop }: Hop): Promise<void> {
    if (this.#web.robots === "ignore" || method !== "GET") return;
    const known = this.#robots.get(url.origin);
    const fresh = known !== undefined && Date.now() - known.since < ROBOTS_MS;
    const robots = fresh ? known.robots : await this.#loadRobots(call, url, hop);
    if (robots !== null && allows(robots, url.pathname + url.search)) return;
    throw new ToolError(
      "NETWORK_DENIED",
      robots === null
        ? `${
          placeOf(url)
        }: its robots.txt cannot be had, which counts as disallowing all; web.robots: ignore does without`
        : `${placeOf(url)}: its robots.txt disallows ${printable(url.pathname, 200)} to ${
          productOf(this.#web)
        }; web.robots: ignore does without`,
      { details: { robots: `${url.origin}/robots.txt` } },
    );
  }

  /** Null where the host fails to say (RFC 9309, 2.3.1.4). Redirects on the same host are followed, others are not. */
  async #loadRobots(
    call: DoorCall,
    of: URL,
    hop: Pick<Hop, "provider">,
  ): Promise<Robots | null> {
    let url = new URL("/robots.txt", of);
    for (let redirects = 0; redirects <= MOST_REDIRECTS; redirects++) {
      const limits = { response: Math.min(ROBOTS_LIMIT, call.limits.response) };
      const { head, bytes } = await this.#ask({ ...call, limits }, {
        url,
        method: "GET",
        headers: { accept: "text/plain" },
        body: null,
        provider: hop.provider,
        secret: null,
      }, false);
      const location = locationOf(head);
      const next = location !== null && URL.canParse(location, url) ? new URL(location, url) : null;
      if (next !== null && next.origin === url.origin) {
        url = next;
        continue;
      }
      const text = head.status === 200 ? new TextDecoder().decode(bytes) : "";
      const robots = head.status >= 500 ? null : parseRobots(text, productOf(this.#web));
      if (this.#robots.size >= MOST_ROBOTS) this.#robots.clear();
      // A host that fails may have mended itself by the next call.
      if (robots !== null) this.#robots.set(of.origin, { robots, since: Date.now() });
      return robots;
    }
    return null;
  }

  /** One request without its redirects, from memory where that holds. */
  async #ask(call: DoorCall, hop: Hop, cached: boolean): Promise<Fetched> {
    const { url, method, headers } = hop;
    const connection = connectionOf(hop);
    call.judge(connection);
    const key = cached && method === "GET" ? `${headers.accept} ${url.href}` : null;
    const kept = key === null ? null : this.#cache.get(key, Date.now());
    if (kept !== null && Date.now() < kept.freshUntil) {
      return { head: kept.head, bytes: kept.bytes, truncated: false, fromCache: true };
    }
    const conditions = kept === null ? {} : conditionsOf(kept.head);
    this.#requireWelcome(url);
    const { head, body } = await this.#exchange(call, hop, connection, conditions);
    if (head.status === 429 || head.status === 503) {
      this.#holdOff(url.origin, Number(head.fields.get("retry-after")?.[0]));
    }
    if (kept !== null && head.status === 304) {
      const merged = {
        ...head,
        status: 200,
        fields: new Map([...kept.head.fields, ...head.fields]),
      };
      if (key !== null) this.#cache.put(key, merged, kept.bytes, Date.now());
      return { head: merged, bytes: kept.bytes, truncated: false, fromCache: true };
    }
    if (key !== null && !body.truncated) this.#cache.put(key, head, body.bytes, Date.now());
    return { head, ...body, fromCache: false };
  }

  async #exchange(
    call: DoorCall,
    hop: Hop,
    judged: ConnectCapability,
    conditions: Readonly<Record<string, string>>,
  ): Promise<Exchange> {
    const { url, body } = hop;
    const place = placeOf(url);
    const isTheirs = this.#web.proxy?.names === "proxy";
    const addresses = await addressesOf(
      isTheirs ? { ...call, resolve: null } : call,
      judged,
      place,
    );
    // A key that goes into the query is of what is sent, not of what is shown.
    const { target, headers } = withKey(url, hop.headers, hop.secret);
    const to = {
      port: judged.port,
      secure: url.protocol === "https:" ? judged.host : null,
      authorities: this.#parts.authorities,
      place,
    };
    call.count("requests", 1);
    const request = {
      method: hop.method,
      target,
      headers: Object.entries({
        host: url.host,
        "user-agent": this.#web.userAgent,
        ...headers,
        ...conditions,
        "accept-encoding": "gzip, deflate",
        ...(body === null ? {} : { "content-length": String(body.length) }),
      }),
      body,
    };
    const candidates = candidatesOf(addresses).map((address) => ({ ...to, address }));
    const answer = await this.#askKept(call, candidates, request) ??
      await this.#askAt(call, await this.#connect(call, candidates), request);
    call.count("bytes_received", answer.body.bytes.length);
    return answer;
  }

  /**
   * Over a connection that was kept; null where there is none, or it turns out to have ended: then nothing of an answer
   * came, and what is asked by GET may be asked again (RFC 9112, 9.3.1).
   */
  async #askKept(
    call: DoorCall,
    candidates: readonly Destination[],
    request: Outgoing,
  ): Promise<Exchange | null> {
    if (request.method !== "GET") return null;
    for (const to of candidates) {
      const connection = this.#kept.take(to, call.signal);
      if (connection === null) continue;
      let heard = false;
      try {
        return await this.#askAt(call, { connection, to }, request, () => heard = true);
      } catch (error) {
        if (heard || call.signal.aborted || !(error instanceof ToolError)) throw error;
        return null;
      }
    }
    return null;
  }

  async #askAt(
    { limits }: DoorCall,
    { connection, to }: { readonly connection: Connection; readonly to: Destination },
    request: Outgoing,
    onHeard: () => void = () => {},
  ): Promise<Exchange> {
    const answer = await exchange(connection, request, {
      limit: limits.response,
      place: to.place,
      isRedirect: (head) => locationOf(head) !== null,
      onHeard,
    });
    if (answer.reusable) this.#kept.keep(to, connection);
    return answer;
  }

  async #connect(
    { signal, resolve }: DoorCall,
    candidates: readonly Destination[],
  ): Promise<{ readonly connection: Connection; readonly to: Destination }> {
    const { proxy } = this.#web;
    const dial = proxy === null ? this.#dial : throughProxy(proxy, this.#parts.keys.proxy, resolve);
    for (const [index, to] of candidates.entries()) {
      try {
        return { connection: await dial(to, signal), to };
      } catch (error) {
        if (index === candidates.length - 1 || signal.aborted || !mayHelp(error)) throw error;
      }
    }
    throw networkError("dns", candidates[0]?.place ?? "", "it has no address");
  }

  /** A key goes to the provider that it is for, and to nobody else. */
  #secretOf({ key }: WebRequest, url: URL): Secret | null {
    if (key === undefined) return null;
    const value = this.#parts.keys[key.provider];
    const own = originOf(key.provider, this.#web) === url.origin;
    if (value !== undefined && own) return { use: key, key: value };
    if (key.optional) return null;
    throw new ToolError(
      "PROVIDER_NOT_CONFIGURED",
      `the key of ${key.provider} is not there: web.${key.provider} of the policy says where it should be`,
    );
  }
}

interface Fetched {
  readonly head: Head;
  readonly bytes: Uint8Array;
  readonly truncated: boolean;
  readonly fromCache: boolean;
}
