/** Keys of providers: added to what is sent, taken out of what comes back. */

import {
  type KeyedProvider,
  type KeyUse,
  PROVIDER_URLS,
  type WebSettings,
} from "../../core/network.ts";

/** A key and where it goes. */
export interface Secret {
  readonly use: KeyUse;
  readonly key: string;
}

/** The origin that a provider's key is for, and no other; null where there is none. */
export function originOf(provider: KeyedProvider, web: WebSettings): string | null {
  const url = provider === "search"
    ? web.search === null ? null : web.search.url ?? PROVIDER_URLS[web.search.provider]
    : web[provider]?.url ?? PROVIDER_URLS[provider];
  return url === null ? null : new URL(url).origin;
}

/** The origins that the policy names: no rule needs to allow them. */
export function providerOrigins(web: WebSettings): ReadonlySet<string> {
  const named = (["search", "github", "stackoverflow"] as const)
    .filter((provider) => web[provider] !== null)
    .map((provider) => originOf(provider, web));
  const registries = Object.values(web.registries).map((url) => new URL(url).origin);
  return new Set([...named.filter((origin) => origin !== null), ...registries]);
}

/** The path and query as they are sent, and the headers. */
export function withKey(
  { pathname, search }: URL,
  headers: Readonly<Record<string, string>>,
  secret: Secret | null,
): { readonly target: string; readonly headers: Readonly<Record<string, string>> } {
  if (secret === null) return { target: pathname + search, headers };
  const { use, key } = secret;
  const value = use.prefix + key;
  if (use.in === "header") {
    return { target: pathname + search, headers: { ...headers, [use.name]: value } };
  }
  const query = `${use.name}=${encodeURIComponent(value)}`;
  return { target: `${pathname}${search}${search === "" ? "?" : "&"}${query}`, headers };
}

const HIDDEN = "[key]";

/** Text without the key. */
export function hideKey(text: string, secret: Secret | null): string {
  if (secret === null) return text;
  return text.replaceAll(secret.key, HIDDEN).replaceAll(encodeURIComponent(secret.key), HIDDEN);
}

/** Whoever is asked may send back what it was sent. */
export function withoutKey(bytes: Uint8Array, key: string): Uint8Array {
  const sought = new TextEncoder().encode(key);
  let clean = bytes;
  for (let at = indexOf(bytes, sought, 0); at !== -1; at = indexOf(bytes, sought, at + 1)) {
    if (clean === bytes) clean = bytes.slice();
    clean.fill(0x2a, at, at + sought.length);
  }
  return clean;
}

function indexOf(bytes: Uint8Array, sought: Uint8Array, from: number): number {
  for (
    let at = bytes.indexOf(sought[0]!, from);
    at !== -1;
    at = bytes.indexOf(sought[0]!, at + 1)
  ) {
    if (sought.every((byte, index) => bytes[at + index] === byte)) return at;
  }
  return -1;
}
