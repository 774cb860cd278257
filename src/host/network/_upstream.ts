/**
 * Dialling by way of a proxy that the policy names (CONNECT; RFC 9110, 9.3.6): to the address that was judged, or by its
 * name where the proxy looks names up.
 */

import type { Ending } from "../../core/ending.ts";
import { ToolError } from "../../core/errors.ts";
import type { UpstreamProxy } from "../../core/network.ts";
import { hostOf, leadsToLoopback } from "../../policy/match/addresses.ts";
import { closeQuietly, connect, ended, type Open, openDirectly } from "./_connection.ts";
import { type Dial } from "./_dial.ts";
import { raced } from "./_deadline.ts";
import { networkError } from "./_failure.ts";
import { parseHead } from "./_head.ts";
import type { Resolved } from "./resolve.ts";

/** Bytes of its answer, which has a head alone. */
const LONGEST_ANSWER = 16 * 1024;
const END = "\r\n\r\n";

/**
 * `resolve`: for the proxy's own name. `login`: what its `key` was found to be. What lies on this machine itself is
 * dialled without it.
 */
export function throughProxy(
  proxy: UpstreamProxy,
  login: string | undefined,
  resolve: (host: string) => Promise<Resolved>,
): Dial {
  const open: Open = async (to, signal) => {
    const own = hostOf(to.address);
    if (own !== null && leadsToLoopback(own)) return await openDirectly(to, signal);
    const place = placeText(proxy.host, proxy.port);
    const request = requestFor(placeText(to.address, to.port), loginOf(proxy, login));
    const address = await addressOf(proxy, place, resolve, signal);
    const conn = await openDirectly({ address, port: proxy.port, place }, signal);
    return await ended(
      askFor(conn, request, { place: to.place, proxy: place }).then(() => conn),
      signal,
      closeQuietly,
      () => closeQuietly(conn),
    ).catch((error) => {
      closeQuietly(conn);
      if (signal.aborted) throw signal.reason;
      throw error instanceof ToolError
        ? error
        : networkError("proxy", to.place, `the proxy ${place} hung up`);
    });
  };
  return (to, signal) => connect(to, signal, open);
}

async function addressOf(
  { host }: UpstreamProxy,
  place: string,
  resolve: (host: string) => Promise<Resolved>,
  signal: Ending,
): Promise<string> {
  if (hostOf(host)?.address === true) return host;
  const resolved = await raced(resolve(host), signal);
  if ("failure" in resolved) {
    throw networkError("dns", place, `the proxy that web.proxy names: ${resolved.failure}`);
  }
  return resolved.addresses[0] ?? host;
}

/** Null where it wants none. Throws PROVIDER_NOT_CONFIGURED where what it wants is not there. */
function loginOf({ key }: UpstreamProxy, login: string | undefined): string | null {
  if (key === null) return null;
  if (login?.includes(":") === true) return login;
  throw new ToolError(
    "PROVIDER_NOT_CONFIGURED",
    "the login of the proxy is not there: web.proxy.key of the policy says where user:password should be",
  );
}

/** RFC 9110, 9.3.6; RFC 7617, in UTF-8 as its 2.1 has it. */
function requestFor(target: string, login: string | null): Uint8Array {
  const encoder = new TextEncoder();
  const lines = [
    `CONNECT ${target} HTTP/1.1`,
    `Host: ${target}`,
    ...(login === null ? [] : [`Proxy-Authorization: Basic ${encoder.encode(login).toBase64()}`]),
  ];
  return encoder.encode(lines.join("\r\n") + END);
}

async function askFor(
  conn: Deno.TcpConn,
  request: Uint8Array,
  { place, proxy }: { readonly place: string; readonly proxy: string },
): Promise<void> {
  for (let sent = 0; sent < request.length;) sent += await conn.write(request.subarray(sent));
  // A byte at a time: what comes behind its head is the server's, who may speak first.
  const byte = new Uint8Array(1);
  let text = "";
  while (!text.endsWith(END)) {
    if (text.length >= LONGEST_ANSWER || await conn.read(byte) === null) {
      throw networkError("proxy", place, `the proxy ${proxy} gives no answer of HTTP`);
    }
    text += String.fromCharCode(byte[0]!);
  }
  const { status } = parseHead(text.slice(0, -END.length), proxy);
  if (status < 200 || status > 299) {
    throw networkError("proxy", place, `the proxy ${proxy} answers with status ${status}`);
  }
}

function placeText(host: string, port: number): string {
  return `${host.includes(":") ? `[${host}]` : host}:${port}`;
}
