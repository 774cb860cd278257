/**
 * The way out for programs that a rule names: a proxy on the loopback that judges every host as the door does, looks it up
 * once and dials what was judged. It serves whoever says first which program he is, in words that only Toolgate knows and
 * puts there itself: anybody else who finds the port is hung up on.
 */

import { ToolError } from "../../core/errors.ts";
import type { UpstreamProxy } from "../../core/network.ts";
import { connect, type Connection, connectionOf } from "./_connection.ts";
import { type Dial } from "./_dial.ts";
import { DirectConnection, NameConnection } from "./_direct_connection.ts";
import { OpenRoute } from "./_open_route.ts";
import { ProxyConnection } from "./_proxy_connection.ts";
import {
  type DirectPlace,
  type OpenedRoute,
  PLACES,
  type ProxyReport,
  type ProxyRoute,
  TOKEN_BYTES,
  type Unreached,
} from "./proxy_route.ts";
import type { Resolved } from "./resolve.ts";
import { throughProxy } from "./_upstream.ts";

/** What it takes. */
export interface ProxyParts {
  readonly resolve: (host: string) => Promise<Resolved>;
  /** The proxy of others that all goes through, with its login; absent for none. */
  readonly upstream?: UpstreamProxy | null;
  readonly login?: string | undefined;
  /** Further certificate authorities, in PEM, for what the proxy itself speaks TLS to. */
  readonly authorities: readonly string[];
  readonly dial?: Dial;
}

/** Connections of one program, and of all, at a time. */
const MOST_CONNECTIONS = 256;
const MOST_OF_ALL = 1024;
/** Who has not said whom he is for yet. */
const MOST_UNKNOWN = 64;
/** How long a connection may say nothing, and how often that is looked at. */
const IDLE_MS = 5 * 60_000;
const LOOK_MS = 5_000;
/** How long the first words may take, which Toolgate itself says. */
const GREETING_MS = 5_000;
/** Digits of the token, and two of the place that the program connected to. */
const GREETING = 2 * TOKEN_BYTES + 2;

/** Listens from the first program on. */
export class Proxy {
  readonly #parts: ProxyParts;
  readonly #routes = new Map<string, OpenRoute>();
  /** Connections that were made for programs, until these come for them. */
  readonly #dialled = new Map<string, DirectConnection>();
  readonly #unknown = new Set<Deno.TcpConn>();
  #listener: Deno.TcpListener | null = null;
  #looking: number | null = null;

  constructor(parts: ProxyParts) {
    this.#parts = parts;
  }

  /** Lets a program in. Throws NATIVE_DENIED where nothing can listen here. */
  open(route: ProxyRoute): OpenedRoute {
    this.#listener ??= this.#listen();
    this.#looking ??= setInterval(() => this.#look(), LOOK_MS);
    const token = newToken();
    const { resolve, authorities, upstream = null, login, dial: directly = connect } = this.#parts;
    const dial = upstream === null ? directly : throughProxy(upstream, login, resolve);
    const named = upstream?.names === "proxy" ? null : resolve;
    this.#routes.set(token, new OpenRoute(route, { resolve: named, authorities, dial }));
    return { port: this.#listener.addr.port, token };
  }

  /**
   * Makes a connection that a program wants of its own, past the proxy: judged and dialled before it is answered. Its
   * token is told in the place of the program's.
   */
  async reach(token: string, to: DirectPlace): Promise<OpenedRoute | Unreached> {
    const route = this.#routes.get(token);
    const port = this.#listener?.addr.port;
    if (route === undefined || port === undefined || this.#isFull(route)) return "unreachable";
    const made = new DirectConnection(route);
    route.connections.add(made);
    const own = newToken();
    made.signal.addEventListener("abort", () => {
      this.#dialled.delete(own);
      route.connections.delete(made);
    });
    const why = await made.dial(route.places, to);
    if (why !== null) return why;
    this.#dialled.set(own, made);
    return { port, token: own };
  }

  #isFull({ connections }: OpenRoute): boolean {
    return connections.size >= MOST_CONNECTIONS || this.#connections >= MOST_OF_ALL;
  }

  /** Ends the connections of a program, and says what there were. */
  end(token: string): ProxyReport {
    const route = this.#routes.get(token);
    this.#routes.delete(token);
    if (this.#routes.size === 0 && this.#looking !== null) {
      clearInterval(this.#looking);
      this.#looking = null;
    }
    route?.end();
    return route?.report ?? { reached: [], refused: [] };
  }

  close(): void {
    for (const token of [...this.#routes.keys()]) this.end(token);
    for (const conn of this.#unknown) closeQuietly(conn);
    if (this.#listener !== null) closeQuietly(this.#listener);
    this.#listener = null;
  }

  #listen(): Deno.TcpListener {
    let listener: Deno.TcpListener;
    try {
      listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
    } catch (error) {
      throw new ToolError(
        "NATIVE_DENIED",
        `the proxy for programs cannot listen on 127.0.0.1: ${
          error instanceof Error ? error.message : "?"
        }`,
      );
    }
    // Nothing is kept alive by it: whoever waits for a program waits for that.
    listener.unref();
    void this.#accept(listener);
    return listener;
  }

  async #accept(listener: Deno.TcpListener): Promise<void> {
    for (;;) {
      let conn: Deno.TcpConn;
      try {
        conn = await listener.accept();
      } catch (error) {
        if (error instanceof Deno.errors.BadResource || this.#listener !== listener) return;
        // Too many open files: those that are there end some time.
        await new Promise((resolve) => setTimeout(resolve, 100));
        continue;
      }
      if (this.#connections >= MOST_OF_ALL) {
        closeQuietly(conn);
        continue;
      }
      // Whoever is led here says so at once: those who hold others up go first.
      const [oldest] = this.#unknown;
      if (this.#unknown.size >= MOST_UNKNOWN && oldest !== undefined) {
        this.#unknown.delete(oldest);
        closeQuietly(oldest);
      }
      void this.#greet(conn);
    }
  }

  get #connections(): number {
    let count = 0;
    for (const { connections } of this.#routes.values()) count += connections.size;
    return count;
  }

  /** Serves whoever knows a token. */
  async #greet(conn: Deno.TcpConn): Promise<void> {
    this.#unknown.add(conn);
    const timer = setTimeout(() => closeQuietly(conn), GREETING_MS);
    const greeting = await readGreeting(conn).catch(() => null);
    clearTimeout(timer);
    this.#unknown.delete(conn);
    if (greeting === null) {
      closeQuietly(conn);
      return;
    }
    if (greeting.place === PLACES.dialled) {
      const made = this.#dialled.get(greeting.token);
      this.#dialled.delete(greeting.token);
      if (made === undefined) closeQuietly(conn);
      else await made.serve(clientOf(conn, made.signal));
      return;
    }
    const route = this.#routes.get(greeting.token);
    if (route === undefined || route.connections.size >= MOST_CONNECTIONS) {
      closeQuietly(conn);
      return;
    }
    if (greeting.place === PLACES.names) await this.#serveNames(conn, route);
    else await this.#serve(conn, route, greeting.place);
  }

  async #serveNames(conn: Deno.TcpConn, route: OpenRoute): Promise<void> {
    const connection = new NameConnection();
    route.connections.add(connection);
    await connection.serve(clientOf(conn, connection.signal), route.places);
    route.connections.delete(connection);
  }

  async #serve(conn: Deno.TcpConn, route: OpenRoute, place: number): Promise<void> {
    const controller = new AbortController();
    const connection = new ProxyConnection({
      client: clientOf(conn, controller.signal),
      controller,
      route: route.route,
      place,
      ...route.parts,
    });
    route.connections.add(connection);
    await connection.serve();
    route.connections.delete(connection);
  }

  #look(): void {
    const before = performance.now() - IDLE_MS;
    for (const { connections } of this.#routes.values()) {
      for (const connection of connections) {
        if (connection.lastActive < before) connection.end();
      }
    }
  }
}

function clientOf(conn: Deno.TcpConn, signal: AbortSignal): Connection {
  conn.setNoDelay();
  return connectionOf(conn, "the program", signal);
}

/** Null for who says something else. */
async function readGreeting(
  conn: Deno.TcpConn,
): Promise<{ readonly token: string; readonly place: number } | null> {
  const bytes = new Uint8Array(GREETING);
  for (let at = 0; at < bytes.length;) {
    const count = await conn.read(bytes.subarray(at));
    if (count === null) return null;
    at += count;
  }
  const text = new TextDecoder("latin1").decode(bytes);
  const place = parseInt(text.slice(2 * TOKEN_BYTES), 16);
  return /^[0-9a-f]+$/.test(text) ? { token: text.slice(0, 2 * TOKEN_BYTES), place } : null;
}

function newToken(): string {
  return [...crypto.getRandomValues(new Uint8Array(TOKEN_BYTES))].map((byte) =>
    byte.toString(16).padStart(2, "0")
  ).join("");
}

function closeQuietly(one: { close(): void }): void {
  try {
    one.close();
  } catch {
    // It was closed by the other who may.
  }
}
