/** Addresses among arguments: what curl(1) and wget(1) would connect to, or read. */

import type { Effect } from "./effect.ts";

/** Schemes that curl knows, with their ports (services(5)). */
const PORTS: Readonly<Record<string, number>> = {
  "http:": 80,
  "https:": 443,
  "ftp:": 21,
  "ftps:": 990,
  "scp:": 22,
  "sftp:": 22,
  "smb:": 445,
  "smbs:": 445,
  "ldap:": 389,
  "ldaps:": 636,
  "dict:": 2628,
  "gopher:": 70,
  "gophers:": 70,
  "telnet:": 23,
  "tftp:": 69,
  "imap:": 143,
  "imaps:": 993,
  "pop3:": 110,
  "pop3s:": 995,
  "smtp:": 25,
  "smtps:": 465,
  "rtsp:": 554,
  "mqtt:": 1883,
  "ws:": 80,
  "wss:": 443,
  "socks4:": 1080,
  "socks5:": 1080,
  "socks5h:": 1080,
};

/** Letters of an address: what curl(1) takes at most is 8,000,000, which nobody writes. */
const LONGEST = 65_536;

/** The connection, or the file of a `file:` address. One that cannot be read is a host that no rule names. */
export function addressOf(text: string, cwd: string): Effect {
  const address = /^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `http://${text}`;
  if (text.length > LONGEST || !URL.canParse(address)) {
    return { kind: "connect", to: { host: text, port: 0 } };
  }
  const { protocol, hostname, port, pathname } = new URL(address);
  if (protocol === "file:") {
    const path = decoded(pathname);
    return { kind: "read", file: { path: path === "" ? cwd : path, tree: false } };
  }
  const host = hostname.replace(/^\[(.*)\]$/, "$1");
  const known = port === "" ? PORTS[protocol] ?? 0 : Number(port);
  return { kind: "connect", to: { host, port: known } };
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
