/** What the proxy for programs and those who lead programs to it say to each other. */

import type { ConnectCapability } from "../../core/capability.ts";
import type { RuleReference } from "../../core/errors.ts";

/** Bytes of a token, which is written in hexadecimal. */
export const TOKEN_BYTES = 16;

/** A header that the proxy adds for a host, over TLS. */
export interface ProxySecret {
  readonly host: string;
  readonly port: number;
  readonly header: string;
  /** Null where the key is not there. */
  readonly value: string | null;
  /** What of the value nobody is to read. */
  readonly key: string | null;
}

/** What the proxy is told of one program that is started. */
export interface ProxyRoute {
  /** The hosts that rules open to it, as written. */
  readonly hosts: readonly string[];
  /** Throws NETWORK_DENIED. */
  readonly judge: (connection: Omit<ConnectCapability, "kind">) => void;
  /** By the number of their stand-in, from 1. */
  readonly secrets: readonly ProxySecret[];
}

/** How it is reached: a port of 127.0.0.1, and what its connections begin with. */
export interface OpenedRoute {
  readonly port: number;
  readonly token: string;
}

/** An address that a program connects to by itself, as text (IPv6 without brackets). */
export interface DirectPlace {
  readonly address: string;
  readonly port: number;
}

/** Why a connection of a program's own was not made. */
export type Unreached = "denied" | "refused" | "unreachable" | "timeout";

/** What a connection is for, beside the numbers of stand-ins: the proxy, names, or what was dialled for it already. */
export const PLACES = { proxy: 0, dialled: 0xfe, names: 0xff } as const;

/**
 * Addresses of the loopback that stand for names which a program looked up: the first, and how many there are. Nobody
 * listens at them.
 */
export const NAME_ADDRESSES = { first: [127, 84, 72, 0], count: 2048 } as const;

/** One host that was reached. */
export interface ReachedHost {
  /** `host:port` */
  readonly host: string;
  readonly connections: number;
  /** Bytes, of TLS where it goes through. */
  readonly sent: number;
  readonly received: number;
}

/** One host that was not. */
export interface RefusedHost {
  readonly host: string;
  readonly reason: string;
  readonly rule: RuleReference | null;
}

/** What came of one program's connections. */
export interface ProxyReport {
  readonly reached: readonly ReachedHost[];
  readonly refused: readonly RefusedHost[];
}

/** What a connection begins with. `place`: one of {@linkcode PLACES}, else the number of a stand-in. */
export function greetingOf(token: string, place: number): Uint8Array {
  return new TextEncoder().encode(`${token}${place.toString(16).padStart(2, "0")}`);
}
