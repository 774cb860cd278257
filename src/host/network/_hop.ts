/** One request of a chain of redirects, and what is read off its answer. */

import type { ConnectCapability } from "../../core/capability.ts";
import { ToolError } from "../../core/errors.ts";
import type { WebRequest, WebSettings } from "../../core/network.ts";
import { connectionTo, isWeb, placeOf } from "../../core/web_address.ts";
import { networkError } from "./_failure.ts";
import type { Head } from "./_head.ts";
import { hideKey, type Secret } from "./_secret.ts";

/** Addresses of one name that are tried in turn. */
const MOST_ADDRESSES = 3;
/** RFC 9110, 15.4 */
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/** One request of a chain of redirects. */
export interface Hop {
  readonly url: URL;
  readonly method: "GET" | "POST";
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array | null;
  readonly provider: boolean;
  readonly secret: Secret | null;
}

/** The runtime's sets know networks of IPv4 alone: those come first. */
export function candidatesOf(addresses: readonly string[]): readonly string[] {
  const fours = addresses.filter((address) => !address.includes(":"));
  return (fours.length > 0 ? fours : addresses).slice(0, MOST_ADDRESSES);
}

/** The connection that it needs. */
export function connectionOf({ url, method, provider }: Hop): ConnectCapability {
  return { ...connectionTo(url, method), ...(provider ? { provider } : {}) };
}

/** Where the answer leads; null where it leads nowhere. */
export function locationOf({ status, fields }: Head): string | null {
  return REDIRECTS.has(status) ? fields.get("location")?.[0] ?? null : null;
}

/**
 * The address that an answer leads to, without a fragment. Throws NETWORK_ERROR where it is not followed, which shows where
 * without the key.
 */
export function redirectedTo(location: string, from: URL, secret: Secret | null): URL {
  const refused = (why: string) => networkError("redirect", placeOf(from), why);
  // User and password are somebody's: no message or log has them.
  const shown = hideKey(location.replace(/[/\\]{2}[^/\\?#]*@/, "//…@"), secret);
  const next = URL.parse(location, from.href);
  if (next === null || !isWeb(next)) {
    throw refused(`it leads to no http or https address: ${shown}`);
  }
  if (next.username !== "" || next.password !== "") {
    throw refused(
      `it leads to an address with a user or password in it, which is not fetched: ${shown}`,
    );
  }
  if (from.protocol === "https:" && next.protocol === "http:") {
    throw refused("it leads from https to http, which is not followed");
  }
  next.hash = "";
  return next;
}

/** Of the headers that a caller set those that anybody may see. */
export function accepted(headers: WebRequest["headers"]): Readonly<Record<string, string>> {
  return headers?.accept === undefined ? {} : { accept: headers.accept };
}

/** What asks whether an answer that was kept still holds. */
export function conditionsOf({ fields }: Head): Readonly<Record<string, string>> {
  const etag = fields.get("etag")?.[0];
  const modified = fields.get("last-modified")?.[0];
  return {
    ...(etag === undefined ? {} : { "if-none-match": etag }),
    ...(modified === undefined ? {} : { "if-modified-since": modified }),
  };
}

/** Another address of the same name may answer where this one cannot be reached. */
export function mayHelp(error: unknown): boolean {
  const reason = error instanceof ToolError ? error.details?.reason : null;
  return reason === "refused" || reason === "unreachable" || reason === "reset";
}

/** The product of a User-Agent, which robots.txt names. */
export function productOf({ userAgent }: WebSettings): string {
  return /^[A-Za-z_-]+/.exec(userAgent)?.[0] ?? userAgent;
}

/** Headers as they are handed on, without the key. */
export function shownHeaders(
  { fields }: Head,
  secret: Secret | null,
): Readonly<Record<string, string>> {
  return Object.fromEntries(
    [...fields].map(([name, values]) => [name, hideKey(values.join(", "), secret)]),
  );
}
