/** Reaching a host for a program: judged by its name, looked up once, judged by what it stands for, and that is dialled. */

import type { ConnectCapability } from "../../core/capability.ts";
import type { Ending } from "../../core/ending.ts";
import { ToolError } from "../../core/errors.ts";
import type { Connection } from "./_connection.ts";
import { addressesOf, type Dial, dialFirst } from "./_dial.ts";
import type { RefusedHost } from "./proxy_route.ts";
import type { Destination } from "./_request.ts";
import type { Resolved } from "./resolve.ts";

/** Where it is counted. */
export interface ProxyTraffic {
  reached(host: string): void;
  refused(refused: RefusedHost): void;
  /** Throws RESOURCE_LIMIT where that is too much. */
  count(host: string, sent: number, received: number): void;
}

/** What it takes. */
export interface ReachParts {
  /** Throws NETWORK_DENIED. */
  readonly judge: (connection: ConnectCapability) => void;
  /** Null: names are looked up by the proxy that all goes through. */
  readonly resolve: ((host: string) => Promise<Resolved>) | null;
  readonly traffic: ProxyTraffic;
  readonly authorities: readonly string[];
  readonly dial: Dial;
  readonly signal: Ending;
}

/** Throws NETWORK_DENIED, which is told of, and NETWORK_ERROR. */
export async function reach(
  parts: ReachParts,
  destination: Destination,
  { method, secure = false }: { readonly method?: string; readonly secure?: boolean },
): Promise<Connection> {
  const { traffic, judge } = parts;
  const { host, port } = destination;
  const place = placeText(destination);
  const connection: ConnectCapability = {
    kind: "net.connect",
    host,
    port,
    ...(method === undefined ? {} : { method }),
  };
  try {
    judge(connection);
    const addresses = await addressesOf(parts, connection, place);
    const to = { port, secure: secure ? host : null, authorities: parts.authorities, place };
    const server = await dialFirst(parts.dial, addresses, parts.signal, to);
    traffic.reached(place);
    return server;
  } catch (error) {
    if (error instanceof ToolError && error.code === "NETWORK_DENIED") {
      traffic.refused({ host: place, reason: error.message, rule: error.rule });
    }
    throw error;
  }
}

/** `host:port`, IPv6 in brackets. */
export function placeText({ host, port }: Destination): string {
  return `${host.includes(":") ? `[${host}]` : host}:${port}`;
}
