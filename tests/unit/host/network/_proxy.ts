/** The proxy under real rules, dialling the loopback whatever it was told: what it would have dialled is on record. */

import type { NetworkRule } from "../../../../src/policy/model.ts";
import { connect } from "../../../../src/host/network/_connection.ts";
import { Proxy, type ProxyParts } from "../../../../src/host/network/proxy.ts";
import {
  greetingOf,
  type ProxyReport,
  type ProxyRoute,
} from "../../../../src/host/network/proxy_route.ts";
import type { ConnectCapability } from "../../../../src/core/capability.ts";
import { judgeConnection } from "../../../../src/engine/pool/_connections.ts";
import { canonical, READER, rulebook } from "../../policy/_fixtures.ts";

/** A name's addresses, the first time and ever after. */
type Names = Readonly<Record<string, readonly (readonly string[])[]>>;

export interface OpenedProxy {
  readonly dialled: readonly string[];
  readonly asked: readonly string[];
  /** All that comes back for what is sent by a program; it closes its side unless told otherwise. */
  say(text: string | Uint8Array, options?: SayOptions): Promise<string>;
  report(): ProxyReport;
  readonly port: number;
  readonly token: string;
  readonly proxy: Proxy;
}

export interface SayOptions {
  readonly greeting?: string | null;
  /** Sent once something has come back. */
  readonly then?: readonly (string | Uint8Array)[];
  readonly place?: number;
}

export function openProxy(
  server: number,
  network: readonly NetworkRule[],
  { names = {}, granted = [], secrets = [], ...parts }: Partial<ProxyParts> & {
    readonly names?: Names;
    readonly granted?: readonly string[];
    readonly secrets?: ProxyRoute["secrets"];
  } = {},
): OpenedProxy {
  const rules = rulebook([{ network }]);
  const argv = ["client"];
  const program = { path: canonical("/usr/bin/client"), start: "/usr/bin/client", names: argv };
  const command = { argv, program, cwd: canonical("/w/project") };
  const dialled: string[] = [];
  const asked: string[] = [];
  const proxy = new Proxy({
    resolve(host) {
      asked.push(host);
      const times = names[host];
      const count = asked.filter((one) => one === host).length;
      const addresses = times?.[Math.min(count, times.length) - 1];
      return Promise.resolve(addresses === undefined ? { failure: "no such name" } : { addresses });
    },
    authorities: [],
    dial(to, signal) {
      dialled.push(`${to.address}:${to.port}${to.secure === null ? "" : ` ${to.secure}`}`);
      return connect({ ...to, address: "127.0.0.1", port: server }, signal);
    },
    ...parts,
  });
  const judge = (connection: Omit<ConnectCapability, "kind">) =>
    judgeConnection(rules, READER, granted, {
      ...connection,
      kind: "net.connect",
      by: "program",
      command,
      proxied: true,
    });
  const { port, token } = proxy.open({
    judge,
    secrets,
    hosts: rules.networkOf(command)?.hosts ?? [],
  });
  return {
    dialled,
    asked,
    port,
    token,
    proxy,
    report: () => proxy.end(token),
    async say(text, { greeting, then = [], place = 0 } = {}) {
      const conn = await Deno.connect({ hostname: "127.0.0.1", port });
      const bytes = (one: string | Uint8Array) =>
        typeof one === "string" ? Uint8Array.from(one, (c) => c.charCodeAt(0)) : one;
      const first = greeting === undefined ? greetingOf(token, place) : bytes(greeting ?? "");
      try {
        await write(conn, Uint8Array.of(...first, ...bytes(text)));
        let said = "";
        const buffer = new Uint8Array(65_536);
        for (const next of then) {
          const count = await conn.read(buffer);
          if (count === null) return said;
          said += String.fromCharCode(...buffer.subarray(0, count));
          await write(conn, bytes(next));
        }
        await conn.closeWrite().catch(() => {});
        for (;;) {
          const count = await conn.read(buffer).catch(() => null);
          if (count === null) return said;
          said += String.fromCharCode(...buffer.subarray(0, count));
        }
      } finally {
        conn.close();
      }
    },
  };
}

async function write(conn: Deno.Conn, bytes: Uint8Array): Promise<void> {
  for (let sent = 0; sent < bytes.length;) sent += await conn.write(bytes.subarray(sent));
}
