/** The head of a request to the proxy (RFC 9112): read strictly, since whoever sent it may want two to read it differently. */

import { hostOf } from "../../policy/match/addresses.ts";
import { type Framing, listed } from "./_head.ts";

/** What is wrong with a request, in words for whoever sent it. */
export class BadRequest extends Error {
  override readonly name = "BadRequest";
}

/** Host in its normal form, IPv6 without brackets. */
export interface Destination {
  readonly host: string;
  readonly port: number;
}

/** Names as written. */
export interface RequestHead {
  readonly method: string;
  readonly target: string;
  readonly version: "1.0" | "1.1";
  readonly fields: readonly (readonly [name: string, value: string])[];
}

/** RFC 9110, 5.6.2; RFC 9112, 3: one blank between the parts, and nothing in them that is not seen. */
const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const REQUEST_LINE = /^([!#$%&'*+\-.^_`|~0-9A-Za-z]{1,32}) ([!-~]+) HTTP\/1\.([01])$/;
const MOST_FIELDS = 256;
// What else a host cannot hold `hostOf` refuses.
const AUTHORITY = /^(\[[0-9A-Fa-f:.]+\]|[^\s:@/?#\\[\]%]+)(?::([0-9]{1,5}))?$/;
const ABSOLUTE = /^http:\/\/([^/?#]+)((?:[/?][^#]*)?)$/i;

/** Parses the text up to the empty line, and that. Throws {@linkcode BadRequest}. */
export function parseRequest(text: string): RequestHead {
  // A line end that not everybody takes for one.
  if (/(?<!\r)\n|\r(?!\n)/.test(text)) throw new BadRequest("a line does not end in CRLF");
  const [first = "", ...lines] = text.slice(0, -4).split("\r\n");
  const [, method = "", target = "", minor] = REQUEST_LINE.exec(first) ?? [];
  if (minor === undefined) throw new BadRequest("its first line is no request of HTTP/1.1");
  if (lines.length > MOST_FIELDS) throw new BadRequest(`it has over ${MOST_FIELDS} headers`);
  const fields = lines.map((line): readonly [string, string] => {
    const colon = line.indexOf(":");
    const name = line.slice(0, colon);
    // deno-lint-ignore no-control-regex
    if (colon < 1 || !TOKEN.test(name) || /[\x00-\x08\x0a-\x1f\x7f]/.test(line)) {
      throw new BadRequest("a header is malformed");
    }
    return [name, line.slice(colon + 1).replace(/^[ \t]+|[ \t]+$/g, "")];
  });
  return { method, target, version: minor === "0" ? "1.0" : "1.1", fields };
}

/** The values of a field, in their order. */
export function valuesOf({ fields }: RequestHead, name: string): readonly string[] {
  return fields.filter(([written]) => written.toLowerCase() === name).map(([, value]) => value);
}

/** `host:port`, as CONNECT has it. Throws {@linkcode BadRequest}. */
export function authorityOf(text: string, otherwise: number | null = null): Destination {
  const [, written, digits] = AUTHORITY.exec(text) ?? [];
  const host = written === undefined ? null : hostOf(written);
  const port = digits === undefined ? otherwise : Number(digits);
  if (host === null || port === null || port < 1 || port > 65_535) {
    throw new BadRequest("it names no host and port");
  }
  return { host: host.text, port };
}

/** Where a request for plain HTTP goes. Throws {@linkcode BadRequest}. */
export function absoluteTarget(head: RequestHead): Destination & { readonly path: string } {
  const [, authority, rest = ""] = ABSOLUTE.exec(head.target) ?? [];
  if (authority === undefined) {
    throw new BadRequest(
      /^https:/i.test(head.target)
        ? "https goes through CONNECT"
        : "it asks a proxy, and names no http address with a host",
    );
  }
  const place = authorityOf(authority, 80);
  requireOneHost(head, place);
  return { ...place, path: rest.startsWith("/") ? rest : `/${rest}` };
}

/** A request names its host once, or both times the same: a server may go by either (RFC 9112, 3.2). */
export function requireOneHost(head: RequestHead, place: Destination): void {
  const hosts = valuesOf(head, "host");
  if (hosts.length === 0 && head.version === "1.0") return;
  const [host = ""] = hosts;
  if (hosts.length !== 1) throw new BadRequest("it has not one Host header");
  const named = authorityOf(host, place.port === 443 ? 443 : 80);
  if (named.host !== place.host || named.port !== place.port) {
    throw new BadRequest("its Host header names another host than its first line");
  }
}

/** RFC 9112, 6.3; what it calls ambiguous is refused. Throws {@linkcode BadRequest}. */
export function requestFraming(head: RequestHead): Framing {
  const encodings = valuesOf(head, "transfer-encoding");
  const lengths = valuesOf(head, "content-length");
  if (encodings.length > 0) {
    if (lengths.length > 0) throw new BadRequest("it has two lengths");
    const [coding, ...further] = listed(encodings);
    if (coding?.toLowerCase() !== "chunked" || further.length > 0 || head.version === "1.0") {
      throw new BadRequest("it has a transfer coding that is not chunked alone");
    }
    return { kind: "chunked" };
  }
  if (lengths.length === 0) return { kind: "none" };
  const [length = ""] = lengths;
  if (lengths.length > 1 || !/^[0-9]{1,15}$/.test(length)) {
    throw new BadRequest("it has no one valid Content-Length");
  }
  return { kind: "length", length: Number(length) };
}

/** Of one connection alone (RFC 9110, 7.6.1), and what a proxy is told of. */
const HOP_BY_HOP: ReadonlySet<string> = new Set([
  "connection",
  "keep-alive",
  "proxy-authenticate",
  "proxy-authorization",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
  "http2-settings",
]);

/** What is handed on of the fields of a request or an answer: without what is of its connection, and what that names. */
export function endToEnd(
  fields: readonly (readonly [string, string])[],
  besides: readonly string[],
): readonly (readonly [string, string])[] {
  const named = listed(
    fields.filter(([name]) => name.toLowerCase() === "connection").map(([, value]) => value),
  );
  const left = new Set([...named, ...besides].map((name) => name.toLowerCase()));
  return fields.filter(([name]) =>
    !HOP_BY_HOP.has(name.toLowerCase()) && !left.has(name.toLowerCase())
  );
}
