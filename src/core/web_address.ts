/** Addresses of the web as text, and the connections that they need. */

import type { ConnectCapability } from "./capability.ts";
import { ToolError } from "./errors.ts";
import { printable } from "./printable.ts";

/** An address that may be asked for. Throws INVALID_ARGUMENTS. */
export function addressOf(text: string): URL {
  // The standard finds a host in `http:///x` and `https:x`, too: whoever wrote that meant something else.
  const url = /^\s*https?:\/\/[^/\\?#]/i.test(text) ? URL.parse(text) : null;
  if (url === null || !isWeb(url)) {
    throw new ToolError(
      "INVALID_ARGUMENTS",
      `url: ${printable(text, 200)} is no http or https address with a host`,
    );
  }
  if (url.username !== "" || url.password !== "") {
    throw new ToolError(
      "INVALID_ARGUMENTS",
      "url: an address with a user or password in it is not fetched; leave them out",
    );
  }
  // Setting it parses the whole once more.
  if (url.href.includes("#")) url.hash = "";
  return url;
}

/** The connection that an address needs. */
export function connectionTo(url: URL, method: string): ConnectCapability {
  const host = url.hostname.replace(/^\[|\]$/g, "").replace(/\.$/, "");
  const port = url.port === "" ? (url.protocol === "https:" ? 443 : 80) : Number(url.port);
  return { kind: "net.connect", host, port, method };
}

/** Whether it is an http or https address with a host. */
export function isWeb({ protocol, hostname }: URL): boolean {
  return (protocol === "http:" || protocol === "https:") && hostname !== "";
}

/** `host:port`, as messages show it. */
export function placeOf(url: URL): string {
  const { host, port } = connectionTo(url, "GET");
  return `${host.includes(":") ? `[${host}]` : host}:${port}`;
}
