/** One program at the proxy: what it is connected to, and what became of that. */

import { ToolError } from "../../core/errors.ts";
import { type DirectParts, DirectPlaces } from "./_direct_places.ts";
import type { ProxyTraffic } from "./_reach.ts";
import type { ProxyReport, ProxyRoute, RefusedHost } from "./proxy_route.ts";

/** A connection of it. */
export interface RouteConnection {
  /** `performance.now()` */
  readonly lastActive: number;
  end(): void;
}

/** Bytes of one program, both ways together. */
const MOST_BYTES = 16 * 1024 ** 3;
/** Hosts that are told of. */
const MOST_HOSTS = 64;

/** One program, as long as it may connect. */
export class OpenRoute implements ProxyTraffic {
  readonly route: ProxyRoute;
  readonly parts: DirectParts;
  readonly connections = new Set<RouteConnection>();
  /** What it reaches without the proxy. */
  readonly places: DirectPlaces;
  readonly #reached = new Map<string, { connections: number; sent: number; received: number }>();
  readonly #refused = new Map<string, RefusedHost>();
  #bytes = 0;

  constructor(route: ProxyRoute, parts: Omit<DirectParts, "traffic">) {
    this.route = route;
    this.parts = { ...parts, traffic: this };
    this.places = new DirectPlaces(route, this.parts);
  }

  reached(host: string): void {
    const known = this.#reached.get(host);
    if (known !== undefined) known.connections++;
    else if (this.#reached.size < MOST_HOSTS) {
      this.#reached.set(host, { connections: 1, sent: 0, received: 0 });
    }
  }

  refused(refused: RefusedHost): void {
    if (this.#refused.size < MOST_HOSTS) this.#refused.set(refused.host, refused);
  }

  count(host: string, sent: number, received: number): void {
    this.#bytes += sent + received;
    const known = this.#reached.get(host);
    if (known !== undefined) {
      known.sent += sent;
      known.received += received;
    }
    if (this.#bytes > MOST_BYTES) {
      throw new ToolError("RESOURCE_LIMIT", `over ${MOST_BYTES} bytes of one program`);
    }
  }

  end(): void {
    for (const connection of [...this.connections]) connection.end();
  }

  get report(): ProxyReport {
    return {
      reached: [...this.#reached].map(([host, counts]) => ({ host, ...counts })),
      refused: [...this.#refused.values()],
    };
  }
}
